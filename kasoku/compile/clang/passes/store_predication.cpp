#include "kasoku/compile/clang/passes/store_predication.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

class Stores {
 public:
  Stores(Function& function, const LoopInfo& loops, const DominatorTree& dominators,
         ScalarEvolution& evolution)
      : shared_(function.getArg(function.arg_size() - 1)), loops_(loops), dominators_(dominators),
        evolution_(evolution) {}

  /// Moves stores behind a branch. `block` ends with stores that not all threads of `loop` reach.
  bool move_behind(BasicBlock& block, const Loop& loop) {
    BasicBlock* join = block.getSingleSuccessor();
    if (!join || join == loop.getHeader() || loops_.getLoopFor(&block) != &loop ||
        loops_.getLoopFor(join) != &loop || join->getSinglePredecessor())
      return false;
    SmallVector<std::pair<StoreInst*, LoadInst*>> found;
    for (Instruction& instruction : block) {
      auto* store = dyn_cast<StoreInst>(&instruction);
      if (!store) {
        if (instruction.mayWriteToMemory() || (!found.empty() && instruction.mayReadFromMemory()))
          return false;
        continue;
      }
      LoadInst* load = store->isSimple() && is_shared(*store) ? load_before(*store, *join, loop)
                                                              : nullptr;
      if (!load || !nothing_written(*load, block, *join)) return false;
      found.push_back({store, load});
    }
    IRBuilder<> build(&*join->getFirstInsertionPt());
    for (const auto& [store, load] : found) {
      auto* value = PHINode::Create(load->getType(), pred_size(join), "", join->begin());
      for (BasicBlock* from : predecessors(join))
        value->addIncoming(from == &block ? store->getValueOperand() : load, from);
      store->setOperand(0, value);
      store->removeFromParent();
      build.Insert(store);
    }
    return !found.empty();
  }

  /// Each thread of the loop stores to places of its own: what is written back for one cannot
  /// undo what another wrote.
  bool are_apart(const Loop& loop) const {
    for (const BasicBlock* block : loop.blocks())
      for (const Instruction& instruction : *block) {
        if (!instruction.mayWriteToMemory()) continue;
        const auto* store = dyn_cast<StoreInst>(&instruction);
        if (!store) return false;
        if (is_elsewhere(*store)) continue;
        const auto* place = dyn_cast<SCEVAddRecExpr>(
            evolution_.getSCEV(const_cast<Value*>(store->getPointerOperand())));
        if (!place || place->getLoop() != &loop || !place->isAffine() ||
            !store->hasMetadata(LLVMContext::MD_access_group))
          return false;
      }
    return true;
  }

 private:
  bool is_shared(const StoreInst& store) const {
    return getUnderlyingObject(store.getPointerOperand()) == shared_;
  }

  // Whether a store cannot reach shared memory, to which nothing but the argument itself leads.
  bool is_elsewhere(const StoreInst& store) const {
    const Value* object = getUnderlyingObject(store.getPointerOperand());
    return object != shared_ && (isa<Argument>(object) || isIdentifiedObject(object));
  }

  LoadInst* load_before(const StoreInst& store, const BasicBlock& join, const Loop& loop) const {
    for (const User* user : store.getPointerOperand()->users()) {
      const auto* load = dyn_cast<LoadInst>(user);
      if (load && load->isSimple() && load->getType() == store.getValueOperand()->getType() &&
          load->getParent() != &join && loops_.getLoopFor(load->getParent()) == &loop &&
          dominators_.dominates(load->getParent(), &join) && load->getParent() != store.getParent())
        return const_cast<LoadInst*>(load);
    }
    return nullptr;
  }

  // Whether nothing is written on the ways from the load to `join`, except at the end of `block`.
  static bool nothing_written(const LoadInst& load, const BasicBlock& block,
                              const BasicBlock& join) {
    constexpr size_t most_blocks = 12;
    SmallSetVector<const BasicBlock*, 8> between;
    for (const BasicBlock* from : predecessors(&join)) between.insert(from);
    for (size_t i = 0; i < between.size(); ++i) {
      if (i == most_blocks || between[i] == &join) return false;
      const bool is_first = between[i] == load.getParent();
      if (between[i] != &block)
        for (const Instruction* at = is_first ? &load : &between[i]->front(); at;
             at = at->getNextNode())
          if (at->mayWriteToMemory()) return false;
      if (!is_first)
        for (const BasicBlock* from : predecessors(between[i])) between.insert(from);
    }
    return true;
  }

  const Argument* shared_;
  const LoopInfo& loops_;
  const DominatorTree& dominators_;
  ScalarEvolution& evolution_;
};

}  // namespace

PreservedAnalyses WholeStoresPass::run(Function& function, FunctionAnalysisManager& analyses) {
  auto& loops = analyses.getResult<LoopAnalysis>(function);
  bool changed = false;
  for (Loop* loop : loops.getLoopsInPreorder()) {
    if (!loop->isInnermost() || !loop->isAnnotatedParallel()) continue;
    Stores stores(function, loops, analyses.getResult<DominatorTreeAnalysis>(function),
                  analyses.getResult<ScalarEvolutionAnalysis>(function));
    if (!stores.are_apart(*loop)) continue;
    for (BasicBlock* block : loop->blocks()) changed |= stores.move_behind(*block, *loop);
  }
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

}  // namespace kasoku::embedded
