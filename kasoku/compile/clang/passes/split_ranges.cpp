#include "kasoku/compile/clang/passes/split_ranges.h"

#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/passes/rematerialize.h"
#include "kasoku/compile/clang/passes/split_at_syncs.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"

#include <optional>

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr int deepest_bound = 12;

// Splits a condition into the parts that must hold for it to be `side`.
bool take_apart(Value* condition, bool side, const GuardQuestions& ask,
                std::vector<std::pair<Value*, bool>>& parts, bool& grows) {
  using namespace PatternMatch;
  Value *a = nullptr, *b = nullptr;
  if (match(condition, m_Not(m_Value(a)))) return take_apart(a, !side, ask, parts, grows);
  if (side ? match(condition, m_LogicalAnd(m_Value(a), m_Value(b)))
           : match(condition, m_LogicalOr(m_Value(a), m_Value(b))))
    return take_apart(a, side, ask, parts, grows) && take_apart(b, side, ask, parts, grows);
  if (const auto* compare = dyn_cast<ICmpInst>(condition);
      compare && ask.blocks->contains(const_cast<BasicBlock*>(compare->getParent())) &&
      compare->getOperand(0)->getType()->isIntegerTy()) {
    const auto left = growth(compare->getOperand(0), ask), right = growth(compare->getOperand(1), ask);
    if (!left || !right || *left + *right > 1) return false;
    grows |= *left + *right == 1;
  } else if (growth(condition, ask) != std::optional<int>(0)) {
    return false;
  }
  parts.push_back({condition, side});
  return true;
}

bool has_effect(const Instruction& instruction) {
  return instruction.mayHaveSideEffects() && !instruction.isTerminator();
}

// The number of instructions on that side. Sums that a loop carries have no effect, but make their side the longer
// one.
size_t length(const BasicBlock* block, const GuardQuestions& ask) {
  size_t sum = 0;
  for (int steps = 0; steps < 8 && block && !ask.leaves_region(*block); ++steps) {
    sum += block->size();
    block = block->getSingleSuccessor();
  }
  return sum;
}

// Whether the settled range is part of the truth only: an unsigned index passes zero, or a
// thread in the middle is the only one that differs.
bool leaves_some_out(const Guard& guard, const GuardQuestions& ask) {
  for (const auto& [condition, wanted] : guard.parts) {
    const auto* compare = dyn_cast<ICmpInst>(condition);
    if (!compare) continue;
    const bool differs =
        compare->isEquality() && (compare->getPredicate() == ICmpInst::ICMP_EQ) != wanted;
    for (const unsigned side : {0u, 1u}) {
      const Value* index = compare->getOperand(side);
      if (growth(index, ask) == std::optional<int>(0)) continue;
      if ((compare->isRelational() || differs) && may_wrap(*index, compare->isSigned(), ask)) return true;
      // Only the first thread's index can be zero.
      const auto* other = dyn_cast<Constant>(compare->getOperand(1 - side));
      if (differs && !(other && other->isNullValue())) return true;
    }
  }
  return false;
}

bool is_equality(const Guard& guard) {
  if (guard.parts.size() != 1) return false;
  const auto* compare = dyn_cast<ICmpInst>(guard.parts[0].first);
  return compare && compare->isEquality();
}

bool holds_for_one(const Guard& guard) {
  if (!is_equality(guard)) return false;
  const auto* compare = cast<ICmpInst>(guard.parts[0].first);
  return (compare->getPredicate() == ICmpInst::ICMP_EQ) == guard.parts[0].second;
}

// An index that is `first` for counter 0 and grows by one, beside what it is compared with.
struct Comparison {
  CmpInst::Predicate predicate;
  Value* first;
  Value* bound;
  Value* skipped = nullptr;  // counters before the one whose index is the least number
};

// The range of counters for which all holds that it was told; at first [0, extent).
class SettledRange {
 public:
  SettledRange(IRBuilderBase& build, Value* extent)
      : build_(build), extent_(extent), zero_(build.getInt32(0)), one_(build.getInt32(1)), low_(zero_), high_(extent) {}

