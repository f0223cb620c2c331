#include "kasoku/compile/clang/passes/volatile_barriers.h"

#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/shared_variables.h"

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
  return !objects.empty() && all_of(objects, is_shared_variable);
}

bool is_in_global_memory(const Value* pointer) {
  return !points_to_shared(pointer) && !isa<AllocaInst>(getUnderlyingObject(pointer, /*MaxLookup=*/0));
}

/// Reads global memory as volatile or atomic: others may write it.
bool reads_what_others_write(const Instruction& instruction) {
  const auto* load = dyn_cast<LoadInst>(&instruction);
  return load && (load->isVolatile() || load->isAtomic()) && is_in_global_memory(load->getPointerOperand());
}

/// Whose writes a loop may wait for, and whether for locks: those of all blocks are in global memory.
struct Others {
  bool are_in_grid = false, hold_locks = false;
};

/// Reads memory as somebody does who expects that it changes. Atomic operations that
/// change it draw tickets or try again; whoever holds a lock has begun, and gets on.
bool looks_at_memory(const Instruction& instruction, Others others) {
  const Value* pointer = nullptr;
  if (const auto* load = dyn_cast<LoadInst>(&instruction)) {
    if (load->isVolatile() || load->isAtomic()) pointer = load->getPointerOperand();
  } else if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction)) {
    if (others.hold_locks || exchange->getCompareOperand() == exchange->getNewValOperand())
      pointer = exchange->getPointerOperand();
  } else if (const auto* update = dyn_cast<AtomicRMWInst>(&instruction)) {
    if (others.hold_locks) pointer = update->getPointerOperand();
    const auto* operand = dyn_cast<Constant>(update->getValOperand());
    const auto operation = update->getOperation();
    if (operand && operand->isNullValue() && operation != AtomicRMWInst::Xchg && operation != AtomicRMWInst::And)
      pointer = update->getPointerOperand();
  }
  if (!pointer) return false;
  return others.are_in_grid ? is_in_global_memory(pointer) : !isa<AllocaInst>(getUnderlyingObject(pointer, /*MaxLookup=*/0));
}

/// Whether memory that others write decides at a loop's exit, by its value or by the ways that lead there.
bool hangs_on_memory(const BranchInst& way_out, const Loop& loop, const DominatorTree& dominators, Others others) {
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
    if (looks_at_memory(*instruction, others)) return true;
    append_range(pending, instruction->operand_values());
    if (isa<PHINode>(instruction)) add_conditions(*instruction->getParent());
  }
  return false;
}

bool waits_in_memory(const Loop& loop, const DominatorTree& dominators, Others others) {
  SmallVector<BasicBlock*> ends;
  loop.getExitingBlocks(ends);
  return any_of(ends, [&](const BasicBlock* end) {
    const auto* branch = dyn_cast<BranchInst>(end->getTerminator());
    return branch && branch->isConditional() && hangs_on_memory(*branch, loop, dominators, others);
  });
}

/// Tries to take a lock: another value than this one is there until somebody gives it back.
bool tries_lock(const Instruction& instruction) {
  if (const auto* exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return isa<Constant>(exchange->getCompareOperand()) && exchange->getCompareOperand() != exchange->getNewValOperand();
  const auto* update = dyn_cast<AtomicRMWInst>(&instruction);
  return update && isa<Constant>(update->getValOperand()) &&
         (update->getOperation() == AtomicRMWInst::Xchg || update->getOperation() == AtomicRMWInst::Or);
}

/// Stores to volatile shared memory around which the lanes of a warp wait for each other. Not those that a thread
/// may come to with a lock: it gets on alone, and others try until it has given the lock back.
SmallPtrSet<const Instruction*, 8> stores_in_step(const Function& kernel) {
  SmallPtrSet<const Instruction*, 8> stores;
  for (const Instruction& instruction : instructions(kernel))
    if (const auto* store = dyn_cast<StoreInst>(&instruction);
        store && store->isVolatile() && points_to_shared(store->getPointerOperand()))
      stores.insert(store);
  if (stores.empty() || none_of(instructions(kernel), tries_lock)) return stores;
  const DominatorTree dominators(const_cast<Function&>(kernel));
  const LoopInfo loops(dominators);
  SmallVector<const BasicBlock*> pending;
  for (const Loop* loop : loops.getLoopsInPreorder())
    if (any_of(loop->blocks(), [](const BasicBlock* block) { return any_of(*block, tries_lock); }) &&
        waits_in_memory(*loop, dominators, Others{.hold_locks = true}))
      append_range(pending, loop->blocks());
  SmallPtrSet<const BasicBlock*, 16> seen;
  while (!pending.empty()) {
    const BasicBlock* block = pending.pop_back_val();
    if (!seen.insert(block).second) continue;
    const auto stop = find_if(*block, [](const Instruction& at) { return sync_of(at) != Sync::none; });
    for (const Instruction& instruction : make_range(block->begin(), stop)) stores.erase(&instruction);
    if (stop == block->end()) append_range(pending, successors(block));
  }
  return stores;
}

}  // namespace

