#include "kasoku/compile/clang/passes/whole_rows.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr unsigned most_parts = 4;

bool is_of_all_lanes(const Value* mask) {
  const auto* constant = dyn_cast<Constant>(mask);
  return constant && constant->isAllOnesValue();
}

/// The step from one lane of a vector of 64-bit numbers to the next, if it is always the same.
std::optional<int64_t> step_of(const Value* numbers, int depth = 0) {
  if (depth > 6) return std::nullopt;
  if (getSplatValue(numbers)) return 0;
  if (const auto* constant = dyn_cast<ConstantDataVector>(numbers)) {
    const int64_t first = static_cast<int64_t>(constant->getElementAsInteger(0));
    const int64_t step = static_cast<int64_t>(constant->getElementAsInteger(1)) - first;
    for (unsigned i = 2; i < constant->getNumElements(); ++i)
      if (static_cast<int64_t>(constant->getElementAsInteger(i)) != first + i * step) return std::nullopt;
    return step;
  }
  if (const auto* phi = dyn_cast<PHINode>(numbers)) {
    // What a loop adds is the same for all lanes.
    if (phi->getNumIncomingValues() != 2) return std::nullopt;
    for (const unsigned k : {0u, 1u}) {
      const auto* next = dyn_cast<BinaryOperator>(phi->getIncomingValue(k));
      if (!next || next->getOpcode() != Instruction::Add) continue;
      for (const unsigned side : {0u, 1u})
        if (next->getOperand(side) == phi && getSplatValue(next->getOperand(1 - side))) return step_of(phi->getIncomingValue(1 - k), depth + 1);
    }
    return std::nullopt;
  }
  const auto* operation = dyn_cast<BinaryOperator>(numbers);
  if (!operation) return std::nullopt;
  const auto a = step_of(operation->getOperand(0), depth + 1);
  if (!a) return std::nullopt;
  switch (operation->getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub: {
      const auto b = step_of(operation->getOperand(1), depth + 1);
      if (!b) return std::nullopt;
      return operation->getOpcode() == Instruction::Add ? *a + *b : *a - *b;
    }
    case Instruction::Mul:
    case Instruction::Shl: {
      const auto* by = dyn_cast_or_null<ConstantInt>(getSplatValue(operation->getOperand(1)));
      if (!by || by->getValue().ugt(4096)) return std::nullopt;
      const auto n = static_cast<int64_t>(by->getZExtValue());
      if (operation->getOpcode() == Instruction::Mul) return *a * n;
      return n < 12 ? std::optional(*a << n) : std::nullopt;
    }
    default: return std::nullopt;
  }
}

/// A vector's addresses: those of `base` and `numbers`, `offset` bytes behind, `step` bytes from lane to lane.
struct Addresses {
  const Value *base, *numbers;
  int64_t scale, offset, step;

  bool has_row_of(const Addresses& other) const {
    return base == other.base && numbers == other.numbers && scale == other.scale && step == other.step;
  }
};

std::optional<Addresses> addresses_of(const Value* pointers, const DataLayout& layout) {
  int64_t offset = 0;
  for (int depth = 0; depth < 6; ++depth) {
    const auto* at = dyn_cast<GEPOperator>(pointers);
    if (!at) return std::nullopt;
    const Value* numbers = nullptr;
    int64_t scale = 0;
    for (auto type = gep_type_begin(at), end = gep_type_end(at); type != end; ++type) {
      const Value* index = type.getOperand();
      const Value* same = index->getType()->isVectorTy() ? getSplatValue(index) : index;
      if (const auto* constant = dyn_cast_or_null<ConstantInt>(same)) {
        if (StructType* record = type.getStructTypeOrNull())
          offset += static_cast<int64_t>(layout.getStructLayout(record)->getElementOffset(static_cast<unsigned>(constant->getZExtValue())));
        else
          offset += constant->getSExtValue() * static_cast<int64_t>(type.getSequentialElementStride(layout));
        continue;
      }
      if (numbers || !index->getType()->isVectorTy() || !index->getType()->getScalarType()->isIntegerTy(64)) return std::nullopt;
      numbers = index;
      scale = static_cast<int64_t>(type.getSequentialElementStride(layout));
    }
    const Value* base = at->getPointerOperand();
    if (numbers) {
      const Value* one = base->getType()->isVectorTy() ? getSplatValue(base) : base;
      const auto step = one ? step_of(numbers) : std::nullopt;
      if (!step) return std::nullopt;
      return Addresses{one, numbers, scale, offset, *step * scale};
    }
    pointers = base;
  }
  return std::nullopt;
}

struct Part {
  IntrinsicInst* access;
  Addresses at;
};

