#include "kasoku/compile/clang/passes/plan.h"

#include "kasoku/compile/clang/passes/aggregate_atomics.h"
#include "kasoku/compile/clang/passes/vector_axis.h"
#include "kasoku/compile/clang/passes/first_lane_stores.h"
#include "kasoku/compile/clang/passes/join_rows.h"
#include "kasoku/compile/clang/passes/kernel_body.h"
#include "kasoku/compile/clang/passes/split_leaders.h"
#include "kasoku/compile/clang/passes/live_values.h"
#include "kasoku/compile/clang/passes/converge_loops.h"
#include "kasoku/compile/clang/passes/predication.h"
#include "kasoku/compile/clang/passes/passes.h"
#include "kasoku/compile/clang/passes/pipeline.h"
#include "kasoku/compile/clang/passes/prepare.h"
#include "kasoku/compile/clang/passes/rematerialize.h"
#include "kasoku/compile/clang/passes/uniformity.h"
#include "kasoku/compile/clang/passes/volatile_barriers.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

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
bool meets_in_parts(Sync sync) { return is_of_part(sync); }
bool gives_way(Sync sync) { return sync == Sync::turn; }

using KnownUniformity = std::shared_ptr<const Uniformity>;

Granule granule_of(const Uniformity& block, const Uniformity* warp,
                   const std::vector<SyncPoint>& syncs, const Passes& passes) {
  if (has_any(syncs, meets_in_parts)) return Granule::thread;  // only the runtime counts who comes
  if (!warp) return passes.runs(PassId::scope_block) && block.meet_together(syncs, is_block_barrier) ? Granule::block : Granule::thread;
  if (!warp->meet_together(syncs, is_warp_operation) || !warp->meet_together(syncs, gives_way)) return Granule::thread;
  if (passes.runs(PassId::scope_warp) && !has_any(syncs, gives_way) && block.meet_together(syncs, is_block_barrier)) return Granule::warp;
  // A kernel of cooperative groups that meets the whole grid does it in one step of the block.
  if (!passes.runs(PassId::scope_turn) || has_any(syncs, meets_grid) || !warp->meet_together(syncs, is_block_barrier))
    return Granule::thread;
  return Granule::turn;
}

bool blocks_may_mix(const PreparedKernel& kernel, const std::vector<SyncPoint>& syncs) {
  return kernel.shared.empty() && may_mix(kernel, SmallPtrSet<const BasicBlock*, 1>()) &&
         all_of(syncs, [](const SyncPoint& at) { return at.sync == Sync::loop; });
}

// Indices of threads do not pass 2^31, where rows end anyway.
constexpr unsigned longest_joined = 1u << 30;

// A pass of a grid-stride loop over one block touches a kilobyte here and there; over
// all blocks of a worker it touches memory in order. For that, blocks must go through
// the loops alike and carry nothing of their own from one pass to the next.
bool plan_blocks(RegionPlan& plan, const PreparedKernel& kernel, const BlockShape& shape) {
  Function& function = *kernel.function;
  if (!plan.passes->runs(PassId::scope_blocks) || !blocks_may_mix(kernel, plan.syncs)) return false;
  {
    const Uniformity uniformity(function, shape, Granule::blocks);
    if (!uniformity.pass_together(plan.syncs)) return false;
    if (plan.passes->runs(PassId::rematerialize))
      rematerialize(function, plan.syncs, [&](const Instruction& value, const BasicBlock& at) { return uniformity.is_uniform_at(value, at); });
  }
  auto uniformity = std::make_shared<Uniformity>(function, shape, Granule::blocks);
  const LiveValues live(function);
  for (const SyncPoint& sync : plan.syncs)
    for (const Instruction* value : live.at(*sync.block))
      if (!uniformity->is_uniform(*value)) return false;
  plan.granule = Granule::blocks;
  if (shape.is_known()) {
    const unsigned row = plan.y_is_fast ? shape.y : shape.x;
    plan.joins_rows = plan.passes->runs(PassId::join_rows) && join_rows(function, plan.y_is_fast, row);
    if (plan.joins_rows) {  // which makes values anew
      plan.blocks_in_row = longest_joined / row;
      uniformity = std::make_shared<Uniformity>(function, shape, Granule::blocks);
    }
  }
  plan.is_uniform = [uniformity](const Instruction& value) {
    return uniformity->is_uniform(value);
  };
  return true;
}

// Blocks of 16 x 16 or 32 x 8 threads read 64 or 128 bytes here and there; the same rows
// of neighbouring blocks lie side by side, and are one row if the kernel cannot tell.
void plan_rows(RegionPlan& plan, const PreparedKernel& kernel, const BlockShape& shape) {
  constexpr unsigned elements = 1024, joined_elements = 4096, longest_row = 128,
                     most_instructions = 120;
  if (!plan.passes->runs(PassId::join_rows) || !shape.is_known()) return;
  Function& function = *kernel.function;
  const unsigned row = plan.y_is_fast ? shape.y : shape.x;
  if (row < 8 || function.getInstructionCount() > most_instructions || !blocks_may_mix(kernel, {}))
    return;
  const DominatorTree dominators(function);
  if (!LoopInfo(dominators).empty()) return;
  plan.joins_rows = row < joined_elements && join_rows(function, plan.y_is_fast, row);
  if (plan.joins_rows) plan.blocks_in_row = joined_elements / row;
  else if (row != shape.threads() && row <= longest_row) plan.blocks_in_row = elements / row;
}

