#include "kasoku/compile/clang/passes/plan.h"

#include "kasoku/compile/clang/passes/loop_barriers.h"
#include "kasoku/compile/clang/passes/pipeline.h"
#include "kasoku/compile/clang/passes/prepare.h"
#include "kasoku/compile/clang/passes/rematerialize.h"
#include "kasoku/compile/clang/passes/uniformity.h"
#include "kasoku/compile/clang/passes/volatile_shared.h"

#include "llvm/IR/Function.h"

#include <algorithm>
#include <memory>

namespace kasoku::embedded {

using namespace llvm;

namespace {

// A kernel of cooperative groups that meets the whole grid does it in one step
// of the block, which only the other two granules have.
bool allows(Granule granule, const std::vector<SyncPoint>& syncs) {
  return granule != Granule::warp || std::none_of(syncs.begin(), syncs.end(), [](const auto& at) {
           return at.sync == Sync::grid_barrier;
         });
}

}  // namespace

RegionPlan make_plan(const PreparedKernel& kernel, const BlockShape& shape, Pipeline& pipeline) {
  Function& function = *kernel.function;
  RegionPlan plan;
  if (!shape.is_single_thread()) add_warp_barriers_for_volatile(function);
  if (!shape.is_single_thread()) add_loop_barriers(function);
  plan.syncs = split_at_syncs(function);
  plan.is_uniform = [](const Instruction&) { return false; };
  if (plan.syncs.empty() || shape.is_single_thread()) return plan;

  plan.granule = Granule::thread;
  for (const Granule granule : {Granule::block, Granule::warp}) {
    if (granule == Granule::warp) drop_loop_barriers(plan.syncs);
    if (!allows(granule, plan.syncs)) continue;
    const Uniformity uniformity(function, shape, granule);
    if (!uniformity.meet_together(plan.syncs)) continue;
    plan.granule = granule;
    rematerialize(function, plan.syncs,
                  [&](const Instruction& value) { return uniformity.is_uniform(value); });
    break;
  }
  if (plan.granule == Granule::thread) {
    rematerialize(function, plan.syncs, plan.is_uniform);
    return plan;
  }
  // Values made again are new uses: of values that leave loops, for one.
  auto uniformity = std::make_shared<Uniformity>(function, shape, plan.granule);
  plan.is_uniform = [uniformity](const Instruction& value) {
    return uniformity->is_uniform(value);
  };
  return plan;
}

}  // namespace kasoku::embedded
