/// \file kasoku/compile/clang/passes/entry_frame.h
/// The function that a worker calls, with the loop over blocks in it; what runs
/// one block is filled in by regions.h.
///
/// entry() unpacks the arguments and calls a second function, because only
/// there `__restrict__` can be said: as attributes of its parameters.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/passes/prepare.h"

#include <array>
#include <string>
#include <vector>

namespace llvm {
class Argument;
class BasicBlock;
class IRBuilderBase;
class PHINode;
class Function;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

struct GridStride;

struct EntryFrame {
  llvm::Function* entry = nullptr;
  llvm::Function* body = nullptr;
  std::vector<llvm::Value*> arguments;  ///< in body, for each IR argument of the kernel
  llvm::Value* launch = nullptr;
  llvm::Value* scratch = nullptr;
  llvm::Value* shared = nullptr;
  std::array<llvm::Value*, 13> index{};  ///< by Index; tid_* differ by region and are null
  llvm::Value* threads = nullptr;        ///< of the block, 32 bits
  llvm::BasicBlock* once = nullptr;      ///< runs before the first block; ends with a branch
  llvm::BasicBlock* block_begin = nullptr;  ///< one block's work goes from here, still open,
  llvm::BasicBlock* block_end = nullptr;    ///< to here; of all blocks if there is no loop around

  /// Where the worker's blocks begin and end, and what makes it stop early.
  llvm::Value *first = nullptr, *last = nullptr, *status = nullptr;
  std::array<llvm::Value*, 3> first_index{};
  std::array<int, 3> axes{0, 1, 2};  ///< the one that blocks follow each other along comes first
  llvm::BasicBlock* leave = nullptr;
};

inline constexpr const char* entry_symbol = "ks_entry";

/// `loops`: the frame's own loop over the worker's blocks stands around their work.
/// `y_is_fast`: blocks follow each other along y, not x.
/// `grid_stride`: the loop that the kernel is, or null.
EntryFrame build_entry_frame(const PreparedKernel& kernel, const BlockShape& shape, bool loops, bool y_is_fast,
                             const GridStride* grid_stride);

/// A range of blocks [first, last), which is not empty, with the blockIdx of its first.
struct BlockRange {
  llvm::Value *first, *last;
  std::array<llvm::Value*, 3> index;
};

/// The range of all of the worker's blocks.
BlockRange blocks_of(const EntryFrame& frame);

/// A loop over blocks, from one of them to the next.
class BlockLoop {
 public:
  /// Opens it where `build` stands, and says in `frame` which block is at hand.
  BlockLoop(EntryFrame& frame, llvm::IRBuilderBase& build, const BlockRange& range);
  /// The linear number of the block at hand, 64 bits.
  llvm::Value* number() const;
  /// Ends the loop and leaves `build` after it.
  void close(llvm::IRBuilderBase& build);

 private:
  EntryFrame& frame_;
  llvm::Value* last_;
  llvm::BasicBlock* head_;
  llvm::PHINode* number_;
  std::array<llvm::PHINode*, 3> at_;
};

/// A loop over the worker's blocks in groups of `blocks`.
class GroupLoop {
 public:
  /// With `row`, a power of two, a group is one row of blocks that have so many threads; with 0, any blocks.
  GroupLoop(EntryFrame& frame, llvm::IRBuilderBase& build, unsigned blocks, unsigned row);
  const BlockRange& range() const { return range_; }
  /// The number of threads in a group that is one row; its first block then stands for all.
  llvm::Value* row_of_threads(llvm::IRBuilderBase& build);
  void close(llvm::IRBuilderBase& build);

 private:
  EntryFrame& frame_;
  unsigned row_;
  llvm::BasicBlock* head_;
  llvm::PHINode* number_;
  BlockRange range_;
};

}  // namespace kasoku::embedded
