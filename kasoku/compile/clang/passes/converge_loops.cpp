#include "kasoku/compile/clang/passes/converge_loops.h"

#include "kasoku/compile/clang/passes/aggregate_atomics.h"
#include "kasoku/compile/clang/passes/split_ranges.h"
#include "kasoku/compile/clang/passes/rematerialize.h"
#include "kasoku/compile/clang/passes/uniformity.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace kasoku::embedded {

using namespace llvm;

Test test_of(BranchInst& branch, const BasicBlock* to) {
  auto* compare = dyn_cast<ICmpInst>(branch.getCondition());
  if (!compare || branch.getSuccessor(0) == branch.getSuccessor(1)) return {};
  Test test{compare->getPredicate(), compare->getOperand(0), compare->getOperand(1)};
  if (branch.getSuccessor(0) != to) test.predicate = CmpInst::getInversePredicate(test.predicate);
  if (ICmpInst::isGT(test.predicate) || ICmpInst::isGE(test.predicate)) {
    std::swap(test.index, test.bound);
    test.predicate = CmpInst::getSwappedPredicate(test.predicate);
  }
  return test;
}

std::pair<BranchInst*, BasicBlock*> first_test_of(BasicBlock& outside, BasicBlock& header) {
  auto* first = dyn_cast<BranchInst>(outside.getTerminator());
  if (!first || first->isConditional()) return {first, &header};
  BasicBlock* before = outside.getSinglePredecessor();
  first = before ? dyn_cast<BranchInst>(before->getTerminator()) : nullptr;
  return {first && first->isConditional() ? first : nullptr, &outside};
}

namespace {

enum class Thread { none, first_axis };

// Whether a value is made of arguments, constants and indices alone; of threadIdx, only what `allowed` names.
bool is_made_of(const Value* value, Thread allowed, int depth = 0) {
  const auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction) return isa<Argument>(value) || isa<ConstantInt>(value);
  if (const Index index = index_of(*instruction); index != Index::none)
    return index > Index::tid_z || (index == Index::tid_x && allowed == Thread::first_axis);
  if (depth > 12 || !is_cheap(*instruction)) return false;
  for (const Use& operand : instruction->operands())
    if (!isa<Function>(operand) && !is_made_of(operand, allowed, depth + 1)) return false;
  return true;
}

// The threads that go through a loop together: the block's, or each warp's.
struct Company {
  const Uniformity* warp = nullptr;
  SmallPtrSet<const BasicBlock*, 16> apart{};  ///< where a warp is not all there

  bool is_same(const Value* value) const {  // for all, without running a thread
    if (!warp) return is_made_of(value, Thread::none);
    const auto* instruction = dyn_cast<Instruction>(value);
    return !instruction || warp->is_uniform(*instruction);
  }
};

bool is_block_index(Index index) { return index >= Index::bid_x && index <= Index::bid_z; }

// Whether a value never gets smaller as blockIdx grows; sums and products of indices do not wrap.
bool grows_with_blocks(const Value* value, bool is_factor = false) {
  const auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction) {
    const auto* constant = dyn_cast<ConstantInt>(value);
    return !is_factor || (constant && !constant->isNegative());
  }
  if (index_of(*instruction) != Index::none) return true;
  const auto operands_grow = [&](bool are_factors) {
    return all_of(instruction->operands(),
                  [&](const Use& of) { return grows_with_blocks(of, are_factors); });
  };
  switch (instruction->getOpcode()) {
    case Instruction::Add: case Instruction::SExt: return operands_grow(is_factor);
    case Instruction::Mul: case Instruction::Shl: case Instruction::ZExt: return operands_grow(true);
    case Instruction::Or:
      return cast<PossiblyDisjointInst>(instruction)->isDisjoint() && operands_grow(is_factor);
    default: return false;
  }
}

