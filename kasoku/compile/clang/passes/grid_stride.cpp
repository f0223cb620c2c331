#include "kasoku/compile/clang/passes/grid_stride.h"

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/entry_frame.h"
#include "kasoku/compile/clang/passes/launch_values.h"
#include "kasoku/compile/clang/passes/converge_loops.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

namespace kasoku::embedded {

using namespace llvm;
using namespace llvm::PatternMatch;

namespace {

constexpr int deepest = 12;
constexpr size_t most_arrays = 6;
/// Indices and what is made of them stay below 2^31 in any type.
constexpr int64_t largest_index = int64_t{1} << 30;

// Takes conversions away that do not change a number below 2^31.
Value* narrow(Value* value) {
  while (isa<ZExtInst>(value) || isa<SExtInst>(value) ||
         (isa<TruncInst>(value) && value->getType()->getIntegerBitWidth() >= 32))
    value = cast<CastInst>(value)->getOperand(0);
  return value;
}

bool is_index(Value* value, Index which) {
  const auto* instruction = dyn_cast<Instruction>(narrow(value));
  return instruction && index_of(*instruction) == which;
}

bool is_index_times(Value* value, Index which, uint32_t row) {
  value = narrow(value);
  Value* index = nullptr;
  const bool is_product =
      match(value, m_c_Mul(m_Value(index), m_SpecificInt(row))) ||
      (isPowerOf2_32(row) && match(value, m_Shl(m_Value(index), m_SpecificInt(Log2_32(row)))));
  return is_product && is_index(index, which);
}

bool is_index_of_thread(Value* value, uint32_t row) {
  Value *a = nullptr, *b = nullptr;
  if (!match(narrow(value), m_AddLike(m_Value(a), m_Value(b)))) return false;
  if (is_index(b, Index::tid_x)) std::swap(a, b);
  return is_index(a, Index::tid_x) && is_index_times(b, Index::bid_x, row);
}

bool accesses_memory(const Instruction& instruction) {
  const auto* intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  return instruction.mayReadOrWriteMemory() && index_of(instruction) == Index::none &&
         !(intrinsic && intrinsic->isAssumeLikeIntrinsic());
}

// factor * i + constant
struct Linear {
  int64_t factor, constant;
};

class Analysis {
 public:
  Analysis(Loop& loop, const PHINode& index) : loop_(loop), index_(index) {}

  // Whether all that a pass does is known: from `i` and the launch alone, at places that
  // other passes do not touch unless two arrays are one.
  bool run(GridStride& found, const Value* next) {
    for (BasicBlock* block : loop_.blocks())
      for (Instruction& instruction : *block) {
        if (&instruction == &index_ || &instruction == next) continue;
        if (!suits(instruction)) return false;
        Value* pointer = getLoadStorePointerOperand(&instruction);
        if (pointer && !add(instruction, *pointer)) return false;
      }
    for (auto& [place, touched] : touched_) {
      if (touched.is_written && touched.last - touched.first > touched.step) return false;
      found.touched.push_back(touched);
    }
    found.largest_factor = largest_factor_;
    return found.touched.size() <= most_arrays;
  }

 private:
  bool suits(const Instruction& instruction) const {
    if (index_of(instruction) != Index::none || instruction.isVolatile() || instruction.isAtomic() ||
        (accesses_memory(instruction) && !getLoadStorePointerOperand(&instruction)))
      return false;
    return all_of(instruction.operands(), [&](const Use& operand) {
      const auto* made = dyn_cast<Instruction>(operand);
      return !made || loop_.contains(made) || is_of_launch(made);
    });
  }

