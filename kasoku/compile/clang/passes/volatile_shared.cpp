#include "kasoku/compile/clang/passes/volatile_shared.h"

#include "kasoku/compile/clang/passes/intrinsics.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
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

bool is_in_global_memory(const Value* pointer) {
  return !points_to_shared(pointer) && !isa<AllocaInst>(getUnderlyingObject(pointer, /*MaxLookup=*/0));
}

/// Reads global memory as volatile or atomic: others may write it.
bool reads_what_others_write(const Instruction& instruction) {
  const auto* load = dyn_cast<LoadInst>(&instruction);
  return load && (load->isVolatile() || load->isAtomic()) && is_in_global_memory(load->getPointerOperand());
}

/// Reads global memory as somebody does who expects that it changes. Atomic operations that
/// change it draw tickets or try again; whoever holds a lock has begun, and gets on.
bool looks_at_memory(const Instruction& instruction) {
  if (reads_what_others_write(instruction)) return true;
  const Value* pointer = nullptr;
  if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    if (exchange->getCompareOperand() == exchange->getNewValOperand()) pointer = exchange->getPointerOperand();
  } else if (const auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
    const auto* operand = dyn_cast<Constant>(update->getValOperand());
    const auto operation = update->getOperation();
    if (operand && operand->isNullValue() && operation != AtomicRMWInst::Xchg && operation != AtomicRMWInst::And)
      pointer = update->getPointerOperand();
  }
  return pointer && is_in_global_memory(pointer);
}

/// Whether what is read there decides, by value or by the ways that lead to it.
bool hangs_on_memory(const BranchInst& way_out, const Loop& loop, const DominatorTree& dominators) {
  SmallPtrSet<const Value*, 16> seen;
  SmallVector<const Value*> pending{way_out.getCondition()};
  const auto add_conditions = [&](const BasicBlock& join) {
    const auto* above = dominators.getNode(&join)->getIDom();
    for (const BasicBlock* from : predecessors(&join))
      for (const auto* at = dominators.getNode(from); at && loop.contains(at->getBlock()); at = at->getIDom()) {
        if (const auto* branch = dyn_cast<BranchInst>(at->getBlock()->getTerminator()); branch && branch->isConditional())
          pending.push_back(branch->getCondition());
        if (at == above) break;
      }
  };
  while (!pending.empty()) {
    const auto* instruction = dyn_cast<Instruction>(pending.pop_back_val());
    if (!instruction || !loop.contains(instruction) || !seen.insert(instruction).second) continue;
    if (looks_at_memory(*instruction)) return true;
    append_range(pending, instruction->operand_values());
    if (isa<PHINode>(instruction)) add_conditions(*instruction->getParent());
  }
  return false;
}

bool waits_in_memory(const Loop& loop, const DominatorTree& dominators) {
  SmallVector<BasicBlock*> ends;
  loop.getExitingBlocks(ends);
  return any_of(ends, [&](const BasicBlock* end) {
    const auto* branch = dyn_cast<BranchInst>(end->getTerminator());
    return branch && branch->isConditional() && hangs_on_memory(*branch, loop, dominators);
  });
}

}  // namespace

bool waits_in_memory(const Function& kernel) {
  if (none_of(instructions(kernel), looks_at_memory)) return false;
  const DominatorTree dominators(const_cast<Function&>(kernel));
  const LoopInfo loops(dominators);
  return any_of(loops.getLoopsInPreorder(), [&](const Loop* loop) { return waits_in_memory(*loop, dominators); });
}

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

void let_waiting_loops_turn(Function& kernel) {
  const auto writes_for_others = [](const Instruction& instruction) {
    return isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction);
  };
  // What no thread of the kernel writes, no thread waits for.
  if (none_of(instructions(kernel), looks_at_memory) || none_of(instructions(kernel), writes_for_others)) return;
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  SmallVector<BasicBlock*> latches, turns;
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    const bool waits = any_of(loop->blocks(), [&](BasicBlock* block) { return any_of(*block, reads_what_others_write); });
    const auto meets = [&](bool (*where)(Sync)) {
      return any_of(loop->blocks(), [&](BasicBlock* block) {
        return any_of(*block, [&](const Instruction& instruction) { return where(sync_of(instruction)); });
      });
    };
    if (!meets([](Sync sync) { return sync != Sync::none; })) {
      if (waits) loop->getLoopLatches(latches);
    } else if (!meets(is_block_barrier) && waits_in_memory(*loop, dominators)) {
      loop->getLoopLatches(turns);
    }
  }
  for (BasicBlock* latch : turns)
    IRBuilder<>(latch->getTerminator()).CreateCall(loop_barrier(*kernel.getParent(), Sync::turn));
  if (latches.empty()) return;
  Module& module = *kernel.getParent();
  Type* word = Type::getInt32Ty(kernel.getContext());
  FunctionCallee barrier = module.getOrInsertFunction(
      "ks_warp_barrier", FunctionType::get(Type::getVoidTy(kernel.getContext()), {word}, false));
  const auto index = [&](IRBuilder<>& build, const char* name) {
    return build.CreateCall(module.getOrInsertFunction(name, FunctionType::get(word, false)));
  };
  for (BasicBlock* latch : latches) {
    IRBuilder<> build(latch->getTerminator());
    // A barrier of the lane alone is passed at once, and the thread that is least far goes on.
    Value* rank = build.CreateAdd(index(build, "ks_tid_y"), build.CreateMul(index(build, "ks_bdim_y"), index(build, "ks_tid_z")));
    rank = build.CreateAdd(index(build, "ks_tid_x"), build.CreateMul(index(build, "ks_bdim_x"), rank));
    build.CreateCall(barrier, {build.CreateShl(build.getInt32(1), build.CreateAnd(rank, 31))});
  }
}

}  // namespace kasoku::embedded
