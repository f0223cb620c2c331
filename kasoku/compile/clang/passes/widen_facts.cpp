#include "kasoku/compile/clang/passes/widen_facts.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

bool vanishes(const Instruction& instruction) {
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return intrinsic && intrinsic->isAssumeLikeIntrinsic();
}

// The number of a row that a thread is in, where the loop goes over many rows.
bool is_row(const Instruction& instruction) {
  return instruction.getOpcode() == Instruction::LShr && isa<ConstantInt>(instruction.getOperand(1)) &&
         isa<PHINode>(instruction.getOperand(0)) &&
         cast<PHINode>(instruction.getOperand(0))->getParent() == instruction.getParent();
}

bool can_call(const CallInst& call) {
  const Function* callee = call.getCalledFunction();
  if (!callee || call.getType()->isVoidTy() || call.hasOperandBundles()) return false;
  if (!call.doesNotAccessMemory() || !call.willReturn() || call.isConvergent()) return false;
  for (const Use& argument : call.args())
    if (!argument->getType()->isIntegerTy() && !argument->getType()->isFloatingPointTy())
      return false;
  return true;
}

}  // namespace

WidenFacts::WidenFacts(Loop& loop, const LoopInfo& loops, ScalarEvolution& evolution,
                       uint64_t lanes)
    : loop_(loop), loops_(loops) {
  for (PHINode& phi : loop.getHeader()->phis()) {
    const auto* sum = evolution.isSCEVable(phi.getType())
                          ? dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(&phi))
                          : nullptr;
    const auto* step = sum && sum->getLoop() == &loop && sum->isAffine()
                           ? dyn_cast<SCEVConstant>(sum->getStepRecurrence(evolution))
                           : nullptr;
    if (!step || !phi.getType()->isIntegerTy()) return;
    counters_[&phi] = step->getAPInt().getSExtValue();
    const auto* start = dyn_cast<SCEVConstant>(sum->getStart());
    if (!start || !start->isZero() || !step->isOne()) lanes = 0;
  }
  for (BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block) has_rows_ |= is_row(instruction);
  has_rows_ &= lanes != 0;
  strides_.emplace(counters_, loops,
                   [&](const Instruction& instruction) { return loop.contains(&instruction); },
                   lanes);
  find_triangles();
}

// Each that is found may make another branch one that parts threads.
void WidenFacts::find_triangles() {
  bool changed = true;
  while (changed) {
    changed = false;
    for (BasicBlock* block : loop_.blocks()) {
      const auto* branch = dyn_cast<BranchInst>(block->getTerminator());
      if (!branch || !branch->isConditional() || block == loop_.getLoopLatch() || triangles_.count(block) ||
          !varies(branch->getCondition()))
        continue;
      for (const unsigned side : {0u, 1u}) {
        BasicBlock *body = branch->getSuccessor(side), *join = branch->getSuccessor(1 - side);
        if (body == join || body->getSinglePredecessor() != block || body->getSingleSuccessor() != join ||
            loops_.getLoopFor(body) != loops_.getLoopFor(block) || loops_.getLoopFor(join) != loops_.getLoopFor(block) ||
            loops_.isLoopHeader(join))
          continue;
        triangles_[block] = {body, join};
        bodies_.insert(body);
        for (PHINode& phi : join->phis()) strides_->let_vary(phi);
        changed = true;
        break;
      }
    }
  }
}

// Whether an instruction may run for threads that do not take part: it must not fault or be seen by others.
bool WidenFacts::can_mask(const Instruction& instruction) const {
  if (instruction.mayWriteToMemory()) return false;
  if (!varies(&instruction)) return true;
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) {
    const uint64_t bits = load->getType()->getScalarSizeInBits();
    return load->getType()->isPointerTy() || bits == 32 || bits == 64;
  }
  return !instruction.isIntDivRem() || isa<ConstantInt>(instruction.getOperand(1));
}

bool WidenFacts::can_access(Value* address, Type* type, bool is_store, bool is_inner) {
  if (type->isVectorTy()) return false;  // LLVM stores a ballot as 32 bits
  const auto& layout = loop_.getHeader()->getModule()->getDataLayout();
  const uint64_t bytes = layout.getTypeStoreSize(type);
  if (bytes * 8 != layout.getTypeSizeInBits(type) || bytes > 8) return false;
  widest_bytes_ = std::max(widest_bytes_, bytes);
  const auto grows = strides_->of(address);
  if (grows && (*grows == 0 || *grows == static_cast<int64_t>(bytes)) && strides_->may_wrap(address))
    return true;
  if (is_inner) gathers_ = true;
  return !(is_inner && is_store);  // its inner loop had better be vectors
}

bool WidenFacts::can_widen(Instruction& instruction, bool is_inner) {
  if (vanishes(instruction)) return true;
  if (bodies_.contains(instruction.getParent()) && !can_mask(instruction)) return false;
  if (instruction.isTerminator()) {
    const auto* branch = dyn_cast<BranchInst>(&instruction);
    if (branch) return branch->isUnconditional() || !varies(branch->getCondition()) ||
                       branch->getParent() == loop_.getLoopLatch() || triangle_at(branch->getParent());
    return isa<SwitchInst>(instruction) && !varies(instruction.getOperand(0));
  }
  if (instruction.isAtomic() || instruction.isVolatile()) return false;
  const auto* call = dyn_cast<CallInst>(&instruction);
  if (call && !can_call(*call)) return false;
  if (instruction.mayReadOrWriteMemory() && !call &&
      !instruction.hasMetadata(LLVMContext::MD_access_group))
    return false;  // a thread's own array
  if (auto* store = dyn_cast<StoreInst>(&instruction)) {
    Value* address = store->getPointerOperand();
    if (!varies(address)) return !varies(store->getValueOperand());
    return can_access(address, store->getValueOperand()->getType(), true, is_inner);
  }
  if (!varies(&instruction)) return true;
  Type* type = instruction.getType();
  if (!type->isIntegerTy() && !type->isFloatTy() && !type->isDoubleTy() && !type->isHalfTy() &&
      !type->isPointerTy())
    return false;
  if (type->isIntegerTy() && type->getIntegerBitWidth() > 64) return false;
  if (auto* load = dyn_cast<LoadInst>(&instruction))
    return can_access(load->getPointerOperand(), type, false, is_inner);
  if (auto* phi = dyn_cast<PHINode>(&instruction)) {
    if (is_inner && phi->getParent() == loops_.getLoopFor(phi->getParent())->getHeader() && !strides_->of(phi))
      ++carried_;
    return true;
  }
  return isa<BinaryOperator>(instruction) || isa<UnaryOperator>(instruction) ||
         isa<CastInst>(instruction) || isa<CmpInst>(instruction) || isa<SelectInst>(instruction) ||
         isa<GetElementPtrInst>(instruction) || isa<FreezeInst>(instruction) || call;
}

bool WidenFacts::can_widen() {
  if (!strides_ || loop_.isInnermost() || !loop_.getLoopLatch() ||
      loop_.getExitingBlock() != loop_.getLoopLatch() || !loop_.getExitBlock())
    return false;
  for (BasicBlock* block : loop_.blocks())
    for (Instruction& instruction : *block)
      if (!can_widen(instruction, loops_.getLoopFor(block) != &loop_)) return false;
  return !gathers_ || carried_;
}

}  // namespace kasoku::embedded
