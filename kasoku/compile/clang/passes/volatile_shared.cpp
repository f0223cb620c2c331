#include "kasoku/compile/clang/passes/volatile_shared.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

bool points_to_shared(const Value* pointer) {
  SmallVector<const Value*, 4> objects;
  getUnderlyingObjects(pointer, objects, nullptr, /*MaxLookup=*/0);
  for (const Value* object : objects) {
    const auto* variable = dyn_cast<GlobalVariable>(object);
    if (!variable || !variable->hasAttribute("ks-shared")) return false;
  }
  return !objects.empty();
}

}  // namespace

void add_warp_barriers_for_volatile(Function& kernel) {
  SmallVector<StoreInst*> stores;
  SmallVector<LoadInst*> loads;
  for (Instruction& instruction : instructions(kernel)) {
    if (auto* store = dyn_cast<StoreInst>(&instruction);
        store && store->isVolatile() && points_to_shared(store->getPointerOperand()))
      stores.push_back(store);
    if (auto* load = dyn_cast<LoadInst>(&instruction);
        load && load->isVolatile() && points_to_shared(load->getPointerOperand()))
      loads.push_back(load);
  }
  if (stores.empty() || loads.empty()) return;
  Type* word = Type::getInt32Ty(kernel.getContext());
  FunctionCallee barrier = kernel.getParent()->getOrInsertFunction(
      "ks_warp_barrier", FunctionType::get(Type::getVoidTy(kernel.getContext()), {word}, false));
  for (LoadInst* load : loads) load->setVolatile(false);
  for (StoreInst* store : stores) {
    store->setVolatile(false);
    IRBuilder<> before(store);
    before.CreateCall(barrier, {before.getInt32(~0u)});
    IRBuilder<> after(store->getNextNode());
    after.CreateCall(barrier, {after.getInt32(~0u)});
  }
}

}  // namespace kasoku::embedded