  std::optional<Linear> linear(const Value* value, int depth = 0) {
    if (value == &index_) return Linear{1, 0};
    if (const auto* constant = dyn_cast<ConstantInt>(value)) {
      if (constant->getValue().getSignificantBits() > 30) return {};
      return Linear{0, constant->getSExtValue()};
    }
    const auto* instruction = dyn_cast<Instruction>(value);
    if (!instruction || depth > deepest) return {};
    const auto of = [&](unsigned i) { return linear(instruction->getOperand(i), depth + 1); };
    const auto a = of(0);
    if (!a) return {};
    std::optional<Linear> made;
    switch (instruction->getOpcode()) {
      case Instruction::SExt: return a;
      case Instruction::ZExt:
        if (a->factor < 0 || a->constant < 0) return {};
        return a;
      case Instruction::Trunc:
        if (value->getType()->getIntegerBitWidth() < 32) return {};
        return a;
      case Instruction::Or:
        if (!cast<PossiblyDisjointInst>(instruction)->isDisjoint()) return {};
        [[fallthrough]];
      case Instruction::Add:
        if (const auto b = of(1)) made = Linear{a->factor + b->factor, a->constant + b->constant};
        break;
      case Instruction::Sub:
        if (const auto b = of(1)) made = Linear{a->factor - b->factor, a->constant - b->constant};
        break;
      case Instruction::Mul: case Instruction::Shl: {
        const auto b = of(1);
        const bool shifts = instruction->getOpcode() == Instruction::Shl;
        if (!b || b->factor || b->constant < 0 || b->constant > (shifts ? 20 : 1 << 20)) break;
        const int64_t times = shifts ? int64_t{1} << b->constant : b->constant;
        made = Linear{a->factor * times, a->constant * times};
        break;
      }
      default: break;
    }
    if (!made || std::abs(made->factor) > 1 << 20 || std::abs(made->constant) >= largest_index)
      return {};
    largest_factor_ = std::max(largest_factor_, std::abs(made->factor));
    return made;
  }

  bool add(Instruction& access, Value& pointer) {
    const DataLayout& layout = access.getModule()->getDataLayout();
    GridStride::Touched at{&pointer, 0, 0, 0, isa<StoreInst>(access)};
    while (auto* address = dyn_cast<GEPOperator>(at.base)) {
      MapVector<Value*, APInt> factors;
      APInt fixed(64, 0);
      if (!address->collectOffset(layout, 64, factors, fixed)) return false;
      at.first += fixed.getSExtValue();
      for (auto& [value, bytes] : factors) {
        const auto index = linear(value);
        if (!index) return false;
        at.first += index->constant * bytes.getSExtValue();
        at.step += index->factor * bytes.getSExtValue();
      }
      at.base = address->getPointerOperand();
    }
    if (!isa<Argument>(at.base) && !isa<GlobalVariable>(at.base)) return false;
    if (at.step < 0 || std::abs(at.first) > largest_index || at.step > largest_index) return false;
    at.last = at.first + layout.getTypeStoreSize(getLoadStoreType(&access)).getFixedValue();
    auto [found, is_new] = touched_.insert({{at.base, at.step}, at});
    GridStride::Touched& all = found->second;
    all.first = std::min(all.first, at.first);
    all.last = std::max(all.last, at.last);
    all.is_written |= at.is_written;
    return true;
  }