  void keep_all_if(Value* holds) { below(build_.CreateSelect(holds, extent_, zero_)); }

  void keep_if(Comparison compare, bool may_wrap) {
    if (ICmpInst::isRelational(compare.predicate) && may_wrap && compare.first->getType()->getIntegerBitWidth() >= 32)
      begin_at_least_number(compare);
    if (compare.skipped) at_least(zero_, compare.skipped);
    if (ICmpInst::isEquality(compare.predicate)) keep_if_equal(compare);
    else keep_if_ordered(compare);
  }

  std::pair<Value*, Value*> range() {
    low_ = build_.CreateBinaryIntrinsic(Intrinsic::umin, low_, extent_);
    high_ = build_.CreateBinaryIntrinsic(Intrinsic::umax, low_, high_);
    return {low_, high_};
  }

 private:
  void at_least(Value* bound, Value* offset = nullptr) {
    if (offset) bound = build_.CreateAdd(bound, offset);
    low_ = build_.CreateBinaryIntrinsic(Intrinsic::umax, low_, bound);
  }

  void below(Value* bound, Value* offset = nullptr) {
    if (offset) bound = build_.CreateAdd(bound, offset);
    high_ = build_.CreateBinaryIntrinsic(Intrinsic::umin, high_, bound);
  }

  // An index that passes from the largest number to the least is ordered from there on only.
  void begin_at_least_number(Comparison& compare) {
    const bool is_signed = CmpInst::isSigned(compare.predicate);
    Type* type = compare.first->getType();
    const unsigned bits = type->getIntegerBitWidth();
    Value* least = ConstantInt::get(type, is_signed ? APInt::getSignedMinValue(bits) : APInt::getZero(bits));
    Value* to_least = build_.CreateSub(least, compare.first);
    Value* wraps = build_.CreateAnd(build_.CreateICmpNE(compare.first, least),
                                    build_.CreateICmpULT(to_least, build_.CreateZExt(extent_, type)));
    if (is_signed) {  // seldom: no thread is settled then, since limited_index() of a settled one does not wrap
      below(build_.CreateSelect(wraps, zero_, extent_));
      return;
    }
    to_least = build_.CreateSelect(wraps, to_least, Constant::getNullValue(type));
    compare.first = build_.CreateAdd(compare.first, to_least);
    compare.skipped = build_.CreateTrunc(to_least, build_.getInt32Ty());
  }

  // From the first index to the bound, `most` if that is less. Distances are at most a block; narrow
  // types are widened before that is asked.
  Value* limited(Value* distance, Value* most) {
    Type* type = distance->getType();
    Type* wide = type->getIntegerBitWidth() < 32 ? build_.getInt32Ty() : type;
    Value* from = build_.CreateZExt(distance, wide);
    Value* smaller = build_.CreateBinaryIntrinsic(Intrinsic::umin, from, build_.CreateZExtOrTrunc(most, wide));
    return build_.CreateTrunc(smaller, build_.getInt32Ty());
  }

  void keep_if_ordered(const Comparison& compare) {
    Value* distance = build_.CreateSub(compare.bound, compare.first);
    const auto predicate = compare.predicate;
    const bool keeps_low = predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_ULT ||
                           predicate == CmpInst::ICMP_SLE || predicate == CmpInst::ICMP_ULE;
    // first < bound, or first <= bound, where the bound itself is on the low side
    const auto less = CmpInst::isSigned(predicate) ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT;
    const bool has_bound = predicate != less && predicate != CmpInst::getInversePredicate(less);
    Value* n_low = nullptr;
    if (has_bound) n_low = build_.CreateAdd(limited(distance, build_.CreateSub(extent_, one_)), one_);
    else n_low = limited(distance, extent_);
    Value* is_any_low = build_.CreateICmp(has_bound ? CmpInst::getNonStrictPredicate(less) : less, compare.first, compare.bound);
    Value* end = build_.CreateSelect(is_any_low, n_low, zero_);
    if (keeps_low) below(end, compare.skipped);
    else at_least(end, compare.skipped);
  }

