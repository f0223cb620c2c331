/// \file kasoku/compile/clang/passes/regions.h
/// The heart of the CPU path: a kernel becomes a machine of regions.
///
/// A region is what threads run from one place where they wait (or the start) to
/// the next (or the end). Its text is cloned into a loop over threads; values
/// that outlive it are kept in scratch. Threads that always go the same way
/// through the regions form a granule, which has one state:
///   block    every thread of the block takes every barrier alike: regions follow
///            each other by plain branches, and a region is a loop over the block
///   warp     the same, but only within each 32 threads: warps take turns between
///            block barriers, and a region is a loop over 32 lanes
///   thread   nothing is known: each thread has a state of its own, and the
///            runtime's scheduler says which go on (ks_rt_schedule)
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/sync_points.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace llvm {
class Instruction;
}

namespace kasoku::embedded {

struct EntryFrame;
struct PreparedKernel;

enum class Granule : uint8_t { block, warp, thread };

struct RegionPlan {
  Granule granule = Granule::block;
  std::vector<SyncPoint> syncs;
  /// Whether a value is the same for all threads of a granule, wherever it is used.
  std::function<bool(const llvm::Instruction&)> is_uniform;
};

struct RegionBytes {
  uint64_t fixed = 0, per_thread = 0;  ///< of scratch
  uint64_t shared = 0;                 ///< static
};

/// Fills `frame` with the kernel's work on one block; the kernel is gone afterwards.
RegionBytes build_regions(const PreparedKernel& kernel, const BlockShape& shape,
                           EntryFrame& frame, const RegionPlan& plan);

}  // namespace kasoku::embedded
