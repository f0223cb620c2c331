#include "kasoku/compile/clang/passes/aggregate_atomics.h"

#include "kasoku/compile/clang/passes/split_ranges.h"
#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/passes/launch_values.h"
#include "kasoku/compile/clang/passes/meeting_lift.h"
#include "kasoku/compile/clang/passes/uniformity.h"
#include "kasoku/compile/clang/passes/volatile_barriers.h"
#include "kasoku/compile/clang/shared_variables.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

#include <vector>

namespace kasoku::embedded {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr const char* aggregate_mark = "ks.aggregate";
constexpr const char* contribute_name = "ks_contribute";

StringRef callee_name(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  return callee ? callee->getName() : StringRef();
}

// Whether all blocks add to the same counter and use the value that it held before.
bool is_candidate(const AtomicRMWInst& atomic) {
  const Type* type = atomic.getType();
  if (atomic.getOperation() != AtomicRMWInst::Add || !(type->isIntegerTy(32) || type->isIntegerTy(64)) ||
      atomic.use_empty() || atomic.isVolatile() || atomic.getOrdering() != AtomicOrdering::Monotonic ||
      !is_of_launch(atomic.getPointerOperand()))
    return false;
  SmallVector<const Value*, 4> objects;  // several, of which a parameter selects one
  getUnderlyingObjects(atomic.getPointerOperand(), objects, nullptr, /*MaxLookup=*/0);
  return none_of(objects, is_shared_variable);
}

// Whether the instruction may wait for another block, or tells others how far this one is.
bool may_wait(const Instruction& at) {
  if (isa<FenceInst>(at) || at.isVolatile()) return true;
  if (at.isAtomic() && (isa<LoadInst>(at) || isa<StoreInst>(at))) return true;
  const Sync sync = sync_of(at);
  if (sync == Sync::grid_barrier || sync == Sync::turn || sync == Sync::match_any || sync == Sync::match_all) return true;
  const auto* call = dyn_cast<CallBase>(&at);
  if (!call || sync != Sync::none || index_of(at) != Index::none || isa<IntrinsicInst>(call) ||
      call->doesNotAccessMemory())
    return false;
  return !StringSwitch<bool>(callee_name(*call))
              .Cases("ks_rt_printf", "ks_rt_assert_fail", "ks_rt_trap", "ks_rt_malloc", "ks_rt_free", true)
              .Default(false);
}

// Moves what an expression of the launch's values is made of to the entry block, where all threads begin.
void hoist(Value* of_launch) {
  auto* made = dyn_cast<Instruction>(of_launch);
  if (!made) return;
  BasicBlock& entry = made->getFunction()->getEntryBlock();
  if (made->getParent() == &entry) return;
  for (Value* operand : made->operands()) hoist(operand);
  made->moveBefore(entry.getTerminator());
}

bool is_lane(const Value* value) {
  Value* index = nullptr;
  if (!match(value, m_And(m_Value(index), m_SpecificInt(31)))) return false;
  const auto* made = dyn_cast<Instruction>(index);
  return made && index_of(*made) == Index::tid_x;
}

Value* lane_of(IRBuilderBase& build) { return build.CreateAnd(index_value(build, Index::tid_x), 31, "lane"); }

// The lane's bit of a word, in the form from which a loop over lanes can become one over the bits of the word.
Value* lane_bit(IRBuilderBase& build, Value* word, Value* lane) {
  Value* bit = build.CreateAnd(build.CreateLShr(word, lane), 1);
  return build.CreateICmpNE(bit, build.getInt32(0));
}

class Aggregator {
 public:
  Aggregator(Function& kernel, const BlockShape& shape) : kernel_(kernel), module_(*kernel.getParent()), shape_(shape) {}

  bool run(AtomicRMWInst& atomic, unsigned place) {
    const Way way = way_to(atomic);
    if (way.many && !is_of_launch(atomic.getValOperand())) return false;
    Value* amount = atomic.getValOperand();
    Type* type = atomic.getType();
    BasicBlock* before = atomic.getParent();
    SplitBlock(before, atomic.getIterator());
    IRBuilder<> build(before->getTerminator());
    Constant* number = build.getInt32(place);
    if (!way.many) contribute(build, number, amount, build.getTrue());
    build.SetInsertPoint(&atomic);
    FunctionCallee meet = module_.getOrInsertFunction(
        type->isIntegerTy(32) ? "ks_aggregate_i32" : "ks_aggregate_i64", type, build.getInt32Ty(),
        build.getPtrTy(), build.getInt1Ty());
    cast<Function>(meet.getCallee())->setConvergent();
    CallInst* call = build.CreateCall(meet, {number, atomic.getPointerOperand(), build.getInt1(way.one_of_block)});
    MeetingLift lift(kernel_, shape_, *call);
    if (!lift.run()) return false;
    Value* old = call;
    if (way.many) old = count(*call, atomic, number, lift);
    atomic.replaceAllUsesWith(old);
    atomic.eraseFromParent();
    if (!way.many) give_to_all(*call, way, lift.takes_part());
    return true;
  }