bool is_load(const IntrinsicInst& access) { return access.getIntrinsicID() == Intrinsic::masked_gather; }
Value* pointers_of(IntrinsicInst& access) { return access.getArgOperand(is_load(access) ? 0 : 1); }
FixedVectorType* type_of(const IntrinsicInst& access) {
  return dyn_cast<FixedVectorType>(is_load(access) ? access.getType() : access.getArgOperand(0)->getType());
}

/// The accesses that make up one row, in the order of their places in a record; empty if others come in between.
std::vector<Part*> row_of(Part& first, std::vector<Part>& parts, const DataLayout& layout) {
  const FixedVectorType* type = type_of(*first.access);
  const auto bytes = static_cast<int64_t>(layout.getTypeStoreSize(type->getElementType()));
  if (first.at.step % bytes || first.at.step < 2 * bytes || first.at.step > most_parts * bytes) return {};
  std::vector<Part*> row;
  for (Part& part : parts)
    if (part.access && part.access->getIntrinsicID() == first.access->getIntrinsicID() && type_of(*part.access) == type && part.at.has_row_of(first.at)) row.push_back(&part);
  if (static_cast<int64_t>(row.size()) != first.at.step / bytes) return {};
  std::ranges::sort(row, {}, [](const Part* part) { return part->at.offset; });
  for (size_t i = 1; i < row.size(); ++i)
    if (row[i]->at.offset != row[0]->at.offset + static_cast<int64_t>(i) * bytes) return {};
  // Nothing between the first and the last may see the difference.
  const auto [begin, end] = std::ranges::minmax_element(row, [](const Part* a, const Part* b) { return a->access->comesBefore(b->access); });
  for (Instruction* at = (*begin)->access; at != (*end)->access; at = at->getNextNode()) {
    const bool is_own = std::ranges::any_of(row, [&](const Part* part) { return part->access == at; });
    if (!is_own && (is_load(*first.access) ? at->mayWriteToMemory() : at->mayReadOrWriteMemory())) return {};
  }
  return row;
}

void make_whole(const std::vector<Part*>& row) {
  const auto by_place = [](const Part* a, const Part* b) { return a->access->comesBefore(b->access); };
  IntrinsicInst& first = *row[0]->access;
  const bool loads = is_load(first);
  // All that is needed is there at the first load, and at the last store.
  const Part& here = loads ? **std::ranges::min_element(row, by_place) : **std::ranges::max_element(row, by_place);
  FixedVectorType* type = type_of(first);
  const unsigned lanes = type->getNumElements(), count = static_cast<unsigned>(row.size());
  IRBuilder<> build(here.access);
  Value* at = build.CreateExtractElement(pointers_of(*here.access), uint64_t{0});
  if (const int64_t back = row[0]->at.offset - here.at.offset) at = build.CreateGEP(build.getInt8Ty(), at, build.getInt64(static_cast<uint64_t>(back)));
  const MaybeAlign given = cast<ConstantInt>(first.getArgOperand(loads ? 1 : 2))->getMaybeAlignValue();
  const Align align = given.valueOrOne();
  if (loads) {
    Value* whole = build.CreateAlignedLoad(FixedVectorType::get(type->getElementType(), lanes * count), at, align, "row");
    for (unsigned i = 0; i < count; ++i)
      row[i]->access->replaceAllUsesWith(build.CreateShuffleVector(whole, createStrideMask(i, count, lanes), "part"));
  } else {
    SmallVector<Value*> values;
    for (const Part* part : row) values.push_back(part->access->getArgOperand(0));
    Value* all = concatenateVectors(build, values);
    build.CreateAlignedStore(build.CreateShuffleVector(all, createInterleaveMask(lanes, count), "row"), at, align);
  }
  for (Part* part : row) {
    part->access->eraseFromParent();
    part->access = nullptr;
  }
}

}  // namespace

PreservedAnalyses WholeRowsPass::run(Function& function, FunctionAnalysisManager&) {
  const DataLayout& layout = function.getDataLayout();
  bool changed = false;
  for (BasicBlock& block : function) {
    std::vector<Part> parts;
    for (Instruction& instruction : block) {
      auto* access = dyn_cast<IntrinsicInst>(&instruction);
      if (!access || (access->getIntrinsicID() != Intrinsic::masked_gather && access->getIntrinsicID() != Intrinsic::masked_scatter)) continue;
      const FixedVectorType* type = type_of(*access);
      if (!type || type->getNumElements() < 2 || !is_of_all_lanes(access->getArgOperand(is_load(*access) ? 2 : 3))) continue;
      if (const auto at = addresses_of(pointers_of(*access), layout)) parts.push_back({access, *at});
    }
    for (Part& part : parts) {
      if (!part.access) continue;
      const std::vector<Part*> row = row_of(part, parts, layout);
      if (row.empty()) continue;
      make_whole(row);
      changed = true;
    }
  }
  if (!changed) return PreservedAnalyses::all();
  PreservedAnalyses kept;
  kept.preserveSet<CFGAnalyses>();
  return kept;
}

}  // namespace kasoku::embedded