  void keep_if_equal(const Comparison& compare) {
    Value* at = limited(build_.CreateSub(compare.bound, compare.first), extent_);  // extent: nowhere in the block
    if (compare.predicate == CmpInst::ICMP_EQ) {
      at_least(at);
      below(build_.CreateAdd(at, one_));
      return;
    }
    // The longer range, before or behind the one thread, is run as vectors.
    Value* is_early = build_.CreateICmpULT(at, build_.CreateLShr(extent_, 1));
    at_least(build_.CreateSelect(is_early, build_.CreateAdd(at, one_), zero_));
    below(build_.CreateSelect(is_early, extent_, at));
  }

  IRBuilderBase& build_;
  Value* extent_;
  Value* zero_;
  Value* one_;
  Value* low_;
  Value* high_;
};

}  // namespace

bool does_nothing(const BasicBlock* block, const GuardQuestions& ask) {
  for (int steps = 0; steps < 8; ++steps) {
    if (ask.leaves_region(*block)) return true;
    for (const Instruction& instruction : *block)
      if (has_effect(instruction) &&
          !(is_arrival(instruction) && cast<CallInst>(instruction).arg_size() == 1))
        return false;
    if (isa<ReturnInst>(block->getTerminator())) return true;
    block = block->getSingleSuccessor();
    if (!block) return false;
  }
  return false;
}

BlockSet made_before(const BlockSet& way, const GuardQuestions& ask) {
  BlockSet after;
  const auto add_next = [&](BasicBlock* block) {
    for (BasicBlock* next : successors(block))
      if (!ask.leaves_region(*next)) after.insert(next);
  };
  add_next(way.back());
  for (size_t i = 0; i < after.size() && !after.contains(way.back()); ++i) add_next(after[i]);
  return after.contains(way.back()) ? *ask.blocks : way;
}

// Indices of threads stay below 2^31, so sums and products of them do not wrap.
bool may_wrap(const Value& value, bool is_signed, const GuardQuestions& ask, int depth) {
  constexpr unsigned largest = 1u << 20;
  const auto* instruction = dyn_cast<Instruction>(&value);
  if (!instruction) {
    const auto* constant = dyn_cast<ConstantInt>(&value);
    return !constant || (is_signed ? constant->getValue().abs() : constant->getValue()).ugt(largest);
  }
  if (index_of(*instruction) != Index::none) return false;
  if (depth > deepest_bound) return true;
  const auto wraps = [&](const Use& operand) { return may_wrap(*operand, is_signed, ask, depth + 1); };
  switch (instruction->getOpcode()) {
    case Instruction::Add: case Instruction::Sub:
      if (is_signed ? instruction->hasNoSignedWrap() : instruction->hasNoUnsignedWrap())
        return any_of(instruction->operands(), [&](const Use& operand) {
          return growth(operand, ask, depth + 1) != std::optional<int>(0) && wraps(operand);
        });
      if (instruction->getOpcode() == Instruction::Sub && !is_signed) return true;
      return any_of(instruction->operands(), wraps);
    case Instruction::Mul: case Instruction::Shl: case Instruction::Or: case Instruction::ZExt:
      return any_of(instruction->operands(), wraps);
    case Instruction::SExt: return !is_signed || wraps(instruction->getOperandUse(0));
    case Instruction::And: return all_of(instruction->operands(), wraps);
    case Instruction::URem: case Instruction::UDiv: case Instruction::LShr: return wraps(instruction->getOperandUse(0));
    default: return true;
  }
}

static bool is_row_index(const Value* value) {
  if (const auto* wide = dyn_cast<ZExtInst>(value)) value = wide->getOperand(0);
  const auto* instruction = dyn_cast<Instruction>(value);
  return instruction && index_of(*instruction) == Index::tid_x;
}

