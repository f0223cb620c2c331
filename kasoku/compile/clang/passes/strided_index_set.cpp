#include "kasoku/compile/clang/passes/strided_index_set.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

/// A loop over threads whose counter is all that it carries, and which begins with a question.
struct Counted {
  PHINode* counter = nullptr;
  BinaryOperator* next = nullptr;
  BranchInst* question = nullptr;
  BranchInst* leaves = nullptr;
  Value* end = nullptr;
};

bool has_no_effect(const BasicBlock& block) {
  return none_of(block, [](const Instruction& instruction) { return instruction.mayHaveSideEffects(); });
}

Counted counted(const Loop& loop) {
  using namespace PatternMatch;
  Counted out;
  BasicBlock *header = loop.getHeader(), *latch = loop.getLoopLatch();
  if (!loop.isInnermost() || !findOptionMDForLoop(&loop, "llvm.loop.parallel_accesses") || !latch ||
      latch == header || loop.getExitingBlock() != latch || !has_no_effect(*header) || !has_no_effect(*latch))
    return {};
  out.question = dyn_cast<BranchInst>(header->getTerminator());
  out.leaves = dyn_cast<BranchInst>(latch->getTerminator());
  if (!out.question || !out.question->isConditional() || !out.leaves || latch->getFirstNonPHI() != &latch->front())
    return {};
  for (PHINode& phi : header->phis()) {
    if (out.counter) return {};
    out.counter = &phi;
  }
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      for (const User* user : instruction.users())
        if (!loop.contains(cast<Instruction>(user))) return {};
  if (!out.counter || out.counter->getType()->getIntegerBitWidth() < 32) return {};
  out.next = dyn_cast<BinaryOperator>(out.counter->getIncomingValueForBlock(latch));
  auto* compare = dyn_cast<ICmpInst>(out.leaves->getCondition());
  const bool ends_at_equal =
      compare && compare->isEquality() && compare->getOperand(0) == out.next && compare->hasOneUse() &&
      loop.isLoopInvariant(compare->getOperand(1)) &&
      loop.contains(out.leaves->getSuccessor(0)) == (compare->getPredicate() == ICmpInst::ICMP_NE);
  if (!out.next || !match(out.next, m_Add(m_Specific(out.counter), m_One())) || !ends_at_equal) return {};
  out.end = compare->getOperand(1);
  return out;
}

/// The number of which the counter is a multiple wherever `condition` holds; it begins at zero.
Value* divisor(Value* condition, const PHINode& counter, const Loop& loop) {
  using namespace PatternMatch;
  Value *a = nullptr, *b = nullptr;
  if (match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))) {
    Value* first = divisor(a, counter, loop);
    return first ? first : divisor(b, counter, loop);
  }
  ICmpInst::Predicate predicate;
  if (!match(condition, m_ICmp(predicate, m_Value(a), m_Zero())) || predicate != ICmpInst::ICMP_EQ) return nullptr;
  const auto is_counter = m_CombineOr(m_Specific(&counter), m_Trunc(m_Specific(&counter)));
  const APInt* mask = nullptr;
  if (match(a, m_And(is_counter, m_APInt(mask))) && mask->isMask() && mask->ult(1u << 16))
    return ConstantInt::get(counter.getType(), mask->getZExtValue() + 1);
  const bool is_whole = a->getType()->getIntegerBitWidth() >= 32;  // t % 3, not that of t's last byte
  if (is_whole && match(a, m_URem(is_counter, m_Value(b))) && isa<ConstantInt>(b) && cast<ConstantInt>(b)->getValue().ult(1u << 16))
    return ConstantInt::get(counter.getType(), cast<ConstantInt>(b)->getZExtValue());
  return nullptr;
}

bool step_over(const Loop& loop) {
  const Counted found = counted(loop);
  if (!found.counter) return false;
  const auto* begin = dyn_cast<ConstantInt>(found.counter->getIncomingValueForBlock(loop.getLoopPreheader()));
  if (!begin || !begin->isZero() || found.question->getSuccessor(1) != loop.getLoopLatch()) return false;
  Value* step = divisor(found.question->getCondition(), *found.counter, loop);
  if (!step || cast<ConstantInt>(step)->getZExtValue() < 2) return false;
  IRBuilder<> build(found.leaves);
  Value* next = build.CreateAdd(found.counter, step);  // of its own: a thread may use its number plus one, too
  found.counter->setIncomingValueForBlock(loop.getLoopLatch(), next);
  auto* compare = cast<Instruction>(found.leaves->getCondition());
  const bool goes_on = cast<ICmpInst>(compare)->getPredicate() == ICmpInst::ICMP_NE;
  found.leaves->setCondition(build.CreateICmp(goes_on ? ICmpInst::ICMP_ULT : ICmpInst::ICMP_UGE, next, found.end));
  compare->eraseFromParent();
  if (found.next->use_empty()) found.next->eraseFromParent();
  return true;
}

}  // namespace

PreservedAnalyses StepOverPass::run(Function& function, FunctionAnalysisManager& analyses) {
  bool changed = false;
  for (Loop* loop : analyses.getResult<LoopAnalysis>(function).getLoopsInPreorder())
    if (loop->getLoopPreheader() && loop->getExitBlock()) changed |= step_over(*loop);
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

}  // namespace kasoku::embedded
