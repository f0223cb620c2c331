#include "kasoku/compile/clang/passes/uniformity.h"

#include "kasoku/compile/clang/passes/aggregate_atomics.h"
#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/shared_variables.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TargetTransformInfoImpl.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/PatternMatch.h"

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

// What LLVM asks of a GPU's target, answered for threads that are loop iterations.
class Threads : public TargetTransformInfoImplCRTPBase<Threads> {
  using Base = TargetTransformInfoImplCRTPBase<Threads>;

 public:
  Threads(const DataLayout& layout, const BlockShape& shape, Granule granule,
          std::shared_ptr<const Writes> writes)
      : Base(layout), shape_(shape), granule_(granule), writes_(std::move(writes)) {}

  bool hasBranchDivergence(const Function* = nullptr) const { return true; }

  bool isAlwaysUniform(const Value* value) const {
    const auto* instruction = dyn_cast<Instruction>(value);
    return instruction && granule_ == Granule::warp && shape_.rows_hold_whole_warps() &&
           is_same_in_warp(*instruction);
  }

  bool isSourceOfDivergence(const Value* value) const {
    const auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction) return false;
    if (const Index index = index_of(*instruction); index != Index::none) return differs(index);
    if (const Sync sync = sync_of(*instruction); sync != Sync::none)
      return differs(sync, cast<CallInst>(*instruction));
    if (const auto* load = dyn_cast<LoadInst>(instruction))
      return !load->isSimple() || writes_->may_change(load->getPointerOperand());
    if (isa<AllocaInst>(instruction) || isa<AtomicRMWInst>(instruction) ||
        isa<AtomicCmpXchgInst>(instruction))
      return true;
    if (const auto* call = dyn_cast<CallBase>(instruction))
      return !call->doesNotAccessMemory() && !isa<DbgInfoIntrinsic>(call) &&
             !call->getType()->isVoidTy();
    return false;
  }

 private:
  bool differs(Index index) const {
    if (index >= Index::bid_x && index <= Index::bid_z) return granule_ == Granule::blocks;
    if (index > Index::tid_z) return false;
    const bool is_row = index != Index::tid_x;
    return !(is_row && granule_ == Granule::warp && shape_.rows_hold_whole_warps());
  }

  // The value that a thread brings is no operand any more, see split_at_syncs.
  bool differs(Sync sync, const CallInst& call) const {
    if (call.getType()->isVoidTy() || is_voting_barrier(sync)) return false;
    if (sync == Sync::aggregate)
      return granule_ != Granule::warp && !cast<ConstantInt>(call.getArgOperand(2))->isOne();
    if (granule_ == Granule::block) return true;
    if (sync == Sync::ballot || sync == Sync::activemask || sync == Sync::match_all) return false;
    if (sync != Sync::shfl_idx) return true;
    const auto* width = dyn_cast<ConstantInt>(call.getArgOperand(3));
    return !width || width->getZExtValue() != 32;
  }

  BlockShape shape_;
  Granule granule_;
  std::shared_ptr<const Writes> writes_;
};

}  // namespace

struct Uniformity::Impl {
  Function& kernel;
  FunctionAnalysisManager analyses;
  UniformityInfo* info = nullptr;

  Impl(Function& kernel, const BlockShape& shape, Granule granule) : kernel(kernel) {
    const DataLayout& layout = kernel.getParent()->getDataLayout();
    auto writes = std::make_shared<Writes>(kernel);
    analyses.registerPass([] { return PassInstrumentationAnalysis(); });
    analyses.registerPass([] { return DominatorTreeAnalysis(); });
    analyses.registerPass([] { return CycleAnalysis(); });
    analyses.registerPass([] { return UniformityInfoAnalysis(); });
    analyses.registerPass([=, &layout] {
      return TargetIRAnalysis([=, &layout](const Function&) {
        return TargetTransformInfo(Threads(layout, shape, granule, writes));
      });
    });
    info = &analyses.getResult<UniformityInfoAnalysis>(kernel);
  }
};

Uniformity::Uniformity(Function& kernel, const BlockShape& shape, Granule granule)
    : impl_(std::make_unique<Impl>(kernel, shape, granule)) {}
Uniformity::~Uniformity() = default;
Uniformity::Uniformity(Uniformity&&) = default;

bool Uniformity::is_uniform(const Instruction& value) const {
  if (impl_->info->isDivergent(&value)) return false;
  for (const Use& use : value.uses())
    if (impl_->info->isDivergentUse(use)) return false;
  return true;
}

bool Uniformity::parts_at(const BasicBlock& block) const {
  return impl_->info->hasDivergentTerminator(block);
}

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

SmallPtrSet<const BasicBlock*, 16> Uniformity::apart(const PostDominatorTree& joins) const {
  SmallPtrSet<const BasicBlock*, 16> apart;
  for (BasicBlock& from : impl_->kernel) {
    if (!parts_at(from)) continue;
    const auto* node = joins.getNode(&from);
    const BasicBlock* join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    SmallVector<const BasicBlock*> ways{&from};
    while (!ways.empty())
      for (const BasicBlock* next : successors(ways.pop_back_val()))
        if (next != join && apart.insert(next).second) ways.push_back(next);
  }
  return apart;
}

bool Uniformity::reach_together(const SmallPtrSetImpl<const BasicBlock*>& meetings) const {
  if (meetings.empty()) return true;
  PostDominatorTree joins(impl_->kernel);
  for (BasicBlock& block : impl_->kernel) {
    if (!impl_->info->hasDivergentTerminator(block)) continue;
    const auto* node = joins.getNode(&block);
    const BasicBlock* join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    // Everything from the branch to where its ways join again.
    SmallSetVector<const BasicBlock*, 32> between;
    for (const BasicBlock* next : successors(&block))
      if (next != join) between.insert(next);
    for (size_t i = 0; i < between.size(); ++i) {
      if (meetings.contains(between[i])) return false;
      for (const BasicBlock* next : successors(between[i]))
        if (next != join) between.insert(next);
    }
  }
  return true;
}

}  // namespace kasoku::embedded