std::optional<int> growth(const Value* value, const GuardQuestions& ask, int depth) {
  using namespace PatternMatch;
  const auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction) return 0;
  if (const Index index = index_of(*instruction); index != Index::none)
    return index == (ask.y_is_fast ? Index::tid_y : Index::tid_x) ? 1 : 0;
  if (isa<AllocaInst>(instruction) || depth > deepest_bound) return {};
  if (ask.trusts_uniform && ask.is_uniform(*instruction)) return 0;
  if (!ask.blocks->contains(const_cast<BasicBlock*>(instruction->getParent()))) {
    if (ask.is_uniform(*instruction)) return 0;
    return {};
  }
  if (!is_cheap(*instruction)) return {};
  SmallVector<int, 3> of;
  for (const Use& operand : instruction->operands()) {
    const auto grows = growth(operand, ask, depth + 1);
    if (!grows) return {};
    of.push_back(*grows);
  }
  int sum = 0;
  for (const int grows : of) sum += grows;
  if (sum == 0) return 0;
  switch (instruction->getOpcode()) {
    case Instruction::Add: break;
    case Instruction::Sub: sum = of[0] - of[1]; break;
    case Instruction::ZExt:
    case Instruction::SExt:
      if (may_wrap(*instruction->getOperand(0), instruction->getOpcode() == Instruction::SExt, ask, depth + 1)) return {};
      break;
    case Instruction::Or:
      if (!cast<PossiblyDisjointInst>(instruction)->isDisjoint()) return {};
      break;
    case Instruction::And:
      // threadIdx.x & 31 in a loop over the lanes of one warp; of a sum it begins anew within the warp
      if (!ask.lanes_are_low_bits || !match(instruction->getOperand(1), m_SpecificInt(31)) ||
          !is_row_index(instruction->getOperand(0)))
        return {};
      break;
    default: return {};
  }
  if (sum == 0 || sum == 1) return sum;
  return {};
}

bool differs_for_one(const ICmpInst& compare, const GuardQuestions& ask) {
  if (!compare.isEquality()) return false;
  const auto left = growth(compare.getOperand(0), ask), right = growth(compare.getOperand(1), ask);
  return left && right && *left + *right == 1;
}

BasicBlock* way_of_one(const BranchInst& branch, const GuardQuestions& ask) {
  if (!branch.isConditional()) return nullptr;
  const auto* compare = dyn_cast<ICmpInst>(branch.getCondition());
  if (!compare || !differs_for_one(*compare, ask)) return nullptr;
  BasicBlock* way = branch.getSuccessor(compare->getPredicate() == ICmpInst::ICMP_EQ ? 0 : 1);
  return way->getSinglePredecessor() ? way : nullptr;
}

Instruction* limited_index(Value* condition, bool wanted, const GuardQuestions& ask) {
  auto* compare = dyn_cast<ICmpInst>(condition);
  if (!compare || !compare->isSigned()) return nullptr;
  const auto predicate = wanted ? compare->getPredicate() : compare->getInversePredicate();
  const bool is_left = predicate == CmpInst::ICMP_SLT || predicate == CmpInst::ICMP_SLE;
  auto* index = dyn_cast<Instruction>(compare->getOperand(is_left ? 0 : 1));
  const bool grows = index && index_of(*index) == Index::none &&
                     growth(index, ask) == std::optional<int>(1);
  return grows && index->getType()->getIntegerBitWidth() >= 32 ? index : nullptr;
}

static bool grows_in(const ICmpInst& compare, const GuardQuestions& ask) {
  return any_of(compare.operands(),
                [&](const Use& side) { return growth(side, ask) != std::optional<int>(0); });
}

bool settles_all(const Guard& guard, const GuardQuestions& around) {
  const GuardQuestions ask = around.at(guard);
  if (guard.parts.size() != 1 || leaves_some_out(guard, ask)) return false;
  const auto* compare = dyn_cast<ICmpInst>(guard.parts[0].first);
  if (!compare || !ask.blocks->contains(const_cast<BasicBlock*>(compare->getParent())) ||
      !grows_in(*compare, ask))
    return true;  // the same for all threads
  return !compare->isEquality() ||
         (compare->getPredicate() == ICmpInst::ICMP_EQ) == guard.parts[0].second;
}

bool leaves_one_out(const Guard& guard, const GuardQuestions& around) {
  const GuardQuestions ask = around.at(guard);
  if (!is_equality(guard) || holds_for_one(guard)) return false;
  const auto* compare = cast<ICmpInst>(guard.parts[0].first);
  return ask.blocks->contains(const_cast<BasicBlock*>(compare->getParent())) && grows_in(*compare, ask);
}

