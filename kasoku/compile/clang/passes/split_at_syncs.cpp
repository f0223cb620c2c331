#include "kasoku/compile/clang/passes/split_at_syncs.h"

#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

// The number of the operand that other threads see; the thread itself need not keep it.
int brought_operand(Sync sync) {
  if (is_voting_barrier(sync)) return 0;
  if (is_shuffle(sync) || sync == Sync::ballot || sync == Sync::match_any ||
      sync == Sync::match_all || is_reduction(sync))
    return 1;
  return -1;
}

}  // namespace

bool is_arrival(const Instruction& instruction) {
  const auto* call = dyn_cast<CallInst>(&instruction);
  const Function* callee = call ? call->getCalledFunction() : nullptr;
  return callee && callee->getName() == "ks_arrive";
}

std::vector<SyncPoint> split_at_syncs(Function& kernel) {
  // What a branch says of its own threads, that a shift loses no bits: a value that is the same in a warp may be computed of another's.
  for (Instruction& instruction : instructions(kernel))
    if (isa<PossiblyExactOperator>(instruction)) instruction.setIsExact(false);
  std::vector<SyncPoint> points;
  ReversePostOrderTraversal<Function*> order(&kernel);
  for (BasicBlock* block : order)
    for (Instruction& instruction : *block)
      if (const Sync sync = sync_of(instruction); sync != Sync::none)
        points.push_back({sync, cast<CallInst>(&instruction)});

  LLVMContext& context = kernel.getContext();
  Type* word = Type::getInt32Ty(context);
  FunctionCallee arrive = kernel.getParent()->getOrInsertFunction(
      "ks_arrive", FunctionType::get(Type::getVoidTy(context), {word}, /*isVarArg=*/true));
  unsigned number = 0;
  for (SyncPoint& point : points) {
    point.number = ++number;
    point.block = SplitBlock(point.call->getParent(), point.call->getIterator());
    if (is_loop_cut(point.sync)) continue;
    IRBuilder<> build(point.block->getSinglePredecessor()->getTerminator());
    SmallVector<Value*> brought{build.getInt32(point.number)};
    if (const int operand = brought_operand(point.sync); operand >= 0) {
      Value* value = point.call->getArgOperand(operand);
      point.value = value->getType();
      brought.push_back(value);
      point.call->setArgOperand(operand, Constant::getNullValue(value->getType()));
    }
    if (is_warp_operation(point.sync) && point.sync != Sync::activemask)
      brought.push_back(point.call->getArgOperand(0));
    if (is_of_part(point.sync)) {  // one word, see `mask` of device/cpu/schedule.h
      Value* threads = build.CreateShl(point.call->getArgOperand(1), 4);
      brought.push_back(build.CreateOr(threads, build.CreateAnd(point.call->getArgOperand(0), 15)));
    }
    build.CreateCall(arrive, brought);
  }
  return points;
}

}  // namespace kasoku::embedded
