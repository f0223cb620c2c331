#include "kasoku/compile/clang/passes/plan.h"

#include "kasoku/compile/clang/passes/loop_barriers.h"
#include "kasoku/compile/clang/passes/masks.h"
#include "kasoku/compile/clang/passes/pipeline.h"
#include "kasoku/compile/clang/passes/prepare.h"
#include "kasoku/compile/clang/passes/rematerialize.h"
#include "kasoku/compile/clang/passes/uniformity.h"
#include "kasoku/compile/clang/passes/volatile_shared.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"

#include <algorithm>
#include <memory>

namespace kasoku::embedded {

using namespace llvm;

namespace {

bool has_any(const std::vector<SyncPoint>& syncs, bool (*is)(Sync)) {
  return std::any_of(syncs.begin(), syncs.end(), [=](const auto& at) { return is(at.sync); });
}

bool exchanges(const Function& kernel) {
  return any_of(instructions(kernel),
                [](const Instruction& at) { return is_warp_operation(sync_of(at)); });
}

bool meets_grid(Sync sync) { return sync == Sync::grid_barrier; }

using Analysis = std::shared_ptr<const Uniformity>;

Granule granule_of(const Uniformity& block, const Uniformity* warp,
                   const std::vector<SyncPoint>& syncs) {
  if (!warp) return block.meet_together(syncs, is_block_barrier) ? Granule::block : Granule::thread;
  if (!warp->meet_together(syncs, is_warp_operation)) return Granule::thread;
  if (block.meet_together(syncs, is_block_barrier)) return Granule::warp;
  // A kernel of cooperative groups that meets the whole grid does it in one step of the block.
  if (has_any(syncs, meets_grid) || !warp->meet_together(syncs, is_block_barrier))
    return Granule::thread;
  return Granule::turn;
}

}  // namespace

RegionPlan make_plan(const PreparedKernel& kernel, const BlockShape& shape, Pipeline& pipeline) {
  Function& function = *kernel.function;
  RegionPlan plan;
  if (!shape.is_single_thread()) add_warp_barriers_for_volatile(function);
  if (!shape.is_single_thread()) add_loop_barriers(function, nullptr);
  if (shape.rows_hold_whole_warps() && !shape.is_single_thread() && exchanges(function))
    add_loop_barriers(function, &shape);
  plan.syncs = split_at_syncs(function);
  plan.is_uniform = [](const Instruction&) { return false; };
  const bool has_warps = has_any(plan.syncs, is_warp_operation);
  if (has_warps) plan.granule = Granule::warp;
  plan.is_uniform_in_warp = plan.is_uniform;
  if (plan.syncs.empty() || shape.is_single_thread()) return plan;

  const auto analyse = [&](Granule granule) {
    return std::make_shared<const Uniformity>(function, shape, granule);
  };
  // Only a block that does not stay together asks for warps without warp operations.
  Analysis block = analyse(Granule::block), warp;
  if (has_warps || !block->meet_together(plan.syncs, is_block_barrier))
    warp = analyse(Granule::warp);
  plan.granule = granule_of(*block, warp.get(), plan.syncs);
  if (plan.granule > Granule::warp) drop_loop_barriers(plan.syncs, Sync::lane_loop);
  if (plan.granule > Granule::warp && mask_divergence(function, plan.syncs, shape)) {
    block = analyse(Granule::block);
    if (has_warps) warp = analyse(Granule::warp);
    else warp = nullptr;
    plan.granule = granule_of(*block, warp.get(), plan.syncs);
  }
  const bool by_block = plan.granule <= Granule::warp;
  if (!by_block) drop_loop_barriers(plan.syncs, Sync::loop);
  if (plan.granule == Granule::thread) {
    rematerialize(function, plan.syncs, plan.is_uniform);
    return plan;
  }
  if (!by_block) warp = analyse(Granule::warp);
  // What a warp has in common is kept once as well, mostly in a register.
  rematerialize(function, plan.syncs, [&](const Instruction& value) {
    return (warp ? warp : block)->is_uniform(value);
  });
  // Values made again are new uses: of values that leave loops, for one.
  if (by_block) block = analyse(Granule::block);
  if (warp) warp = analyse(Granule::warp);
  plan.is_uniform = [of = by_block ? block : warp](const Instruction& value) {
    return of->is_uniform(value);
  };
  if (warp)
    plan.is_uniform_in_warp = [warp](const Instruction& value) { return warp->is_uniform(value); };
  return plan;
}

}  // namespace kasoku::embedded
