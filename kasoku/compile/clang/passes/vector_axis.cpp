#include "kasoku/compile/clang/passes/vector_axis.h"

#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/passes/strides.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace kasoku::embedded {

using namespace llvm;

namespace {

constexpr uint32_t least_row = 4;  ///< threads that are worth a vector
constexpr double in_a_row = 1, alike = 0.25, apart = 8, times_in_loop = 8;

// A rough cost of the accesses if vectors lie along an axis.
double cost(Function& kernel, Index axis, const LoopInfo& loops) {
  DenseMap<const Instruction*, int64_t> counters;
  for (const Instruction& instruction : instructions(kernel))
    if (index_of(instruction) == axis) counters[&instruction] = 1;
  Strides strides(counters, loops, [](const Instruction&) { return true; });
  const DataLayout& layout = kernel.getParent()->getDataLayout();
  double sum = 0;
  for (Instruction& instruction : instructions(kernel)) {
    auto* address = getLoadStorePointerOperand(&instruction);
    if (!address) continue;
    const int64_t bytes = layout.getTypeStoreSize(getLoadStoreType(&instruction));
    const auto grows = strides.of(const_cast<Value*>(address));
    double times = 1;
    for (unsigned depth = loops.getLoopDepth(instruction.getParent()); depth; --depth)
      times *= times_in_loop;
    const bool is_alike = grows == std::optional<int64_t>(0) && isa<LoadInst>(instruction);
    sum += times * (is_alike ? alike : grows == std::optional<int64_t>(bytes) ? in_a_row : apart);
  }
  return sum;
}

}  // namespace

bool y_is_fast(Function& kernel, const BlockShape& shape) {
  if (!shape.is_known() || shape.y < least_row) return false;
  DominatorTree dominators(kernel);
  const LoopInfo loops(dominators);
  const double by_x = cost(kernel, Index::tid_x, loops), by_y = cost(kernel, Index::tid_y, loops);
  return by_y * 2 < by_x || (shape.x < least_row && by_y < by_x);
}

}  // namespace kasoku::embedded
