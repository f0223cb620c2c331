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
  Value* low = build.getInt32(0);
  Value* high = extent;
  Value* offset = nullptr;
  const auto at_least = [&](Value* bound) {
    if (offset) bound = build.CreateAdd(bound, offset);
    low = build.CreateBinaryIntrinsic(Intrinsic::umax, low, bound);
  };
  const auto below = [&](Value* bound) {
    if (offset) bound = build.CreateAdd(bound, offset);
    high = build.CreateBinaryIntrinsic(Intrinsic::umin, high, bound);
  };
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
        below(build.CreateSelect(holds, extent, build.getInt32(0)));
        continue;
      }
      auto predicate = left ? compare->getPredicate() : compare->getSwappedPredicate();
      if (!wanted) predicate = CmpInst::getInversePredicate(predicate);
      Value* first = at_zero(compare->getOperand(left ? 0 : 1));  // grows from here by one
      Value* bound = at_zero(compare->getOperand(left ? 1 : 0));
      Type* type = first->getType();
      Value* skipped = nullptr;  // threads before the one whose index is the least number
      const unsigned bits = type->getIntegerBitWidth();
      if (compare->isRelational() && bits >= 32 && may_wrap(*compare->getOperand(left ? 0 : 1), compare->isSigned(), ask)) {
        Value* least = ConstantInt::get(type, compare->isSigned() ? APInt::getSignedMinValue(bits) : APInt::getZero(bits));
        Value* to_least = build.CreateSub(least, first);
        Value* wraps = build.CreateAnd(build.CreateICmpNE(first, least),
                                       build.CreateICmpULT(to_least, build.CreateZExt(extent, type)));
        if (compare->isSigned()) {  // seldom: no thread is settled then, since limited_index() of a settled one does not wrap
          below(build.CreateSelect(wraps, build.getInt32(0), extent));
        } else {
          to_least = build.CreateSelect(wraps, to_least, Constant::getNullValue(type));
          first = build.CreateAdd(first, to_least);
          skipped = build.CreateTrunc(to_least, build.getInt32Ty());
        }
      }
      offset = skipped;
      if (skipped) at_least(build.getInt32(0));
      Value* distance = build.CreateSub(bound, first);
      // Distances are at most a block; narrow types are widened before that is asked.
      Type* wide = type->getIntegerBitWidth() < 32 ? build.getInt32Ty() : type;
      const auto limited = [&](Value* most) {
        Value* from = build.CreateZExt(distance, wide);
        Value* smaller = build.CreateBinaryIntrinsic(Intrinsic::umin, from,
                                                     build.CreateZExtOrTrunc(most, wide));
        return build.CreateTrunc(smaller, build.getInt32Ty());
      };
      Value* one = build.getInt32(1);
      Value* zero = build.getInt32(0);
      Value* before_last = build.CreateSub(extent, one);
      const bool is_signed = CmpInst::isSigned(predicate);
      const auto ordered = [&](bool or_equal) {  // first < bound
        const auto less = is_signed ? (or_equal ? CmpInst::ICMP_SLE : CmpInst::ICMP_SLT)
                                    : (or_equal ? CmpInst::ICMP_ULE : CmpInst::ICMP_ULT);
        return build.CreateICmp(less, first, bound);
      };
      switch (predicate) {
        case CmpInst::ICMP_SLT: case CmpInst::ICMP_ULT:
          below(build.CreateSelect(ordered(false), limited(extent), zero));
          break;
        case CmpInst::ICMP_SLE: case CmpInst::ICMP_ULE:
          below(build.CreateSelect(ordered(true), build.CreateAdd(limited(before_last), one), zero));
          break;
        case CmpInst::ICMP_SGE: case CmpInst::ICMP_UGE:
          at_least(build.CreateSelect(ordered(false), limited(extent), zero));
          break;
        case CmpInst::ICMP_SGT: case CmpInst::ICMP_UGT:
          at_least(
              build.CreateSelect(ordered(true), build.CreateAdd(limited(before_last), one), zero));
          break;
        default: {
          Value* at = limited(extent);  // extent: nowhere in the block
          if (predicate == CmpInst::ICMP_EQ) {
            at_least(at);
            below(build.CreateAdd(at, one));
          } else {
            // The longer range, before or behind the one thread, is run as vectors.
            Value* is_early = build.CreateICmpULT(at, build.CreateLShr(extent, 1));
            at_least(build.CreateSelect(is_early, build.CreateAdd(at, one), zero));
            below(build.CreateSelect(is_early, extent, at));
          }
        }
      }
      offset = nullptr;
    }
  }
  low = build.CreateBinaryIntrinsic(Intrinsic::umin, low, extent);
  high = build.CreateBinaryIntrinsic(Intrinsic::umax, low, high);
  return {low, high};
}

}  // namespace kasoku::embedded