 private:
  // Who comes to an atomic: many, or the one of a block or warp that is `first`, if all it knows of
  // its company says so too.
  struct Way {
    bool many = true, one_of_block = false;
    const BranchInst* branch = nullptr;
    Value* first = nullptr;
    SmallVector<Value*, 2> others;  ///< what must hold besides
    bool others_are_same = true;    ///< for the warp
  };

  // Whether a value is the same for a warp, as the result of a vote is. Votes are still ordinary calls at this
  // point.
  static bool is_same(const Value* value, const Uniformity& uniformity, int depth = 0) {
    const auto* made = dyn_cast<Instruction>(value);
    if (!made || uniformity.is_uniform(*made) || sync_of(*made) == Sync::ballot) return true;
    if (depth > 8 || isa<PHINode>(made) || index_of(*made) != Index::none || made->mayReadOrWriteMemory() ||
        !isSafeToSpeculativelyExecute(made))
      return false;
    return all_of(made->operands(), [&](const Use& of) { return isa<Function>(of) || is_same(of, uniformity, depth + 1); });
  }

  Way way_to(const AtomicRMWInst& atomic) const {
    const DominatorTree dominators(kernel_);
    SmallSetVector<BasicBlock*, 16> blocks;
    for (BasicBlock& block : kernel_) blocks.insert(&block);
    for (const Granule granule : {Granule::block, Granule::warp}) {
      const bool of_block = granule == Granule::block;
      if (of_block && shape_.y * shape_.z != 1) continue;
      const Uniformity uniformity(kernel_, shape_, granule);
      GuardQuestions ask;
      ask.blocks = &blocks;
      ask.is_uniform = [&](const Instruction& value) {
        return of_block ? uniformity.is_uniform(value) : is_same(&value, uniformity);
      };
      ask.trusts_uniform = true;
      ask.lanes_are_low_bits = !of_block;
      for (const auto* at = dominators.getNode(atomic.getParent()); at; at = at->getIDom()) {
        const BasicBlock* from = at->getBlock()->getSinglePredecessor();
        const auto* branch = from ? dyn_cast<BranchInst>(from->getTerminator()) : nullptr;
        if (!branch || branch->isUnconditional()) continue;
        Way way;
        way.many = false, way.one_of_block = of_block, way.branch = branch;
        take_apart(branch->getCondition(), branch->getSuccessor(0) == at->getBlock(), ask, way);
        if (!way.first) continue;
        for (const Value* other : way.others) way.others_are_same &= is_same(other, uniformity);
        return way;
      }
    }
    return {};
  }