bool aggregates(Sync sync) { return sync == Sync::aggregate; }

// The number of blocks that take turns: enough for a large sum, if what they keep meanwhile stays in the cache.
unsigned blocks_in_turn(const PreparedKernel& kernel, const BlockShape& shape, const std::vector<SyncPoint>& syncs) {
  constexpr uint64_t threads = 4096, most_memory = 128 << 10, most_blocks = 64;
  uint64_t memory = 1;  // of a block
  const DataLayout& layout = kernel.function->getParent()->getDataLayout();
  for (const Instruction& at : instructions(*kernel.function))
    if (const auto* array = dyn_cast<AllocaInst>(&at))
      memory += array->getAllocationSize(layout).value_or(TypeSize::getFixed(0)) * shape.threads();
  const LiveValues live(*kernel.function);
  for (const SyncPoint& sync : syncs)
    if (aggregates(sync.sync))
      for (const Instruction* value : live.at(*sync.block)) memory += layout.getTypeAllocSize(value->getType()) * shape.threads();
  for (const GlobalVariable* variable : kernel.shared) {
    if (!variable->hasInitializer()) return 1;  // of a size that only the launch knows
    memory += layout.getTypeAllocSize(variable->getValueType());
  }
  return std::clamp<uint64_t>(std::min(threads / shape.threads(), most_memory / memory), 1, most_blocks);
}

// Where threads meet, LLVM takes a value for the same in all that is undefined in some of them. Of such
// a value the last thread's is kept, which must not be the undefined one.
void define_all(Function& function) {
  for (Instruction& at : instructions(function))
    if (auto* phi = dyn_cast<PHINode>(&at))
      for (Use& value : phi->incoming_values())
        if (isa<UndefValue>(value)) value.set(Constant::getNullValue(phi->getType()));
}

// The plan of one kernel, step by step; each step may change the kernel.
class Planner {
 public:
  Planner(const PreparedKernel& kernel, const BlockShape& shape, Passes& passes)
      : kernel_(kernel), shape_(shape), function_(*kernel.function), passes_(passes) {
    plan_.passes = &passes;
  }

  RegionPlan plan() {
    define_all(function_);
    if (passes_.runs(PassId::grid_stride)) plan_.grid_stride = find_grid_stride(function_, shape_);
    ran(PassId::grid_stride);
    plan_.waits_in_memory = waits_in_memory(function_);
    if (!shape_.is_single_thread()) add_barriers();
    split();
    if (plan_.syncs.empty() && !shape_.is_single_thread()) plan_rows(plan_, kernel_, shape_);
    if (plan_.syncs.empty() || shape_.is_single_thread() || plan_blocks(plan_, kernel_, shape_)) return std::move(plan_);
    choose_granule();
    if (plan_.granule == Granule::thread) {
      make_values_again([](const Instruction&, const BasicBlock&) { return false; });
      return std::move(plan_);
    }
    share_uniform_values();
    keep_blocks_apart(plan_, function_, shape_);
    return std::move(plan_);
  }

 private:
  void ran(PassId pass) { passes_.ran(pass, *function_.getParent()); }

  KnownUniformity analyse(Granule granule) const {
    return std::make_shared<const Uniformity>(function_, shape_, granule);
  }

  // Where threads that went apart, or wait for each other in memory, meet again.
  void add_barriers() {
    let_waiting_loops_turn(function_);
    ran(PassId::yield_in_waits);
    add_warp_barriers_for_volatile(function_);
    ran(PassId::volatile_barriers);
    if (passes_.runs(PassId::converge_loops)) add_loop_barriers(function_, nullptr);
    ran(PassId::converge_loops);
    if (!shape_.rows_hold_whole_warps() || !exchanges(function_)) return;
    if (passes_.runs(PassId::converge_warp_loops)) add_loop_barriers(function_, &shape_);
    ran(PassId::converge_warp_loops);
    if (passes_.runs(PassId::split_leaders)) cut_before_leaders(function_, shape_);
    ran(PassId::split_leaders);
  }

  void split() {
    // Warps and votes have lanes along x.
    const bool may_turn = none_of(instructions(function_), [](const Instruction& instruction) {
      const Sync sync = sync_of(instruction);
      return sync != Sync::none && sync != Sync::loop && sync != Sync::barrier;
    });
    plan_.y_is_fast = may_turn && passes_.runs(PassId::vector_axis) && y_is_fast(function_, shape_);
    plan_.syncs = split_at_syncs(function_);
    ran(PassId::split_at_syncs);
    if (has_any(plan_.syncs, aggregates)) plan_.blocks_in_turn = 1;
    plan_.is_uniform = plan_.is_uniform_in_warp = [](const Instruction&) { return false; };
    has_warps_ = has_any(plan_.syncs, is_warp_operation);
    if (has_warps_) plan_.granule = Granule::warp;
  }

