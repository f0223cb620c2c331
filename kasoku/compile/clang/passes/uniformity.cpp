#include "kasoku/compile/clang/passes/uniformity.h"

#include "kasoku/compile/clang/passes/aggregate_atomics.h"
#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/shared_variables.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

#include <set>

namespace kasoku::embedded {

using namespace llvm;

namespace {

// Memory that the kernel writes. What another block may write in between must not
// decide for a whole block: its threads could read different values.
class Writes {
 public:
  explicit Writes(const Function& kernel) {
    for (const Instruction& instruction : instructions(kernel)) {
      if (!instruction.mayWriteToMemory()) continue;
      if (const auto* store = dyn_cast<StoreInst>(&instruction)) add(store->getPointerOperand());
      else if (const auto* rmw = dyn_cast<AtomicRMWInst>(&instruction)) add(rmw->getPointerOperand());
      else if (const auto* cas = dyn_cast<AtomicCmpXchgInst>(&instruction))
        add(cas->getPointerOperand());
      else if (const auto* copy = dyn_cast<AnyMemIntrinsic>(&instruction)) add(copy->getRawDest());
      else if (sync_of(instruction) == Sync::aggregate) add(instruction.getOperand(1));
      else if (const auto* call = dyn_cast<CallBase>(&instruction); call && !is_known(*call))
        anything_ = true;
    }
  }

  bool may_change(const Value* pointer) const {
    SmallVector<const Value*, 4> objects;
    getUnderlyingObjects(pointer, objects);
    for (const Value* object : objects) {
      if (is_shared_variable(object)) continue;  // between two barriers a race, hence undefined
      if (anything_) return true;
      const bool is_known = isa<Argument>(object) || isa<GlobalVariable>(object);
      if (is_known ? objects_.contains(object) || unknown_ : unknown_ || !objects_.empty())
        return true;
    }
    return false;
  }

 private:
  static bool is_known(const CallBase& call) {
    if (is_arrival(call) || is_contribution(call) || sync_of(call) != Sync::none) return true;
    return isa<IntrinsicInst>(call);
  }
  void add(const Value* pointer) {
    SmallVector<const Value*, 4> objects;
    getUnderlyingObjects(pointer, objects);
    for (const Value* object : objects) {
      if (is_shared_variable(object) || isa<AllocaInst>(object)) continue;
      if (isa<Argument>(object) || isa<GlobalVariable>(object)) objects_.insert(object);
      else unknown_ = true;
    }
  }

  SmallPtrSet<const Value*, 8> objects_;
  bool unknown_ = false;
  bool anything_ = false;
};

// threadIdx.x, perhaps widened, perhaps with a multiple of 32 added that does not
// depend on it: its low five bits are the lane.
bool is_lane_based(const Value* value, const DataLayout& layout);

bool is_free_of_lanes(const Value* value, int depth = 0) {
  const auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction) return true;
  if (const Index index = index_of(*instruction); index != Index::none)
    return index != Index::tid_x;
  if (depth > 6 || !(isa<BinaryOperator>(instruction) || isa<CastInst>(instruction))) return false;
  for (const Use& operand : instruction->operands())
    if (!is_free_of_lanes(operand, depth + 1)) return false;
  return true;
}

bool is_lane_based(const Value* value, const DataLayout& layout) {
  const auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction) return false;
  if (index_of(*instruction) == Index::tid_x) return true;
  if (isa<ZExtInst>(instruction) || isa<SExtInst>(instruction))
    return is_lane_based(instruction->getOperand(0), layout);
  if (instruction->getOpcode() != Instruction::Add && instruction->getOpcode() != Instruction::Or)
    return false;
  for (int i : {0, 1}) {
    const Value* rest = instruction->getOperand(1 - i);
    if (is_lane_based(instruction->getOperand(i), layout) && is_free_of_lanes(rest) &&
        computeKnownBits(rest, layout).countMinTrailingZeros() >= 5)
      return true;
  }
  return false;
}

// tid / 32, tid < 64 and the like, where a row of the block holds whole warps.
bool is_same_in_warp(const Instruction& instruction) {
  using namespace PatternMatch;
  const DataLayout& layout = instruction.getModule()->getDataLayout();
  const APInt* constant = nullptr;
  Value* tid = nullptr;
  if (match(&instruction, m_LShr(m_Value(tid), m_APInt(constant))) ||
      match(&instruction, m_AShr(m_Value(tid), m_APInt(constant))))
    return constant->uge(5) && is_lane_based(tid, layout);
  if (match(&instruction, m_UDiv(m_Value(tid), m_APInt(constant))) ||
      match(&instruction, m_And(m_Value(tid), m_APInt(constant))))
    return constant->countr_zero() >= 5 && is_lane_based(tid, layout);
  const auto* compare = dyn_cast<ICmpInst>(&instruction);
  if (!compare || !match(compare->getOperand(1), m_APInt(constant))) return false;
  switch (compare->getPredicate()) {
    case ICmpInst::ICMP_ULT: case ICmpInst::ICMP_UGE:
    case ICmpInst::ICMP_SLT: case ICmpInst::ICMP_SGE:
      return constant->countr_zero() >= 5 && is_lane_based(compare->getOperand(0), layout);
    case ICmpInst::ICMP_UGT: case ICmpInst::ICMP_ULE:
    case ICmpInst::ICMP_SGT: case ICmpInst::ICMP_SLE:
      return constant->countr_one() >= 5 && is_lane_based(compare->getOperand(0), layout);
    default: return false;
  }
}