bool waits_in_memory(const Function& kernel) {
  const auto looks = [](const Instruction& instruction) { return looks_at_memory(instruction, Others{.are_in_grid = true}); };
  if (none_of(instructions(kernel), looks)) return false;
  const DominatorTree dominators(const_cast<Function&>(kernel));
  const LoopInfo loops(dominators);
  return any_of(loops.getLoopsInPreorder(), [&](const Loop* loop) {
    return waits_in_memory(*loop, dominators, Others{.are_in_grid = true});
  });
}

bool waits_for_locks(const Function& kernel) {
  const auto tries = [](const Instruction& at) {
    const auto* update = dyn_cast<AtomicRMWInst>(&at);
    return (isa<AtomicCmpXchgInst>(at) || (update && update->getOperation() == AtomicRMWInst::Xchg)) &&
           looks_at_memory(at, Others{.are_in_grid = true, .hold_locks = true});
  };
  const DominatorTree dominators(const_cast<Function&>(kernel));
  const LoopInfo loops(dominators);
  return any_of(loops.getLoopsInPreorder(), [&](const Loop* loop) {
    return waits_in_memory(*loop, dominators, Others{.are_in_grid = true, .hold_locks = true}) ||
           any_of(loop->blocks(), [&](const BasicBlock* block) { return any_of(*block, tries); });
  });
}

void add_warp_barriers_for_volatile(Function& kernel) {
  SmallVector<StoreInst*> stores;
  SmallVector<LoadInst*> loads;
  const auto in_step = stores_in_step(kernel);
  for (Instruction& instruction : instructions(kernel)) {
    if (in_step.contains(&instruction)) stores.push_back(cast<StoreInst>(&instruction));
    if (auto* load = dyn_cast<LoadInst>(&instruction);
        load && load->isVolatile() && points_to_shared(load->getPointerOperand()))
      loads.push_back(load);
  }
  if (stores.empty() || loads.empty()) return;
  Type* word = Type::getInt32Ty(kernel.getContext());
  FunctionCallee barrier = kernel.getParent()->getOrInsertFunction(
      "ks_warp_barrier", FunctionType::get(Type::getVoidTy(kernel.getContext()), {word}, false));
  Constant* whoever_comes = ConstantInt::get(word, 0);
  for (LoadInst* load : loads) load->setVolatile(false);
  for (StoreInst* store : stores) {
    store->setVolatile(false);
    IRBuilder<> before(store);
    before.CreateCall(barrier, {whoever_comes});
    IRBuilder<> after(store->getNextNode());
    after.CreateCall(barrier, {whoever_comes});
  }
}

void let_waiting_loops_turn(Function& kernel) {
  // Stores to volatile shared memory get barriers of their own.
  const auto in_step = stores_in_step(kernel);
  const auto stops = [&](const Instruction& instruction) {
    return sync_of(instruction) != Sync::none || in_step.contains(&instruction);
  };
  const auto writes_for_others = [](const Instruction& instruction) {
    return isa<StoreInst, AtomicRMWInst, AtomicCmpXchgInst>(instruction);
  };
  // If no thread of the kernel writes memory, no thread waits for a value there.
  const auto looks = [](const Instruction& instruction) { return looks_at_memory(instruction, Others{}); };
  if (none_of(instructions(kernel), looks) || none_of(instructions(kernel), writes_for_others)) return;
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  SmallVector<BasicBlock*> latches, turns;
  for (const Loop* loop : loops.getLoopsInPreorder()) {
    const auto has = [&](auto such) {
      return any_of(loop->blocks(), [&](BasicBlock* block) { return any_of(*block, such); });
    };
    // Lanes of a warp that look at different things go on by themselves, the others as a warp.
    const bool hangs = waits_in_memory(*loop, dominators, Others{});
    if (hangs && !has([](const Instruction& at) { return is_block_barrier(sync_of(at)); })) loop->getLoopLatches(turns);
    if ((hangs || has(reads_what_others_write)) && !has(stops)) loop->getLoopLatches(latches);
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