  Loop& loop_;
  const PHINode& index_;
  int64_t largest_factor_ = 1;
  MapVector<std::pair<Value*, int64_t>, GridStride::Touched> touched_;  ///< by base and step
};

// Whether nothing is done outside of the loop, and threads part at `first` only.
bool does_nothing_outside(Function& kernel, const Loop& loop, const BranchInst& first) {
  for (BasicBlock& block : kernel) {
    if (loop.contains(&block)) continue;
    for (const Instruction& instruction : block)
      if (isa<AllocaInst>(instruction) || accesses_memory(instruction)) return false;
    const Instruction* last = block.getTerminator();
    if (last == &first || isa<ReturnInst>(last) || isa<UnreachableInst>(last)) continue;
    const auto* branch = dyn_cast<BranchInst>(last);
    if (!branch || (branch->isConditional() && !is_of_launch(branch->getCondition()))) return false;
  }
  return true;
}

}  // namespace

std::optional<GridStride> find_grid_stride(Function& kernel, const BlockShape& shape) {
  if (!shape.is_known() || shape.y * shape.z != 1 || shape.x == 1) return {};
  const DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  if (loops.getTopLevelLoops().size() != 1) return {};
  Loop& loop = *loops.getTopLevelLoops()[0];
  BasicBlock *latch = loop.getLoopLatch(), *outside = loop.getLoopPredecessor();
  if (!latch || !outside || loop.getExitingBlock() != latch || !loop.getExitBlock()) return {};
  const auto [first, entered] = first_test_of(*outside, *loop.getHeader());
  auto* again = dyn_cast<BranchInst>(latch->getTerminator());
  if (!first || !again || again->isUnconditional()) return {};
  const Test start = test_of(*first, entered), next = test_of(*again, loop.getHeader());
  if (start.predicate != next.predicate || start.bound != next.bound ||
      !(start.predicate == CmpInst::ICMP_SLT || start.predicate == CmpInst::ICMP_ULT))
    return {};
  auto header_phis = loop.getHeader()->phis();
  if (std::distance(header_phis.begin(), header_phis.end()) != 1) return {};
  PHINode& index = *header_phis.begin();
  Value* step = nullptr;
  if (index.getType()->getIntegerBitWidth() < 32 || start.index != index.getIncomingValueForBlock(outside) ||
      next.index != index.getIncomingValueForBlock(latch) ||
      !match(next.index, m_c_Add(m_Specific(&index), m_Value(step))) ||
      !is_index_of_thread(start.index, shape.x) || !is_index_times(step, Index::gdim_x, shape.x) ||
      !is_of_launch(start.bound) || !does_nothing_outside(kernel, loop, *first))
    return {};
  GridStride found{};
  found.bound = start.bound;
  found.is_signed = start.predicate == CmpInst::ICMP_SLT;
  found.row = shape.x;
  if (!Analysis(loop, index).run(found, next.index)) return {};
  return found;
}

namespace {

bool is_restrict(const Value* base) {
  const auto* argument = dyn_cast<Argument>(base);
  return argument && argument->hasNoAliasAttr();
}

// The condition under which no pass touches what another one writes.
Value* passes_are_apart(const EntryFrame& frame, IRBuilderBase& build, const GridStride& loop,
                        Value* count) {
  struct Place {
    Value *base, *begin, *end;
  };
  SmallVector<Place, 4> places;
  Value* last = build.CreateSub(count, build.getInt64(1));
  for (const GridStride::Touched& at : loop.touched) {
    Value* base = build.CreatePtrToInt(copy_of(frame, build, at.base), build.getInt64Ty());
    Value* reach = build.CreateMul(last, build.getInt64(at.step));
    places.push_back({base, build.CreateAdd(base, build.getInt64(at.first)),
                      build.CreateAdd(base, build.CreateAdd(reach, build.getInt64(at.last)))});
  }
  Value* all = build.getTrue();
  for (size_t i = 0; i < places.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const GridStride::Touched &a = loop.touched[i], &b = loop.touched[j];
      if (!(a.is_written || b.is_written)) continue;
      if (a.base != b.base && (is_restrict(a.base) || is_restrict(b.base))) continue;
      Value* apart = build.CreateOr(build.CreateICmpULE(places[i].end, places[j].begin),
                                    build.CreateICmpULE(places[j].end, places[i].begin));
      if (a.step == b.step && std::max(a.last, b.last) - std::min(a.first, b.first) <= a.step)
        apart = build.CreateOr(apart, build.CreateICmpEQ(places[i].base, places[j].base));
      all = build.CreateAnd(all, apart);
    }
  return all;
}

}  // namespace

void spread_grid(EntryFrame& frame, IRBuilderBase& build, const GridStride& loop) {
  Value* bound = loop.bound;
  if (!bound) return;
  const auto grid = [&](Index axis) -> Value*& { return frame.index[static_cast<int>(axis)]; };
  Type* wide = build.getInt64Ty();
  Value* count = build.CreateIntCast(copy_of(frame, build, bound), wide, loop.is_signed);
  Value* length = build.CreateZExt(grid(Index::gdim_x), wide);
  Value* row = build.getInt64(loop.row);
  // The grid stays as it is if there are no more elements than threads, or so many that a signed index would
  // overflow.
  Value* spreads = build.CreateAnd(
      build.CreateICmpSGT(count, build.CreateMul(length, row)),
      build.CreateICmpSLE(count, build.getInt64(largest_index / loop.largest_factor)));
  for (const Index axis : {Index::gdim_y, Index::gdim_z})
    spreads = build.CreateAnd(spreads, build.CreateICmpEQ(grid(axis), build.getInt32(1)));
  spreads = build.CreateAnd(spreads, passes_are_apart(frame, build, loop, count));
  Value* longer = build.CreateUDiv(build.CreateAdd(count, build.getInt64(loop.row - 1)), row);
  // Both ends are moved alike, so the ranges of all workers stay without gaps between them.
  const auto moved = [&](Value* block) {
    return build.CreateSelect(spreads, build.CreateUDiv(build.CreateMul(block, longer), length), block);
  };
  frame.first = moved(frame.first);
  frame.last = moved(frame.last);
  grid(Index::gdim_x) = build.CreateSelect(spreads, build.CreateTrunc(longer, build.getInt32Ty()),
                                           grid(Index::gdim_x), "grid");
}

}  // namespace kasoku::embedded
