/// \file kasoku/compile/clang/passes/grid_stride.h
/// Grid-stride loops as memory likes them: each worker gets one run of elements.
///
/// `for (i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)` does
/// for each i the same in any grid, if nothing else asks for the grid and no pass of a thread
/// sees what an earlier one did. Then the launch is run as that of the grid with a thread for
/// each element, which has one pass. The second condition depends on where arrays lie: it is
/// asked in the entry, and where it does not hold the launch stays as it is.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/ValueHandle.h"

#include <optional>

namespace llvm {
class Function;
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

struct BlockShape;
struct EntryFrame;

/// A kernel that is such a loop.
struct GridStride {
  /// What the pass of i touches behind a pointer: bytes [first + step * i, last + step * i).
  struct Touched {
    llvm::Value* base;
    int64_t first, last, step;
    bool is_written;
  };
  llvm::WeakTrackingVH bound;  ///< n
  bool is_signed;              ///< the comparison with it
  int64_t largest_factor;      ///< by which i is multiplied in its own type
  uint32_t row;                ///< threads of a block
  llvm::SmallVector<Touched, 4> touched;
};

std::optional<GridStride> find_grid_stride(llvm::Function& kernel, const BlockShape& shape);

/// Changes the grid and the worker's range of blocks in `frame`, where `build` stands.
void spread_grid(EntryFrame& frame, llvm::IRBuilderBase& build, const GridStride& loop);

}  // namespace kasoku::embedded
