/// \file kasoku/compile/clang/passes/regions.h
/// The heart of the CPU path: a kernel becomes a machine of regions.
///
/// A region is what threads run from one place where they wait (or the start) to
/// the next (or the end). Its text is cloned into a loop over threads; values
/// that outlive it are kept in scratch. Threads that always go the same way
/// through the regions form a granule:
///   blocks   no thread waits for another, and grid-stride loops take the same number of
///            passes in all blocks: a region is a loop over all blocks that the worker
///            was given, so that a pass of the loop goes through memory in order; see
///            grid_stride.h for those whose passes need no order
///   block    every thread of the block takes every barrier alike: regions follow
///            each other by plain branches, and a region is a loop over the block
///   warp     the same for block barriers, and each 32 threads take every warp
///            operation alike: from one block barrier to the next (a stretch) warps
///            run one after another, and a region is a loop over 32 lanes, so that
///            what lanes exchange stays in vector registers
///   turn     only each 32 threads stay together: warps take turns between block
///            barriers, and each has a state
///   thread   nothing is known: each thread has a state of its own, and the
///            runtime's scheduler says which go on (ks_rt_schedule)
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/blocks_ahead.h"
#include "kasoku/compile/clang/passes/grid_stride.h"
#include "kasoku/compile/clang/passes/split_at_syncs.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace llvm {
class Instruction;
}

namespace kasoku::embedded {

struct EntryFrame;
class Passes;
struct PreparedKernel;

enum class Granule : uint8_t { blocks, block, warp, turn, thread };

/// Nothing less than a block runs at a time.
inline bool is_block_or_more(Granule granule) { return granule <= Granule::block; }

struct RegionPlan {
  const Passes* passes = nullptr;
  Granule granule = Granule::block;
  /// The rows of so many neighbouring blocks are run one after another, so that short rows
  /// make long ones in memory. Only where nothing is cut.
  unsigned blocks_in_row = 1;
  bool joins_rows = false;  ///< as one row: the blocks lie along one row of the grid
  BlocksAhead ahead;        ///< what so many blocks run as one row first
  /// So many blocks come up to each Sync::aggregate before the first goes past it; 0: there is none.
  unsigned blocks_in_turn = 0;
  bool has_own_block_loop() const { return granule == Granule::blocks || blocks_in_row > 1 || blocks_in_turn; }
  std::optional<GridStride> grid_stride;  ///< the whole kernel
  /// Whether a worker gets faster with more blocks at a time.
  bool spans_blocks() const { return (granule == Granule::blocks && !grid_stride) || !ahead.regions.empty(); }
  bool waits_in_memory = false;  ///< a loop ends when another block may have written something
  bool y_is_fast = false;  ///< of a block or more: the innermost loop runs along y
  std::vector<SyncPoint> syncs;
  /// Whether a value is the same for all threads of a granule, wherever it is used;
  /// Granule::warp asks of the block and of the warp.
  std::function<bool(const llvm::Instruction&)> is_uniform, is_uniform_in_warp;
};

struct RegionBytes {
  uint64_t fixed = 0, per_thread = 0;  ///< of scratch
  uint64_t shared = 0;                 ///< static
};

/// Fills `frame` with the kernel's work on one block; the kernel is gone afterwards.
RegionBytes build_regions(const PreparedKernel& kernel, const BlockShape& shape,
                           EntryFrame& frame, const RegionPlan& plan);

}  // namespace kasoku::embedded