// Computes a value as the first thread has it: of the block, of block 0, or of each warp.
Value* for_thread_zero(IRBuilder<>& build, Value* value, const Company& company,
                       bool of_all_blocks) {
  auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction) return value;
  if (const Index index = index_of(*instruction); index != Index::none) {
    if (of_all_blocks && is_block_index(index)) return build.getInt32(0);
    if (index != Index::tid_x) return value;
    return company.warp ? build.CreateAnd(value, ~31u) : build.getInt32(0);
  }
  if (company.warp && company.is_same(value)) return value;
  Instruction* copy = instruction->clone();
  copy->dropPoisonGeneratingFlags();
  for (Use& operand : copy->operands())
    if (!isa<Function>(operand))
      operand.set(for_thread_zero(build, operand, company, of_all_blocks));
  return build.Insert(copy);
}

struct Stride {
  BasicBlock *before, *header, *latch, *after;  ///< before: ends with the test of the first pass
  PHINode* index;
  Value *start, *step, *bound;
  CmpInst::Predicate predicate;
};

// An atomic operation whose result nobody looks at, so that its turn says nothing; or one at
// which the loop will be cut.
bool is_counted_only(const Instruction& instruction) {
  return isa<AtomicRMWInst>(instruction) && (instruction.use_empty() || is_marked_aggregate(instruction));
}

// Whether all threads may run what stands before the loop, once the first thread does.
bool suits_all_threads(const BasicBlock& block, const Company& company) {
  for (const Instruction& instruction : block) {
    if (instruction.isTerminator() || isa<PHINode>(instruction)) continue;
    if (const auto* load = dyn_cast<LoadInst>(&instruction)) {
      if (!load->isSimple() || !company.is_same(load->getPointerOperand())) return false;
    } else if (!isSafeToSpeculativelyExecute(&instruction)) {
      return false;
    }
  }
  return true;
}

bool has_unsuitable(const Loop& loop) {
  for (const BasicBlock* block : loop.blocks())
    for (const Instruction& instruction : *block)
      if (sync_of(instruction) != Sync::none || isa<AllocaInst>(instruction) ||
          instruction.isVolatile() || (instruction.isAtomic() && !is_counted_only(instruction)))
        return true;
  return false;
}

