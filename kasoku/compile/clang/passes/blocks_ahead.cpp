#include "kasoku/compile/clang/passes/blocks_ahead.h"

#include "kasoku/compile/clang/passes/join_rows.h"
#include "kasoku/compile/clang/passes/live_values.h"
#include "kasoku/compile/clang/passes/prepare.h"
#include "kasoku/compile/clang/passes/regions.h"
#include "kasoku/compile/clang/passes/rematerialize.h"
#include "kasoku/compile/clang/passes/uniformity.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr unsigned longest_row = 4096;  // what they carry stays in the first cache

bool is_made_of(const Value* value, const std::vector<GlobalVariable*>& variables) {
  const auto* constant = dyn_cast<Constant>(value);
  if (!constant || isa<Function>(constant)) return false;
  if (is_contained(variables, constant)) return true;
  return !isa<GlobalValue>(constant) &&
         any_of(constant->operands(), [&](const Use& operand) { return is_made_of(operand, variables); });
}

class Regions {
 public:
  explicit Regions(Function& kernel, const std::vector<SyncPoint>& syncs) : kernel_(kernel), syncs_(syncs) {
    for (const SyncPoint& sync : syncs) number_[sync.block] = sync.number;
  }

  unsigned done() const { return syncs_.size() + 1; }

  SmallSetVector<const BasicBlock*, 16> text(unsigned number) const {
    SmallSetVector<const BasicBlock*, 16> blocks;
    blocks.insert(number ? syncs_[number - 1].block : &kernel_.getEntryBlock());
    for (size_t i = 0; i < blocks.size(); ++i)
      for (const BasicBlock* next : successors(blocks[i]))
        if (!number_.count(next)) blocks.insert(next);
    return blocks;
  }

  std::set<unsigned> next(unsigned number) const {
    std::set<unsigned> found;
    for (const BasicBlock* block : text(number)) {
      if (isa<ReturnInst>(block->getTerminator())) found.insert(done());
      for (const BasicBlock* to : successors(block))
        if (const auto at = number_.find(to); at != number_.end()) found.insert(at->second);
    }
    return found;
  }

  Sync sync(unsigned number) const { return syncs_[number - 1].sync; }

 private:
  Function& kernel_;
  const std::vector<SyncPoint>& syncs_;
  DenseMap<const BasicBlock*, unsigned> number_;
};

std::vector<SyncPoint> cuts_of(const RegionPlan& plan, const BlocksAhead& ahead) {
  std::vector<SyncPoint> cuts;
  for (const SyncPoint& sync : plan.syncs)
    if (ahead.regions.count(sync.number) || sync.number == ahead.behind) cuts.push_back(sync);
  return cuts;
}

}  // namespace

bool may_mix(const PreparedKernel& kernel, const SmallPtrSetImpl<const BasicBlock*>& text) {
  for (const Instruction& instruction : instructions(*kernel.function)) {
    if (isa<AllocaInst>(instruction)) return false;
    if (!text.empty() && !text.contains(instruction.getParent())) continue;
    if (isa<FenceInst>(instruction) || instruction.isVolatile()) return false;
    if (instruction.isAtomic() && !(isa<AtomicRMWInst>(instruction) && instruction.use_empty())) return false;
    const auto* call = dyn_cast<CallBase>(&instruction);
    if (call && !call->doesNotAccessMemory() && !isa<IntrinsicInst>(call) && sync_of(instruction) == Sync::none &&
        !is_arrival(instruction))
      return false;
    if (any_of(instruction.operands(), [&](const Use& of) { return is_made_of(of, kernel.shared); })) return false;
  }
  return true;
}

BlocksAhead find_blocks_ahead(const RegionPlan& plan, const PreparedKernel& kernel, const BlockShape& shape) {
  Function& function = *kernel.function;
  if (!shape.is_known() || shape.y * shape.z != 1 || shape.x >= longest_row) return {};
  const Regions regions(function, plan.syncs);
  const auto is_ahead = [&](unsigned number) {
    if (number && regions.sync(number) != Sync::loop) return false;
    for (const unsigned next : regions.next(number))
      if (next == regions.done() || !(regions.sync(next) == Sync::loop || is_block_barrier(regions.sync(next))))
        return false;
    const auto text = regions.text(number);
    return may_mix(kernel, SmallPtrSet<const BasicBlock*, 16>(text.begin(), text.end()));
  };
  BlocksAhead ahead;
  bool loops = false;
  SmallSetVector<unsigned, 8> open, behind;
  if (is_ahead(0)) open.insert(0);
  for (size_t i = 0; i < open.size(); ++i) {
    ahead.regions.insert(open[i]);
    for (const BasicBlock* block : regions.text(open[i])) ahead.text.insert(block);
    for (const unsigned next : regions.next(open[i])) {
      const bool is_one = is_ahead(next);
      (is_one ? open : behind).insert(next);
      loops |= is_one && next <= open[i];
    }
  }
  if (!loops || behind.size() != 1) return {};
  ahead.behind = behind[0];
  for (size_t i = 0; i < behind.size(); ++i) {
    if (ahead.regions.count(behind[i])) return {};
    for (const BasicBlock* block : regions.text(behind[i]))
      if (ahead.text.contains(block)) return {};
    for (const unsigned next : regions.next(behind[i]))
      if (next != regions.done()) behind.insert(next);
  }
  const std::vector<SyncPoint> cuts = cuts_of(plan, ahead);
  const Uniformity blocks(function, shape, Granule::blocks);
  if (!blocks.pass_together(cuts)) return {};
  rematerialize(function, cuts, [&](const Instruction& value, const BasicBlock& at) { return blocks.is_uniform_at(value, at); });
  return ahead;
}

void plan_blocks_ahead(RegionPlan& plan, const BlocksAhead& ahead, Function& kernel, const BlockShape& shape) {
  if (ahead.regions.empty() || !join_rows(kernel, /*along_y=*/false, shape.x, &ahead.text)) return;
  plan.ahead = ahead;
  plan.blocks_in_row = longest_row / shape.x;
}

void keep_blocks_apart(RegionPlan& plan, Function& kernel, const BlockShape& shape) {
  if (plan.ahead.regions.empty()) return;
  auto blocks = std::make_shared<const Uniformity>(kernel, shape, Granule::blocks);
  plan.is_uniform = [blocks, text = plan.ahead.text, of = plan.is_uniform](const Instruction& value) {
    return of(value) && (!text.contains(value.getParent()) || blocks->is_uniform(value));
  };
}

}  // namespace kasoku::embedded