  void choose_granule() {
    block_ = analyse(Granule::block);
    // Only a block that does not stay together asks for warps without warp operations.
    if (has_warps_ || !block_->meet_together(plan_.syncs, is_block_barrier)) warp_ = analyse(Granule::warp);
    plan_.granule = granule_of(*block_, warp_.get(), plan_.syncs, passes_);
    plan_.y_is_fast &= plan_.granule == Granule::block;
    if (plan_.granule > Granule::warp) {
      drop_loop_barriers(plan_.syncs, Sync::lane_loop);
      if (!has_any(plan_.syncs, meets_in_parts) && passes_.runs(PassId::predication) && mask_divergence(function_, plan_.syncs, shape_)) {
        ran(PassId::predication);
        block_ = analyse(Granule::block);
        warp_ = has_warps_ ? analyse(Granule::warp) : nullptr;
        plan_.granule = granule_of(*block_, warp_.get(), plan_.syncs, passes_);
      }
    }
    // The runtime lets all warps get on by itself.
    if (plan_.granule == Granule::thread) drop_loop_barriers(plan_.syncs, Sync::turn);
    if (plan_.granule > Granule::warp) drop_loop_barriers(plan_.syncs, Sync::loop);
  }

  template <class IsUniformAt>
  void make_values_again(const IsUniformAt& is_uniform_at) {
    if (passes_.runs(PassId::rematerialize)) rematerialize(function_, plan_.syncs, is_uniform_at);
    ran(PassId::rematerialize);
  }

  // What threads of a block, or of a warp, have in common is kept once for them.
  void share_uniform_values() {
    const bool by_block = plan_.granule <= Granule::warp;
    if (!by_block) warp_ = analyse(Granule::warp);
    BlocksAhead ahead;
    if (by_block && !plan_.blocks_in_turn && passes_.runs(PassId::blocks_ahead)) ahead = find_blocks_ahead(plan_, kernel_, shape_);
    // Values that a warp has in common are kept once as well, mostly in a register.
    make_values_again([&](const Instruction& value, const BasicBlock& at) { return (warp_ ? warp_ : block_)->is_uniform_at(value, at); });
    plan_blocks_ahead(plan_, ahead, function_, shape_);
    // Values made again are new uses: of values that leave loops, for one.
    if (by_block) block_ = analyse(Granule::block);
    if (warp_) warp_ = analyse(Granule::warp);
    plan_.is_uniform = [of = by_block ? block_ : warp_](const Instruction& value) { return of->is_uniform(value); };
    if (warp_) plan_.is_uniform_in_warp = [of = warp_](const Instruction& value) { return of->is_uniform(value); };
  }

  const PreparedKernel& kernel_;
  const BlockShape& shape_;
  Function& function_;
  Passes& passes_;
  RegionPlan plan_;
  KnownUniformity block_, warp_;
  bool has_warps_ = false;
};

// Threads that come to a counter apart are left as they are, one counter after another.
std::optional<RegionPlan> plan_with_aggregates(const PreparedKernel& kernel, const BlockShape& shape, Pipeline& pipeline) {
  if (!pipeline.passes().runs(PassId::aggregate_atomics)) return std::nullopt;
  Function& function = *kernel.function;
  for (bool some = mark_aggregates(function, shape); some;) {
    ValueToValueMapTy map;
    Function* before = CloneFunction(&function, map);
    add_loop_barriers(function, nullptr);
    pipeline.clean(function);
    const std::optional<unsigned> failed = aggregate_atomics(function, shape);
    if (!failed) {
      pipeline.clean(function);
      pipeline.passes().ran(PassId::aggregate_atomics, *function.getParent());
      RegionPlan plan = Planner(kernel, shape, pipeline.passes()).plan();
      if (plan.granule == Granule::block || plan.granule == Granule::warp) {
        plan.blocks_in_turn = blocks_in_turn(kernel, shape, plan.syncs);
        before->eraseFromParent();
        return plan;
      }
    }
    take_body(function, *before);
    some = unmark_aggregate(function, failed);
  }
  return std::nullopt;
}

}  // namespace

RegionPlan make_plan(const PreparedKernel& kernel, const BlockShape& shape, Pipeline& pipeline) {
  Passes& passes = pipeline.passes();
  if (passes.runs(PassId::first_lane_stores)) keep_first_lane_stores(*kernel.function, shape);
  passes.ran(PassId::first_lane_stores, *kernel.function->getParent());
  if (auto plan = plan_with_aggregates(kernel, shape, pipeline)) return *std::move(plan);
  return Planner(kernel, shape, passes).plan();
}

}  // namespace kasoku::embedded