bool find(Stride& found, const Loop& loop, const DominatorTree& dominators,
          const PostDominatorTree& joins, const Company& company) {
  found.header = loop.getHeader();
  found.latch = loop.getLoopLatch();
  BasicBlock* outside = loop.getLoopPredecessor();
  if (!found.latch || !outside || loop.getExitingBlock() != found.latch) return false;
  found.after = loop.getExitBlock();
  if (!found.after || has_unsuitable(loop)) return false;
  const auto [first, entered] = first_test_of(*outside, *found.header);
  auto* again = dyn_cast<BranchInst>(found.latch->getTerminator());
  if (!first || !again || again->isUnconditional()) return false;
  found.before = first->getParent();
  if (found.before != outside && !suits_all_threads(*outside, company)) return false;
  if (!is_contained(successors(found.before), found.after)) return false;
  BasicBlock& entry = found.header->getParent()->getEntryBlock();
  if (company.warp ? company.apart.contains(found.before) : !joins.dominates(found.before, &entry))
    return false;

  const Test start = test_of(*first, entered), next = test_of(*again, found.header);
  if (start.predicate != next.predicate || start.bound != next.bound ||
      !(ICmpInst::isLT(start.predicate) || ICmpInst::isLE(start.predicate)))
    return false;
  found.predicate = start.predicate;
  found.bound = start.bound;
  auto* sum = dyn_cast<BinaryOperator>(next.index);
  if (!sum || sum->getOpcode() != Instruction::Add) return false;
  for (int i : {0, 1})
    if (auto* phi = dyn_cast<PHINode>(sum->getOperand(i)); phi && phi->getParent() == found.header) {
      found.index = phi;
      found.step = sum->getOperand(1 - i);
    }
  if (!found.index || found.index->getIncomingValueForBlock(found.latch) != sum) return false;
  found.start = found.index->getIncomingValueForBlock(outside);
  if (found.start != start.index) return false;
  for (Value* value : {found.start, found.bound})
    if (auto* made = dyn_cast<Instruction>(value);
        made && !dominators.dominates(made, found.before->getTerminator()))
      return false;
  if (auto* made = dyn_cast<Instruction>(found.step);
      made && !dominators.dominates(made, found.header))
    return false;
  if (!company.is_same(found.bound) || !company.is_same(found.step) ||
      (!company.warp && !is_made_of(found.start, Thread::first_axis)))
    return false;
  SmallSetVector<BasicBlock*, 16> blocks;
  for (BasicBlock& block : *found.header->getParent()) blocks.insert(&block);
  GuardQuestions ask;
  ask.blocks = &blocks;
  ask.is_uniform = [&](const Instruction& value) {
    return company.warp && company.is_same(&value);
  };
  ask.trusts_uniform = ask.lanes_are_low_bits = company.warp;
  if (growth(found.start, ask) != std::optional<int>(1)) return false;
  // The loop is decided by the first thread, so its index must be the smallest.
  if (ICmpInst::isRelational(found.predicate) && may_wrap(*found.start, ICmpInst::isSigned(found.predicate), ask)) return false;

  // What leaves the loop must be what the loop carries.
  for (BasicBlock* block : loop.blocks())
    for (Instruction& instruction : *block)
      for (Use& use : instruction.uses()) {
        auto* user = cast<Instruction>(use.getUser());
        if (loop.contains(user)) continue;
        auto* phi = dyn_cast<PHINode>(user);
        if (!phi || phi->getParent() != found.after) return false;
        bool is_carried = false;
        for (PHINode& carried : found.header->phis())
          is_carried |= &carried != found.index &&
                        carried.getIncomingValueForBlock(found.latch) == &instruction;
        if (!is_carried) return false;
      }
  // A thread may now come by without a pass of its own: what it takes from the
  // loop must be what it would have taken past it.
  for (PHINode& phi : found.after->phis()) {
    Value* past = phi.getIncomingValueForBlock(found.before);
    Value* last = phi.getIncomingValueForBlock(found.latch);
    bool is_same = past == last;
    for (PHINode& carried : found.header->phis())
      is_same |= carried.getIncomingValueForBlock(found.latch) == last &&
                 carried.getIncomingValueForBlock(outside) == past;
    if (!is_same) return false;
  }
  return true;
}