RegionGuards find_guards(BasicBlock& start, const GuardQuestions& around) {
  RegionGuards found;
  bool effects_before = false;
  BlockSet way;
  GuardQuestions ask = around;
  for (BasicBlock* block = &start; block && way.insert(block);) {
    if (ask.leaves_region(*block) && block != &start) break;
    for (const Instruction& instruction : *block)
      effects_before |= has_effect(instruction) && sync_of(instruction) == Sync::none;
    auto* branch = dyn_cast<BranchInst>(block->getTerminator());
    if (!branch) break;
    if (branch->isUnconditional()) {
      block = branch->getSuccessor(0);
      continue;
    }
    if (const auto side = ask.decided ? ask.decided(*branch) : std::nullopt) {
      block = branch->getSuccessor(*side ? 0 : 1);
      continue;
    }
    const bool nothing_if[] = {does_nothing(branch->getSuccessor(1), ask),
                               does_nothing(branch->getSuccessor(0), ask)};
    const BlockSet made_in = made_before(way, around);
    ask.blocks = &made_in;
    Guard guard{branch, true, {}, made_in};
    bool grows = false;
    const auto try_side = [&](bool side) {
      guard.side = side;
      guard.parts.clear();
      grows = false;
      return take_apart(branch->getCondition(), side, ask, guard.parts, grows) && grows;
    };
    const bool likely =
        nothing_if[0] && nothing_if[1]
            ? length(branch->getSuccessor(0), ask) >= length(branch->getSuccessor(1), ask)
            : !nothing_if[1];
    if (!try_side(likely) && !try_side(!likely)) {
      // A condition that is the same for all threads need not be asked in their loop.
      guard.parts.clear();
      grows = false;
      if (!ask.splits_uniform || !found.all.empty() ||
          !take_apart(branch->getCondition(), likely, ask, guard.parts, grows) || grows)
        break;
      guard.side = likely;
    }
    // One thread does something that the others do not: most do not.
    if (holds_for_one(guard) && !nothing_if[!guard.side]) try_side(!guard.side);
    found.all.push_back(guard);
    found.of_one_thread |= holds_for_one(guard);
    found.others_do_nothing = (found.all.size() == 1 || found.others_do_nothing) && !effects_before &&
                              nothing_if[!guard.side] && !leaves_some_out(guard, ask);
    block = branch->getSuccessor(guard.side ? 0 : 1);
  }
  return found;
}

std::pair<Value*, Value*> settled_range(IRBuilderBase& build, const RegionGuards& guards,
                                        Value* extent, const GuardQuestions& around,
                                        const std::function<Value*(const BlockSet&, Value*)>& at) {
  SettledRange settled(build, extent);
  for (const Guard& guard : guards.all) {
    const GuardQuestions ask = around.at(guard);
    const auto at_zero = [&](Value* value) { return at(guard.made_in, value); };
    for (const auto& [condition, wanted] : guard.parts) {
      auto* compare = dyn_cast<ICmpInst>(condition);
      const bool is_inside = compare && ask.blocks->contains(compare->getParent());
      const bool left = is_inside && growth(compare->getOperand(0), ask) == std::optional<int>(1);
      const bool right = is_inside && growth(compare->getOperand(1), ask) == std::optional<int>(1);
      if (!left && !right) {
        Value* holds = at_zero(condition);
        if (!wanted) holds = build.CreateNot(holds);
        settled.keep_all_if(holds);
        continue;
      }
      Value* index = compare->getOperand(left ? 0 : 1);
      auto predicate = left ? compare->getPredicate() : compare->getSwappedPredicate();
      if (!wanted) predicate = CmpInst::getInversePredicate(predicate);
      Value* first = at_zero(index);
      Value* bound = at_zero(compare->getOperand(left ? 1 : 0));
      settled.keep_if({predicate, first, bound}, may_wrap(*index, compare->isSigned(), ask));
    }
  }
  return settled.range();
}

}  // namespace kasoku::embedded
