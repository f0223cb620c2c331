#include "kasoku/compile/clang/passes/region_builder.h"

#include "kasoku/compile/clang/passes/rematerialize.h"

#include "llvm/IR/PatternMatch.h"

namespace kasoku::embedded {

using namespace llvm::PatternMatch;

namespace {

// The one bit of the index along the row that `instruction` changes or tests.
std::optional<uint32_t> bit_of(const Instruction& instruction, unsigned opcode, Index row) {
  if (instruction.getOpcode() != opcode) return {};
  const auto* thread = dyn_cast<Instruction>(instruction.getOperand(0));
  const APInt* bit = nullptr;
  if (!thread || index_of(*thread) != row ||
      !match(instruction.getOperand(1), m_APInt(bit)) || !bit->isPowerOf2() || bit->isNegative())
    return {};
  return bit->getZExtValue();
}

bool is_bit(const Value* value, uint32_t bit, Index row) {
  const auto* instruction = dyn_cast<Instruction>(value);
  return instruction && bit_of(*instruction, Instruction::And, row) == bit;
}

bool is_made_of(const Value* value, const SmallPtrSetImpl<const Instruction*>& parts,
                int depth = 0) {
  const auto* instruction = dyn_cast<Instruction>(value);
  if (!instruction || depth > 8) return false;
  return parts.contains(instruction) ||
         (is_cheap(*instruction) && any_of(instruction->operands(), [&](const Use& operand) {
            return is_made_of(operand, parts, depth + 1);
          }));
}

// Whether others could see in which order threads run the instruction.
bool keeps_order(const Instruction& instruction) {
  return instruction.isAtomic() || instruction.isVolatile() ||
         (isa<CallBase>(instruction) && instruction.mayHaveSideEffects() &&
          sync_of(instruction) == Sync::none && !is_arrival(instruction));
}

}  // namespace

uint32_t RegionBuilder::partner_distance(const Region& region, const ThreadNest& nest) const {
  const auto* row = dyn_cast<ConstantInt>(nest.extent());
  if (!passes().runs(PassId::partners) || plan_.granule != Granule::block || !is_cut() || nest.is_flat() || !row ||
      size_of(region) > largest_split)
    return 0;
  SmallPtrSet<const Instruction*, 4> partners;
  uint32_t distance = 0;
  for (const BasicBlock* block : region.blocks)
    for (const Instruction& instruction : *block) {
      if (keeps_order(instruction)) return 0;
      if (const auto bit = bit_of(instruction, Instruction::Xor, row_index())) {
        if (distance && distance != *bit) return 0;
        distance = *bit;
        partners.insert(&instruction);
      }
    }
  if (!distance || row->getZExtValue() % (2 * uint64_t{distance}) != 0) return 0;
  // In short stretches both partners' places are one vector, if one of them does the work.
  bool loads = false, stores = false, asks = false;
  for (const BasicBlock* block : region.blocks)
    for (const Instruction& instruction : *block) {
      if (const Value* address = getLoadStorePointerOperand(&instruction))
        (isa<StoreInst>(instruction) ? stores : loads) |= is_made_of(address, partners);
      const auto* compare = dyn_cast<ICmpInst>(&instruction);
      asks |= compare && (is_made_of(compare, partners) ||
                          is_bit(compare->getOperand(0), distance, row_index()));
    }
  return distance >= least_vector ? (loads || stores) * distance : (stores && asks) * distance;
}

std::optional<bool> RegionBuilder::idle_half(const Region& region, uint32_t distance) const {
  const GuardQuestions ask = questions(region);
  const auto* branch = dyn_cast<BranchInst>(region.start->getTerminator());
  if (!branch || branch->isUnconditional() || !hands_nothing_on(region)) return {};
  for (const Instruction& instruction : *region.start)
    if (!instruction.isTerminator() && instruction.mayHaveSideEffects() &&
        sync_of(instruction) == Sync::none)
      return {};
  const auto* compare = dyn_cast<ICmpInst>(branch->getCondition());
  if (!compare) return {};
  const auto index = [&](unsigned side, bool is_upper) -> std::optional<APInt> {
    const auto* value = dyn_cast<Instruction>(compare->getOperand(side));
    if (!value) return {};
    const APInt bit(32, distance), none(32, 0);
    if (index_of(*value) == row_index()) return is_upper ? bit : none;
    if (bit_of(*value, Instruction::Xor, row_index())) return is_upper ? none : bit;
    return {};
  };
  for (const bool is_upper : {false, true}) {
    std::optional<APInt> left = index(0, is_upper), right = index(1, is_upper);
    if (is_bit(compare->getOperand(0), distance, row_index())) {
      left = APInt(32, is_upper ? distance : 0);
      if (const auto* constant = dyn_cast<ConstantInt>(compare->getOperand(1)))
        right = constant->getValue();
    }
    if (!left || !right) return {};
    const bool goes = ICmpInst::compare(*left, *right, compare->getPredicate());
    if (does_nothing(branch->getSuccessor(goes ? 0 : 1), ask)) return is_upper;
  }
  return {};
}

void RegionBuilder::build_partners(IRBuilder<>& build, const ThreadNest& nest, const Region& plain,
                                   uint32_t distance, Outcome& outcome) {
  const std::optional<bool> idle = idle_half(plain, distance);
  for (const bool is_upper : {false, true}) {
    if (is_upper == idle) continue;
    ThreadNest half = nest;
    half.open_stretches(build, distance, is_upper);
    Outcome of_half;
    build_range(build, half, plain, build.getInt32(0), half.extent(), nullptr, true, of_half);
    outcome.next = of_half.next;
    outcome.values = of_half.values;
    for (const unsigned target : of_half.targets)
      if (!is_contained(outcome.targets, target)) outcome.targets.push_back(target);
  }
}

void RegionBuilder::tell_partners(Region& region, ThreadNest& nest) {
  IRBuilder<> build(region.head->getTerminator());
  const auto in_row = [&](const ThreadIndex& thread) {
    return plan_.y_is_fast ? thread.y : thread.x;
  };
  Value* first = in_row(nest.first(build));
  Value* distance = build.getInt32(nest.distance());
  Value* partner = nest.is_upper()
                       ? build.CreateSub(in_row(region.thread), distance, "partner", true, true)
                       : build.CreateAdd(in_row(region.thread), distance, "partner", true, true);
  for (BasicBlock* block : region.blocks)
    for (Instruction& instruction : *block) {
      Value* known = nullptr;
      if (bit_of(instruction, Instruction::Xor, row_index())) {
        known = partner;
      } else if (const auto bit = bit_of(instruction, Instruction::And, row_index())) {
        if (*bit == nest.distance()) known = build.getInt32(nest.is_upper() ? *bit : 0);
        if (*bit > nest.distance()) known = build.CreateAnd(first, build.getInt32(*bit));
      }
      if (known) cast<Instruction>(region.map[&instruction])->replaceAllUsesWith(known);
    }
}

}  // namespace kasoku::embedded
