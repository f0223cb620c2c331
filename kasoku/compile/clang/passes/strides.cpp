#include "kasoku/compile/clang/passes/strides.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr int deepest_sum = 24;

std::optional<int64_t> small_constant(const Value* value) {
  const auto* constant = dyn_cast<ConstantInt>(value);
  if (!constant || constant->getBitWidth() > 64) return {};
  const int64_t number = constant->getSExtValue();
  if (number > INT32_MAX || number < INT32_MIN) return {};
  return number;
}

std::optional<int64_t> sum(std::optional<int64_t> a, std::optional<int64_t> b) {
  if (!a || !b) return {};
  return *a + *b;
}

}  // namespace

Strides::Strides(const DenseMap<const Instruction*, int64_t>& counters, const LoopInfo& loops,
                 const std::function<bool(const Instruction&)>& is_inside, uint64_t lanes)
    : counters_(counters), loops_(loops), is_inside_(is_inside), lanes_(lanes) {
  SmallVector<const Instruction*> open;
  for (const auto& counter : counters) {
    varying_.insert(counter.first);
    open.push_back(counter.first);
  }
  spread(open);
}

void Strides::spread(SmallVectorImpl<const Instruction*>& open) {
  while (!open.empty())
    for (const User* user : open.pop_back_val()->users())
      if (const auto* next = dyn_cast<Instruction>(user); next && is_inside_(*next))
        if (varying_.insert(next).second) open.push_back(next);
}

void Strides::let_vary(const Instruction& instruction) {
  unknown_.insert(&instruction);
  strides_.clear();
  if (!varying_.insert(&instruction).second) return;
  SmallVector<const Instruction*> open{&instruction};
  spread(open);
}

std::optional<int64_t> Strides::find(Value* value, int depth) {
  if (!varies(value)) return 0;
  auto* instruction = cast<Instruction>(value);
  if (const auto found = counters_.find(instruction); found != counters_.end())
    return found->second;
  if (const auto found = strides_.find(value); found != strides_.end()) return found->second;
  if (depth > deepest_sum || unknown_.contains(value)) return {};
  auto* phi = dyn_cast<PHINode>(instruction);
  const auto found = phi ? of_phi(*phi, depth) : make(*instruction, depth);
  strides_[value] = found;
  return found;
}

bool Strides::is_counter(const Value* value) const {
  while (isa<TruncInst>(value) || isa<ZExtInst>(value) || isa<SExtInst>(value))
    value = cast<CastInst>(value)->getOperand(0);
  const auto* instruction = dyn_cast<Instruction>(value);
  return instruction && counters_.lookup(instruction) == 1;
}

