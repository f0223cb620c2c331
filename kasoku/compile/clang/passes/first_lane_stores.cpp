#include "kasoku/compile/clang/passes/first_lane_stores.h"

#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/passes/uniformity.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

// Whether the memory is a thread's own. The text has one address for the variables of all threads.
bool is_own_memory(const Value* pointer) {
  SmallVector<const Value*> objects;
  getUnderlyingObjects(pointer, objects);
  return any_of(objects, [](const Value* object) { return isa<AllocaInst>(object); });
}

// Whether the thread's index alone names the element, so that it is no other lane's.
bool is_by_thread(const Value* pointer) {
  const auto* element = dyn_cast<GetElementPtrInst>(pointer);
  if (!element || element->getNumIndices() != 1) return false;
  const Value* index = element->getOperand(1);
  while (isa<SExtInst>(index) || isa<ZExtInst>(index)) index = cast<Instruction>(index)->getOperand(0);
  const auto is_index = [](const Value* value) {
    const auto* made = dyn_cast<Instruction>(value);
    return made && index_of(*made) == Index::tid_x;
  };
  const auto* sum = dyn_cast<BinaryOperator>(index);
  return is_index(index) || (sum && sum->getOpcode() == Instruction::Add && any_of(sum->operand_values(), is_index));
}

Value* is_first_lane(IRBuilderBase& build, const BlockShape& shape) {
  Value* thread = index_value(build, Index::tid_x);
  if (!shape.rows_hold_whole_warps()) {
    Value* row = index_value(build, Index::tid_y);
    if (shape.z > 1) row = build.CreateAdd(row, build.CreateMul(index_value(build, Index::tid_z), build.getInt32(shape.y)));
    thread = build.CreateAdd(thread, build.CreateMul(row, build.getInt32(shape.x)));
  }
  return build.CreateICmpEQ(build.CreateAnd(thread, 31), build.getInt32(0));
}

}  // namespace

void keep_first_lane_stores(Function& kernel, const BlockShape& shape) {
  if (!shape.is_known() || shape.is_single_thread()) return;
  SmallVector<StoreInst*> stores;
  for (Instruction& at : instructions(kernel))
    if (auto* store = dyn_cast<StoreInst>(&at); store && store->isSimple())
      if (!is_by_thread(store->getPointerOperand()) && !is_own_memory(store->getPointerOperand())) stores.push_back(store);
  if (none_of(stores, [](const StoreInst* store) { return isa<Instruction>(store->getValueOperand()); })) return;

  const Uniformity warp(kernel, shape, Granule::warp);
  const auto apart = warp.apart();
  const auto is_uniform = [&](const Value* value, const StoreInst& at) {
    const auto* made = dyn_cast<Instruction>(value);
    return !made || warp.is_uniform_at(*made, *at.getParent());
  };
  erase_if(stores, [&](const StoreInst* store) {
    return apart.contains(store->getParent()) || !is_uniform(store->getPointerOperand(), *store);
  });
  // Where one stays, no later lane may write what all store before it either.
  if (all_of(stores, [&](const StoreInst* store) { return is_uniform(store->getValueOperand(), *store); })) return;
  for (StoreInst* store : stores) {
    IRBuilder<> build(store);
    Instruction* then = SplitBlockAndInsertIfThen(is_first_lane(build, shape), store->getIterator(), /*Unreachable=*/false);
    store->moveBefore(then);
  }
}

}  // namespace kasoku::embedded