  static void take_apart(Value* condition, bool holds, const GuardQuestions& ask, Way& way) {
    Value *a = nullptr, *b = nullptr;
    const auto* compare = dyn_cast<ICmpInst>(condition);
    if (holds && match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))) {
      take_apart(a, holds, ask, way);
      take_apart(b, holds, ask, way);
    } else if (!way.first && compare && (compare->getPredicate() == ICmpInst::ICMP_EQ) == holds && differs_for_one(*compare, ask)) {
      way.first = compare->getOperand(growth(compare->getOperand(0), ask) == 1 ? 1 : 0);
    } else {
      way.others.push_back(condition);
    }
  }

  void contribute(IRBuilderBase& build, Value* number, Value* amount, Value* takes_part) {
    build.CreateCall(module_.getOrInsertFunction(contribute_name, FunctionType::get(build.getVoidTy(), {build.getInt32Ty()}, true)),
                     {number, amount, takes_part});
  }

  // Counts, where all lanes meet, how many of the warp take part, and gives each the number of its turn.
  Value* count(CallInst& call, AtomicRMWInst& atomic, Value* number, const MeetingLift& lift) {
    IRBuilder<> build(&call);
    Type* word = build.getInt32Ty();
    FunctionCallee ballot = module_.getOrInsertFunction("ks_ballot", FunctionType::get(word, {word, word}, false));
    cast<Function>(ballot.getCallee())->setConvergent();
    Value* takers = build.CreateCall(ballot, {build.getInt32(~0u), build.CreateZExt(lift.takes_part(), word)});
    Value* lane = lane_of(build);
    Value* is_first = build.CreateICmpEQ(lane, build.getInt32(0));
    Instruction* then = SplitBlockAndInsertIfThen(is_first, &call, /*Unreachable=*/false);
    const auto times = [&](Value* threads) {
      return build.CreateMul(build.CreateZExtOrTrunc(build.CreateUnaryIntrinsic(Intrinsic::ctpop, threads), call.getType()),
                             atomic.getValOperand());
    };
    build.SetInsertPoint(then);
    contribute(build, number, times(takers), build.CreateICmpNE(takers, build.getInt32(0)));
    if (lift.is_asked_once()) {
      auto* branch = cast<BranchInst>(call.getParent()->getTerminator());
      build.SetInsertPoint(branch);
      branch->setCondition(lane_bit(build, takers, lane));
    }
    build.SetInsertPoint(&atomic);
    lane = lane_of(build);
    Value* below = build.CreateSub(build.CreateShl(build.getInt32(1), lane), build.getInt32(1));
    return build.CreateAdd(&call, times(build.CreateAnd(takers, below)));
  }

  // `base = __shfl_sync(~0u, base, first)` gives the first lane's value to all.
  void give_to_all(CallInst& call, const Way& way, const Value* takes_part) {
    if (way.one_of_block || !way.others_are_same || takes_part != way.branch->getCondition()) return;
    for (User* user : make_early_inc_range(call.users())) {
      auto* phi = dyn_cast<PHINode>(user);
      if (!phi || phi->getNumIncomingValues() != 2) continue;
      Value* past = phi->getIncomingValue(phi->getIncomingValue(0) == &call ? 1 : 0);
      if (!isa<Constant>(past)) continue;
      for (User* of : make_early_inc_range(phi->users())) {
        auto* shuffle = dyn_cast<CallInst>(of);
        if (!shuffle || sync_of(*shuffle) != Sync::shfl_idx || shuffle->getArgOperand(1) != phi ||
            shuffle->getArgOperand(2) != way.first || !match(shuffle->getArgOperand(3), m_SpecificInt(32)))
          continue;
        IRBuilder<> build(shuffle);
        Value* is_there = build.CreateICmpULT(way.first, ConstantInt::get(way.first->getType(), 32));
        for (Value* other : way.others) is_there = build.CreateLogicalAnd(is_there, other);
        shuffle->replaceAllUsesWith(isa<UndefValue>(past) ? &call : build.CreateSelect(is_there, &call, past));
        shuffle->eraseFromParent();
      }
    }
  }

  Function& kernel_;
  Module& module_;
  BlockShape shape_;
};

// Whether a lane has voted is asked of the vote: of all that a thread carries past it, that is
// the same for its warp.
void ask_ballots(Function& kernel) {
  const DominatorTree dominators(kernel);
  SmallVector<CallInst*> ballots;
  for (Instruction& at : instructions(kernel))
    if (auto* call = dyn_cast<CallInst>(&at); call && sync_of(at) == Sync::ballot) ballots.push_back(call);
  for (CallInst* call : ballots) {
    Value* vote = nullptr;
    if (!match(call->getArgOperand(0), m_SpecificInt(0xffffffff)) ||
        !match(call->getArgOperand(1), m_ZExt(m_Value(vote))) || !vote->getType()->isIntegerTy(1))
      continue;
    SmallVector<BranchInst*> branches;
    for (User* user : vote->users())
      if (auto* branch = dyn_cast<BranchInst>(user); branch && dominators.dominates(call, branch)) branches.push_back(branch);
    for (BranchInst* branch : branches) {
      IRBuilder<> build(branch);
      branch->setCondition(lane_bit(build, call, lane_of(build)));
    }
  }
}

// Code that lanes run one by one, as the bits of a word say, gets a loop of its own if a loop around it goes on.
void cut_after_lanes(Function& kernel, const BlockShape& shape) {
  const Uniformity warp(kernel, shape, Granule::warp);
  const PostDominatorTree joins(kernel);
  const auto apart = warp.apart();
  SmallSetVector<BasicBlock*, 8> found;
  for (BasicBlock& block : kernel) {
    Value* bit = nullptr;
    const auto* branch = dyn_cast<BranchInst>(block.getTerminator());
    if (!branch || branch->isUnconditional() || apart.contains(&block) ||
        !match(branch->getCondition(), m_SpecificICmp(ICmpInst::ICMP_NE, m_Value(bit), m_Zero())) || !chosen_by(bit))
      continue;
    const auto* node = joins.getNode(&block);
    BasicBlock* join = node && node->getIDom() ? node->getIDom()->getBlock() : nullptr;
    if (!join) continue;
    const Instruction& first = *join->getFirstNonPHI();
    if (!isa<ReturnInst>(first) && sync_of(first) == Sync::none) found.insert(join);
  }
  for (BasicBlock* join : found)
    IRBuilder<>(join, join->getFirstInsertionPt()).CreateCall(loop_barrier(*kernel.getParent(), Sync::lane_loop));
}

struct Marked {
  AtomicRMWInst* atomic;
  unsigned number;
};