// What differs between threads to begin with, and what never does.
class Sources {
 public:
  Sources(const Function& kernel, const BlockShape& shape, Granule granule) : shape_(shape), granule_(granule), writes_(kernel) {}

  bool is_always_uniform(const Instruction& instruction) const {
    return granule_ == Granule::warp && shape_.rows_hold_whole_warps() && is_same_in_warp(instruction);
  }

  bool differs(const Instruction& instruction) const {
    if (const Index index = index_of(instruction); index != Index::none) return differs(index);
    if (const Sync sync = sync_of(instruction); sync != Sync::none) return differs(sync, cast<CallInst>(instruction));
    if (const auto* load = dyn_cast<LoadInst>(&instruction))
      return !load->isSimple() || writes_.may_change(load->getPointerOperand());
    if (isa<AllocaInst>(instruction) || isa<AtomicRMWInst>(instruction) || isa<AtomicCmpXchgInst>(instruction))
      return true;
    if (const auto* call = dyn_cast<CallBase>(&instruction))
      return !call->doesNotAccessMemory() && !isa<DbgInfoIntrinsic>(call) && !call->getType()->isVoidTy();
    return false;
  }

 private:
  bool differs(Index index) const {
    if (index >= Index::bid_x && index <= Index::bid_z) return granule_ == Granule::blocks;
    if (index > Index::tid_z) return false;
    const bool is_row = index != Index::tid_x;
    return !(is_row && granule_ == Granule::warp && shape_.rows_hold_whole_warps());
  }

  // Whether a sync gives threads different results. The value that a thread brings is no operand any more, see
  // split_at_syncs.
  bool differs(Sync sync, const CallInst& call) const {
    if (call.getType()->isVoidTy() || is_voting_barrier(sync)) return false;
    if (sync == Sync::aggregate)
      return granule_ != Granule::warp && !cast<ConstantInt>(call.getArgOperand(2))->isOne();
    if (granule_ == Granule::block) return true;
    if (sync == Sync::ballot || sync == Sync::activemask || sync == Sync::match_all || is_reduction(sync)) return false;
    if (sync != Sync::shfl_idx) return true;
    const auto* width = dyn_cast<ConstantInt>(call.getArgOperand(3));
    return !width || width->getZExtValue() != 32;
  }

  BlockShape shape_;
  Granule granule_;
  Writes writes_;
};

}  // namespace

// LLVM's own analysis (19.1.7) ends its search for joins too early where one side of a branch is a
// longer chain of blocks than the other, and calls what differs there uniform.
struct Uniformity::Impl {
  Function& kernel;
  const Sources sources;
  PostDominatorTree joins;
  CycleInfo cycles;
  DenseMap<const BasicBlock*, unsigned> order;  // reverse post-order
  std::vector<const BasicBlock*> blocks;        // by it
  DenseSet<const Instruction*> divergent;
  SmallPtrSet<const BasicBlock*, 16> parting;   // whose threads go on to different blocks
  SmallPtrSet<const Cycle*, 8> left_apart;      // which threads leave at different times or places
  SmallVector<const Instruction*> pending;

  Impl(Function& kernel, const BlockShape& shape, Granule granule) : kernel(kernel), sources(kernel, shape, granule), joins(kernel) {
    cycles.compute(kernel);
    for (const BasicBlock* block : ReversePostOrderTraversal<const Function*>(&kernel)) {
      order[block] = blocks.size();
      blocks.push_back(block);
    }
    for (const Instruction& instruction : instructions(kernel))
      if (sources.differs(instruction)) mark(instruction);
    while (!pending.empty()) {
      const Instruction& next = *pending.pop_back_val();
      if (next.isTerminator()) part_at(*next.getParent());
      for (const User* user : next.users()) mark(*cast<Instruction>(user));
    }
  }

  void mark(const Instruction& instruction) {
    if (!sources.is_always_uniform(instruction) && divergent.insert(&instruction).second) pending.push_back(&instruction);
  }

  const BasicBlock* join_of(const BasicBlock& block) const {
    const auto* node = joins.getNode(&block);
    return node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
  }