std::optional<int64_t> Strides::make(Instruction& instruction, int depth) {
  const auto of = [&](unsigned i) { return find(instruction.getOperand(i), depth + 1); };
  switch (instruction.getOpcode()) {
    case Instruction::Add: return sum(of(0), of(1));
    case Instruction::Sub: {
      const auto a = of(0), b = of(1);
      if (!a || !b) return {};
      return *a - *b;
    }
    case Instruction::Or:
      if (!cast<PossiblyDisjointInst>(instruction).isDisjoint()) return {};
      return sum(of(0), of(1));
    case Instruction::Mul:
      for (const unsigned i : {0u, 1u})
        if (const auto times = small_constant(instruction.getOperand(1 - i)))
          if (const auto grows = of(i)) return *grows * *times;
      break;
    case Instruction::Shl: {
      const auto by = small_constant(instruction.getOperand(1)), grows = of(0);
      if (!by || !grows || *by < 0 || *by > 30) return {};
      return *grows * (int64_t{1} << *by);
    }
    case Instruction::SExt: case Instruction::ZExt: case Instruction::Trunc:
    case Instruction::Freeze:
      return of(0);
    case Instruction::Select: {
      if (varies(instruction.getOperand(0))) return {};
      const auto a = of(1), b = of(2);
      if (a != b) return {};
      return a;
    }
    case Instruction::GetElementPtr: {
      const auto& layout = instruction.getModule()->getDataLayout();
      const auto& address = cast<GEPOperator>(instruction);
      MapVector<Value*, APInt> factors;
      APInt fixed(64, 0);
      if (!address.getType()->isPointerTy() ||
          !address.collectOffset(layout, 64, factors, fixed))
        return {};
      auto total = of(0);
      for (auto& [index, bytes] : factors) {
        const auto grows = find(index, depth + 1);
        if (!total || !grows) return {};
        *total += *grows * bytes.getSExtValue();
      }
      return total;
    }
    // With a mask or a shift, an index becomes the place in a row of threads, or the row's number.
    case Instruction::And: {
      const auto mask = small_constant(instruction.getOperand(1));
      if (lanes_ && mask && *mask > 0 && isPowerOf2_64(*mask + 1) && (*mask + 1) % lanes_ == 0 &&
          is_counter(instruction.getOperand(0)))
        return 1;
      break;
    }
    case Instruction::LShr: {
      const auto by = small_constant(instruction.getOperand(1));
      if (lanes_ && by && *by >= 0 && *by < 31 && (uint64_t{1} << *by) % lanes_ == 0 &&
          is_counter(instruction.getOperand(0)))
        return 0;
      break;
    }
    default: break;
  }
  if (!isa<BinaryOperator>(instruction) && !isa<CastInst>(instruction)) return {};
  for (unsigned i = 0; i < instruction.getNumOperands(); ++i)
    if (of(i) != std::optional<int64_t>(0)) return {};
  return 0;
}

// What comes from before an inner loop is supposed to hold for what comes around it; all
// that was concluded is forgotten if it does not.
std::optional<int64_t> Strides::of_phi(PHINode& phi, int depth) {
  const Loop* around = loops_.getLoopFor(phi.getParent());
  const bool is_header = around && around->getHeader() == phi.getParent();
  std::optional<int64_t> supposed;
  for (unsigned i = 0; i < phi.getNumIncomingValues() && !supposed; ++i)
    if (!is_header || !around->contains(phi.getIncomingBlock(i)))
      supposed = find(phi.getIncomingValue(i), depth + 1);
  if (!supposed) return {};
  const auto before = strides_;
  strides_[&phi] = supposed;
  for (Value* incoming : phi.incoming_values())
    if (incoming != &phi && find(incoming, depth + 1) != supposed) {
      strides_ = before;
      return {};
    }
  return supposed;
}

std::optional<Strides::Wraps> Strides::may_wrap(Value* address) {
  Wraps wraps;
  SmallPtrSet<Value*, 16> seen;
  if (!find_wraps(address, false, wraps, seen)) return {};
  return wraps;
}

// Signed indices are assumed to stay below 2^31, as in split_ranges.h.
bool Strides::find_wraps(Value* value, bool behind_phi, Wraps& wraps,
                         SmallPtrSetImpl<Value*>& seen) {
  if (!varies(value) || !seen.insert(value).second) return true;
  auto* instruction = cast<Instruction>(value);
  if (counters_.count(instruction)) return true;
  if (auto* wide = dyn_cast<ZExtInst>(instruction); wide && !wide->hasNonNeg()) {
    auto* narrow = cast<Instruction>(wide->getOperand(0));
    const auto* add = dyn_cast<OverflowingBinaryOperator>(narrow);
    const auto grows = of(narrow);
    if (!counters_.count(narrow) && !(add && add->hasNoUnsignedWrap()) && grows && *grows != 0) {
      if (behind_phi) return false;
      wraps.push_back({narrow, *grows});
    }
  }
  for (Value* operand : instruction->operands())
    if (!find_wraps(operand, behind_phi || isa<PHINode>(instruction), wraps, seen)) return false;
  return true;
}

}  // namespace kasoku::embedded
