#include "kasoku/compile/clang/passes/combine_atomics.h"

#include "kasoku/compile/clang/passes/split_at_syncs.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LowerAtomic.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

using LoopBlocks = SmallSetVector<BasicBlock*, 16>;

// The operation's neutral element; null if its results cannot be combined.
Constant* neutral(const AtomicRMWInst& atomic) {
  Type* type = atomic.getType();
  if (!type->isIntegerTy()) return nullptr;
  const unsigned bits = type->getIntegerBitWidth();
  switch (atomic.getOperation()) {
    case AtomicRMWInst::Add: case AtomicRMWInst::Or: case AtomicRMWInst::Xor:
    case AtomicRMWInst::UMax:
      return Constant::getNullValue(type);
    case AtomicRMWInst::And: case AtomicRMWInst::UMin: return Constant::getAllOnesValue(type);
    case AtomicRMWInst::Max: return ConstantInt::get(type, APInt::getSignedMinValue(bits));
    case AtomicRMWInst::Min: return ConstantInt::get(type, APInt::getSignedMaxValue(bits));
    default: return nullptr;
  }
}

struct AtomicPlace {
  Value* base;
  int64_t offset;
};

AtomicPlace place_of(const AtomicRMWInst& atomic) {
  const DataLayout& layout = atomic.getModule()->getDataLayout();
  APInt offset(64, 0);
  auto* base = const_cast<Value*>(atomic.getPointerOperand()->stripAndAccumulateConstantOffsets(
      layout, offset, /*AllowNonInbounds=*/true));
  return {base, offset.getSExtValue()};
}

bool is_candidate(const AtomicRMWInst& atomic, const LoopBlocks& loop) {
  if (!atomic.use_empty() || atomic.isVolatile() ||
      atomic.getOrdering() != AtomicOrdering::Monotonic || !neutral(atomic))
    return false;
  const auto* base = dyn_cast<Instruction>(place_of(atomic).base);
  return !base || !loop.contains(const_cast<BasicBlock*>(base->getParent()));
}

bool touches_memory(const Instruction& at) {
  return at.mayReadOrWriteMemory() && !is_arrival(at) && sync_of(at) == Sync::none;
}

// Whether it is the same which one a thread does first: that of additions, not that of an addition and a
// maximum, unless they are known to be of two numbers.
bool commute(const AtomicRMWInst& one, const AtomicRMWInst& other) {
  if (one.getOperation() == other.getOperation() && one.getType() == other.getType()) return true;
  const AtomicPlace a = place_of(one), b = place_of(other);
  const auto is_object = [](const AtomicPlace& place) { return isa<Argument>(place.base) || isIdentifiedObject(place.base); };
  if (a.base != b.base) return is_object(a) && is_object(b);
  const auto size = [](const AtomicRMWInst& atomic) { return int64_t(atomic.getType()->getIntegerBitWidth() / 8); };
  return a.offset + size(one) <= b.offset || b.offset + size(other) <= a.offset;
}

// Whether a thread looks at memory, or changes it, after the atomic; others like it
// may be done in any order if they commute.
bool is_last(const AtomicRMWInst& atomic, const LoopBlocks& loop) {
  const auto matters = [&](const Instruction& at) {
    const auto* other = dyn_cast<AtomicRMWInst>(&at);
    return touches_memory(at) && !(other && is_candidate(*other, loop) && commute(atomic, *other));
  };
  for (const Instruction* at = atomic.getNextNode(); at; at = at->getNextNode())
    if (matters(*at)) return false;
  LoopBlocks later;
  const auto add = [&](BasicBlock* from) {
    for (BasicBlock* next : successors(from))
      if (loop.contains(next)) later.insert(next);
  };
  add(const_cast<BasicBlock*>(atomic.getParent()));
  for (size_t i = 0; i < later.size(); ++i) {
    for (const Instruction& at : *later[i])
      if (matters(at)) return false;
    add(later[i]);
  }
  return true;
}

}  // namespace

std::vector<AtomicRMWInst*> find_combinable_atomics(ArrayRef<BasicBlock*> loop) {
  LoopBlocks blocks;
  for (BasicBlock* block : loop) blocks.insert(block);
  std::vector<AtomicRMWInst*> found;
  for (BasicBlock* block : loop)
    for (Instruction& at : *block) {
      if (auto* atomic = dyn_cast<AtomicRMWInst>(&at);
          atomic && is_candidate(*atomic, blocks) && is_last(*atomic, blocks)) {
        found.push_back(atomic);
        continue;
      }
      // After such an access threads of the loop may wait for what earlier ones do, so nothing is combined.
      if (at.isVolatile() || at.isAtomic() || isa<FenceInst>(at)) return {};
      if (const auto* call = dyn_cast<CallBase>(&at);
          call && touches_memory(at) && !isa<IntrinsicInst>(call))
        return {};
    }
  return found;
}

void combine_atomics(ArrayRef<AtomicRMWInst*> atomics, BasicBlock& once, IRBuilderBase& before,
                     IRBuilderBase& after) {
  for (AtomicRMWInst* atomic : atomics) {
    Type* type = atomic->getType();
    Constant* nothing = neutral(*atomic);
    Value* sum = IRBuilder<>(&*once.begin()).CreateAlloca(type, nullptr, "combined");
    before.CreateStore(nothing, sum);
    const AtomicPlace place = place_of(*atomic);
    IRBuilder<> build(atomic);
    Value* so_far = build.CreateLoad(type, sum);
    build.CreateStore(buildAtomicRMWValue(atomic->getOperation(), build, so_far,
                                          atomic->getValOperand()),
                      sum);

    Function* function = once.getParent();
    BasicBlock* changes = BasicBlock::Create(function->getContext(), "changes", function);
    BasicBlock* done = BasicBlock::Create(function->getContext(), "changed", function);
    Value* all = after.CreateLoad(type, sum);
    after.CreateCondBr(after.CreateICmpNE(all, nothing), changes, done);
    after.SetInsertPoint(changes);
    Value* where = after.CreateConstGEP1_64(after.getInt8Ty(), place.base, place.offset);
    after.CreateAtomicRMW(atomic->getOperation(), where, all, atomic->getAlign(),
                          AtomicOrdering::Monotonic)
        ->copyMetadata(*atomic);
    after.CreateBr(done);
    after.SetInsertPoint(done);
    atomic->eraseFromParent();
  }
}

}  // namespace kasoku::embedded