std::vector<Marked> marked(Function& kernel) {
  std::vector<Marked> found;
  for (Instruction& at : instructions(kernel))
    if (const MDNode* node = at.getMetadata(aggregate_mark))
      found.push_back({cast<AtomicRMWInst>(&at),
                       static_cast<unsigned>(mdconst::extract<ConstantInt>(node->getOperand(0))->getZExtValue())});
  return found;
}

uint64_t number_of(const Instruction& call) { return cast<ConstantInt>(cast<CallBase>(call).getArgOperand(0))->getZExtValue(); }

// Whether blocks stop elsewhere between a contribution and where they ask for their part of it: blocks that
// come later would be given theirs in the meantime, and what was there before is kept for one stop only.
bool is_early(const Instruction& contribution) {
  SmallSetVector<const BasicBlock*, 16> later;
  // Finds the first sync from there on in the block; null if there is none.
  const auto stop = [](const Instruction* at) {
    while (at && sync_of(*at) != Sync::aggregate) at = at->getNextNode();
    return at;
  };
  const auto is_elsewhere = [&](const Instruction* first, const BasicBlock& block) {
    const Instruction* found = stop(first);
    if (!found) later.insert(succ_begin(&block), succ_end(&block));
    return found && number_of(*found) != number_of(contribution);
  };
  if (is_elsewhere(&contribution, *contribution.getParent())) return true;
  for (size_t i = 0; i < later.size(); ++i)
    if (is_elsewhere(&later[i]->front(), *later[i])) return true;
  return false;
}

void return_at_one_place(Function& kernel) {
  SmallVector<ReturnInst*> ends;
  for (BasicBlock& block : kernel)
    if (auto* end = dyn_cast<ReturnInst>(block.getTerminator())) ends.push_back(end);
  if (ends.size() < 2) return;
  BasicBlock* one = BasicBlock::Create(kernel.getContext(), "end", &kernel);
  ReturnInst::Create(kernel.getContext(), one);
  for (ReturnInst* end : ends) {
    BranchInst::Create(one, end->getParent());
    end->eraseFromParent();
  }
}

}  // namespace

Value* chosen_by(Value* bit) {
  Value *word = nullptr, *lane = nullptr;
  const bool is_one = match(bit, m_And(m_LShr(m_Value(word), m_Value(lane)), m_One())) ||
                      match(bit, m_c_And(m_Shl(m_One(), m_Value(lane)), m_Value(word)));
  return is_one && is_lane(lane) && word->getType()->isIntegerTy(32) ? word : nullptr;
}

bool is_contribution(const Instruction& instruction) {
  const auto* call = dyn_cast<CallBase>(&instruction);
  return call && callee_name(*call) == contribute_name;
}

bool is_marked_aggregate(const Instruction& instruction) { return instruction.hasMetadata(aggregate_mark); }

bool mark_aggregates(Function& kernel, const BlockShape& shape) {
  if (!shape.is_known() || shape.is_single_thread() || !shape.rows_hold_whole_warps()) return false;
  SmallVector<AtomicRMWInst*> found;
  for (Instruction& at : instructions(kernel))
    if (auto* atomic = dyn_cast<AtomicRMWInst>(&at); atomic && is_candidate(*atomic)) found.push_back(atomic);
  if (found.empty() || any_of(instructions(kernel), may_wait) || waits_in_memory(kernel) || waits_for_locks(kernel)) return false;
  Type* word = Type::getInt32Ty(kernel.getContext());
  for (unsigned i = 0; i < found.size(); ++i)
    found[i]->setMetadata(aggregate_mark, MDNode::get(kernel.getContext(), ConstantAsMetadata::get(ConstantInt::get(word, i))));
  return true;
}

bool unmark_aggregate(Function& kernel, std::optional<unsigned> number) {
  const std::vector<Marked> all = marked(kernel);
  for (const Marked& at : all)
    if (!number || at.number == *number) at.atomic->setMetadata(aggregate_mark, nullptr);
  return number && all.size() > 1;
}

std::optional<unsigned> aggregate_atomics(Function& kernel, const BlockShape& shape) {
  return_at_one_place(kernel);
  const std::vector<Marked> all = marked(kernel);
  // This comes before any meeting is lifted: what is computed on the threads' ways there is then carried past it.
  for (const Marked& at : all)
    for (Value* operand : {at.atomic->getPointerOperand(), at.atomic->getValOperand()})
      if (is_of_launch(operand)) hoist(operand);
  Aggregator aggregator(kernel, shape);
  // LLVM may have written a block twice: two additions have one mark then, but each a counter of its own.
  for (unsigned i = 0; i < all.size(); ++i)
    if (!aggregator.run(*all[i].atomic, i)) return all[i].number;
  for (const Instruction& at : instructions(kernel))
    if (is_contribution(at) && is_early(at)) return all[number_of(at)].number;
  ask_ballots(kernel);
  cut_after_lanes(kernel, shape);
  return std::nullopt;
}

}  // namespace kasoku::embedded