  // Threads part after `from`. Every block is labelled with where its threads were last together,
  // from there to where all of them join; where two labels come together, so do threads that were
  // apart (J. Rosemann, S. Moll, S. Hack, An abstract interpretation for SPMD divergence on
  // reducible control flow graphs, POPL 2021).
  void part_at(const BasicBlock& from) {
    if (!order.contains(&from) || !parting.insert(&from).second) return;
    DenseMap<const BasicBlock*, const BasicBlock*> labels;
    std::set<unsigned> fresh;
    SmallSetVector<const BasicBlock*, 8> met, exits;
    const auto push = [&](const BasicBlock& to, const BasicBlock& label) {
      const BasicBlock*& at = labels[&to];
      if (at == &label) return false;
      const bool is_join = at != nullptr;
      if (at != &to) fresh.insert(order.at(&to));
      at = is_join ? &to : &label;
      return is_join;
    };
    const Cycle* around = cycles.getCycle(&from);
    for (const BasicBlock* next : successors(&from)) {
      if (around && !around->contains(next)) exits.insert(next);
      push(*next, *next);
    }
    const BasicBlock* join = join_of(from);
    while (!fresh.empty()) {
      const BasicBlock* block = blocks[*fresh.begin()];
      fresh.erase(fresh.begin());
      if (block == &from || block == join) continue;
      const BasicBlock& label = *labels.at(block);
      // Who comes back to the header of a loop with the branch in it goes on with the next pass; where
      // others left the loop, he will be late.
      const Cycle* cycle = cycles.getCycle(block);
      if (cycle && cycle->isReducible() && cycle->getHeader() == block && cycle->contains(&from)) {
        SmallVector<BasicBlock*> ends;
        cycle->getExitBlocks(ends);
        for (const BasicBlock* end : ends)
          if (push(*end, label)) exits.insert(end);
      } else {
        for (const BasicBlock* next : successors(block))
          if (push(*next, label)) met.insert(next);
      }
    }
    for (const BasicBlock* block : met) {
      mark_phis(*block);
      // In a loop with several entries nobody knows which pass a thread is in.
      for (const Cycle* cycle = cycles.getCycle(block); cycle; cycle = cycle->getParentCycle())
        if (!cycle->isReducible())
          for (const BasicBlock* inside : cycle->blocks())
            for (const Instruction& instruction : *inside) mark(instruction);
    }
    for (const BasicBlock* end : exits) {
      mark_phis(*end);
      for (const Cycle* cycle = around; cycle && !cycle->contains(end); cycle = cycle->getParentCycle()) leave_apart(*cycle);
    }
  }

  void mark_phis(const BasicBlock& block) {
    for (const PHINode& phi : block.phis())
      if (!phi.hasConstantValue()) mark(phi);
  }

  // What is uniform in each pass differs between threads that left in different ones.
  void leave_apart(const Cycle& cycle) {
    if (!left_apart.insert(&cycle).second) return;
    for (const BasicBlock* block : cycle.blocks())
      for (const Instruction& instruction : *block)
        for (const User* user : instruction.users())
          if (!cycle.contains(cast<Instruction>(user)->getParent())) mark(*cast<Instruction>(user));
  }
};

Uniformity::Uniformity(Function& kernel, const BlockShape& shape, Granule granule)
    : impl_(std::make_unique<Impl>(kernel, shape, granule)) {}
Uniformity::~Uniformity() = default;
Uniformity::Uniformity(Uniformity&&) = default;

bool Uniformity::is_uniform(const Instruction& value) const {
  return all_of(value.users(), [&](const User* user) { return is_uniform_at(value, *cast<Instruction>(user)->getParent()); }) &&
         !impl_->divergent.contains(&value);
}

bool Uniformity::is_uniform_at(const Instruction& value, const BasicBlock& at) const {
  if (impl_->divergent.contains(&value)) return false;
  for (const Cycle* cycle = impl_->cycles.getCycle(value.getParent()); cycle && !cycle->contains(&at); cycle = cycle->getParentCycle())
    if (impl_->left_apart.contains(cycle)) return false;
  return true;
}

bool Uniformity::parts_at(const BasicBlock& block) const { return impl_->parting.contains(&block); }

bool Uniformity::meet_together(const std::vector<SyncPoint>& syncs, bool (*is)(Sync)) const {
  SmallPtrSet<const BasicBlock*, 16> meetings;
  for (const SyncPoint& sync : syncs)
    if (is(sync.sync)) meetings.insert(sync.block);
  return reach_together(meetings);
}

bool Uniformity::pass_together(const std::vector<SyncPoint>& syncs) const {
  SmallPtrSet<const BasicBlock*, 16> cuts;
  for (const SyncPoint& sync : syncs) cuts.insert(sync.block);
  return reach_together(cuts);
}

SmallPtrSet<const BasicBlock*, 16> Uniformity::apart() const {
  SmallPtrSet<const BasicBlock*, 16> apart;
  for (const BasicBlock* from : impl_->parting) {
    // These are all blocks between the branch and where its ways join.
    const BasicBlock* join = impl_->join_of(*from);
    SmallSetVector<const BasicBlock*, 32> between;
    const auto go = [&](const BasicBlock& block) {
      for (const BasicBlock* next : successors(&block))
        if (next != join) between.insert(next);
    };
    go(*from);
    for (size_t i = 0; i < between.size(); ++i) go(*between[i]);
    apart.insert(between.begin(), between.end());
  }
  return apart;
}

bool Uniformity::reach_together(const SmallPtrSetImpl<const BasicBlock*>& meetings) const {
  if (meetings.empty()) return true;
  const auto separated = apart();
  return none_of(meetings, [&](const BasicBlock* block) { return separated.contains(block); });
}

}  // namespace kasoku::embedded
