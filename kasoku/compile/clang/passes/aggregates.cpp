#include "kasoku/compile/clang/passes/aggregates.h"

#include "kasoku/compile/clang/passes/entry_frame.h"
#include "kasoku/compile/clang/passes/launch_values.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

// Operands of ks_aggregate and ks_contribute.
enum { of_number = 0, of_counter = 1, of_is_of_block = 2, of_amount = 1, of_takes_part = 2 };

uint64_t number_of(const CallInst& call) { return cast<ConstantInt>(call.getArgOperand(of_number))->getZExtValue(); }

}  // namespace

Aggregates::Aggregates(const EntryFrame& frame, const BlockShape& shape, const std::vector<SyncPoint>& syncs,
                       unsigned blocks)
    : frame_(frame) {
  for (const SyncPoint& sync : syncs) {
    if (sync.sync != Sync::aggregate) continue;
    IRBuilder<> top(&*frame.once->begin());
    Type* type = sync.call->getType();
    const bool is_of_block = cast<ConstantInt>(sync.call->getArgOperand(of_is_of_block))->isOne();
    Counter counter{nullptr, type, is_of_block ? 1 : (shape.threads() + 31) / 32, nullptr, nullptr, nullptr, nullptr};
    auto* all = ArrayType::get(type, uint64_t{counter.places} * blocks);
    counter.amounts = top.CreateAlloca(all, nullptr, "amounts");
    counter.before = top.CreateAlloca(all, nullptr, "before");
    counter.base = top.CreateAlloca(type, nullptr, "base");
    counter.is_asked = top.CreateAlloca(top.getInt8Ty(), nullptr, "is.asked");
    IRBuilder<> once(frame.once->getTerminator());
    counter.place = copy_of(frame, once, sync.call->getArgOperand(of_counter));
    const uint64_t bytes = frame.body->getParent()->getDataLayout().getTypeAllocSize(all);
    once.CreateMemSet(counter.amounts, once.getInt8(0), bytes, Align(4));
    once.CreateStore(once.getInt8(0), counter.is_asked);
    counters_.emplace(number_of(*sync.call), counter);
  }
}

// A warp's place is the same for all of its lanes. It is computed in a form from which LLVM can see that.
Value* Aggregates::place_of(IRBuilderBase& build, const Counter& counter, const ThreadIndex& thread) const {
  Value* place = build.CreateMul(which_, build.getInt64(counter.places));
  if (counter.places == 1) return place;
  Value* first = thread.lane ? build.CreateSub(thread.linear, thread.lane, "", true, true) : thread.linear;
  return build.CreateAdd(place, build.CreateZExt(build.CreateLShr(first, 5), build.getInt64Ty()));
}

void Aggregates::contribute(CallInst& call, const ThreadIndex& thread) {
  const Counter& counter = counters_.at(number_of(call));
  IRBuilder<> build(&call);
  build.CreateStore(call.getArgOperand(of_amount),
                    build.CreateInBoundsGEP(counter.type, counter.amounts, place_of(build, counter, thread)));
  Value* so_far = build.CreateLoad(build.getInt8Ty(), counter.is_asked);
  build.CreateStore(build.CreateOr(so_far, build.CreateZExt(call.getArgOperand(of_takes_part), build.getInt8Ty())),
                    counter.is_asked);
  call.eraseFromParent();
}

void Aggregates::result(CallInst& call, const ThreadIndex& thread) {
  const Counter& counter = counters_.at(number_of(call));
  IRBuilder<> build(&call);
  Value* before = build.CreateLoad(
      counter.type, build.CreateInBoundsGEP(counter.type, counter.before, place_of(build, counter, thread)));
  call.replaceAllUsesWith(build.CreateAdd(build.CreateLoad(counter.type, counter.base), before));
  call.eraseFromParent();
}

void Aggregates::add_up(IRBuilderBase& build, Value* count) {
  for (const auto& [number, counter] : counters_) add_up(build, counter, count);
}

void Aggregates::add_up(IRBuilderBase& build, const Counter& counter, Value* count) {
  const auto block = [&](const char* name) { return BasicBlock::Create(build.getContext(), name, frame_.body); };
  BasicBlock *some = block("adds"), *head = block("amounts"), *add = block("adds.up"), *after = block("added");
  Value* is_asked = build.CreateLoad(build.getInt8Ty(), counter.is_asked);
  // If no thread of the group adds, the counter may not exist.
  build.CreateCondBr(build.CreateICmpNE(is_asked, build.getInt8(0)), some, after);
  build.SetInsertPoint(some);
  Value* places = build.CreateMul(count, build.getInt64(counter.places));
  build.CreateBr(head);

  build.SetInsertPoint(head);
  PHINode* at = build.CreatePHI(build.getInt64Ty(), 2, "at");
  PHINode* sum = build.CreatePHI(counter.type, 2, "sum");
  at->addIncoming(build.getInt64(0), some);
  sum->addIncoming(Constant::getNullValue(counter.type), some);
  Value* amounts = build.CreateInBoundsGEP(counter.type, counter.amounts, at);
  Value* amount = build.CreateLoad(counter.type, amounts);
  build.CreateStore(Constant::getNullValue(counter.type), amounts);
  build.CreateStore(sum, build.CreateInBoundsGEP(counter.type, counter.before, at));
  Value* next = build.CreateAdd(at, build.getInt64(1), "", true, true);
  Value* all = build.CreateAdd(sum, amount);
  at->addIncoming(next, head);
  sum->addIncoming(all, head);
  build.CreateCondBr(build.CreateICmpULT(next, places), head, add);

  build.SetInsertPoint(add);
  build.CreateStore(build.CreateAtomicRMW(AtomicRMWInst::Add, counter.place, all, std::nullopt, AtomicOrdering::Monotonic),
                    counter.base);
  build.CreateStore(build.getInt8(0), counter.is_asked);
  build.CreateBr(after);
  build.SetInsertPoint(after);
}

}  // namespace kasoku::embedded