void turn(Stride& loop, const Company& company) {
  Function& kernel = *loop.header->getParent();
  Function* barrier = loop_barrier(*kernel.getParent(), company.warp ? Sync::lane_loop : Sync::loop);
  LLVMContext& context = kernel.getContext();
  IRBuilder<> build(loop.before->getTerminator());
  Value* least = for_thread_zero(build, loop.start, company,
                                 !company.warp && grows_with_blocks(loop.start));
  Value* enters = build.CreateICmp(loop.predicate, least, loop.bound);
  auto* first = cast<BranchInst>(loop.before->getTerminator());
  if (first->getSuccessor(0) == loop.after) enters = build.CreateNot(enters);
  first->setCondition(enters);

  // The header decides for each thread, the end of the pass for all.
  BasicBlock* body = SplitBlock(loop.header, loop.header->getFirstNonPHI()->getIterator());
  if (loop.latch == loop.header) loop.latch = body;
  BasicBlock* end = BasicBlock::Create(context, "pass.end", &kernel, loop.after);
  build.SetInsertPoint(&*loop.header->begin());
  Type* type = loop.index->getType();
  PHINode* offset = build.CreatePHI(type, 2, "pass.offset");
  build.SetInsertPoint(loop.header->getTerminator());
  build.CreateCall(barrier);
  Value* index = build.CreateAdd(loop.start, offset);
  build.CreateCondBr(build.CreateICmp(loop.predicate, index, loop.bound), body, end);
  loop.header->getTerminator()->eraseFromParent();
  loop.latch->getTerminator()->eraseFromParent();
  BranchInst::Create(end, loop.latch);

  build.SetInsertPoint(end);
  DenseMap<Value*, PHINode*> carried;
  for (PHINode& phi : loop.header->phis()) {
    if (&phi == loop.index || &phi == offset) continue;
    const int from = phi.getBasicBlockIndex(loop.latch);
    Value* value = phi.getIncomingValue(from);
    PHINode*& merged = carried[value];
    // Two values that are carried alike may still have begun differently.
    PHINode* own = build.CreatePHI(phi.getType(), 2);
    own->addIncoming(value, loop.latch);
    own->addIncoming(&phi, loop.header);
    if (!merged) merged = own;
    phi.setIncomingBlock(from, end);
    phi.setIncomingValue(from, own);
  }
  build.CreateCall(barrier);
  Value* next = build.CreateAdd(offset, loop.step);
  Value* goes_on = build.CreateICmp(loop.predicate, build.CreateAdd(least, next), loop.bound);
  build.CreateCondBr(goes_on, loop.header, loop.after);
  for (BasicBlock* from : predecessors(loop.header))
    offset->addIncoming(from == end ? next : Constant::getNullValue(type), from);
  for (PHINode& phi : loop.after->phis()) {
    const int from = phi.getBasicBlockIndex(loop.latch);
    Value* value = phi.getIncomingValue(from);
    phi.setIncomingBlock(from, end);
    if (const auto found = carried.find(value); found != carried.end())
      phi.setIncomingValue(from, found->second);
  }
  loop.index->replaceAllUsesWith(index);
  loop.index->eraseFromParent();
  build.SetInsertPoint(loop.after->getFirstInsertionPt());
  build.CreateCall(barrier);
}

// Values that begin differently but end alike cannot be told apart at the exit.
bool carries_twice(const Stride& loop) {
  SmallPtrSet<Value*, 8> seen;
  for (PHINode& phi : loop.header->phis())
    if (!seen.insert(phi.getIncomingValueForBlock(loop.latch)).second) return true;
  return false;
}

}  // namespace

void add_loop_barriers(Function& kernel, const BlockShape* of_warps) {
  bool changed = true;
  SmallPtrSet<BasicBlock*, 8> done;
  while (changed) {
    changed = false;
    DominatorTree dominators(kernel);
    const LoopInfo loops(dominators);
    if (loops.empty()) return;
    const PostDominatorTree joins(kernel);
    std::optional<Uniformity> warp;
    Company company;
    if (of_warps) {
      warp.emplace(kernel, *of_warps, Granule::warp);
      company = {&*warp, warp->apart()};
    }
    for (const Loop* loop : loops.getLoopsInPreorder()) {
      Stride stride{};
      if ((!of_warps && loop->getParentLoop()) || done.contains(loop->getHeader()) ||
          !find(stride, *loop, dominators, joins, company) || carries_twice(stride))
        continue;
      done.insert(stride.header);
      turn(stride, company);
      changed = true;
      break;
    }
  }
}

void drop_loop_barriers(std::vector<SyncPoint>& syncs, Sync kind) {
  std::vector<SyncPoint> kept;
  for (SyncPoint& sync : syncs) {
    if (sync.sync == kind) {
      sync.call->eraseFromParent();
      continue;
    }
    sync.number = kept.size() + 1;
    if (!is_loop_cut(sync.sync)) {
      auto* arrival =
          cast<CallInst>(sync.block->getSinglePredecessor()->getTerminator()->getPrevNode());
      arrival->setArgOperand(0,
                             ConstantInt::get(arrival->getArgOperand(0)->getType(), sync.number));
    }
    kept.push_back(sync);
  }
  syncs = std::move(kept);
}

}  // namespace kasoku::embedded
