/// \file kasoku/compile/clang/passes/aggregates.h
/// What a group of blocks adds to counters that they all add to: see aggregate_atomics.h.
///
/// Each warp or block has a place for its amount. When all blocks of the group have stopped,
/// `add_up` adds the sum to the counter, once, and leaves in each place what was there before it.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/split_at_syncs.h"
#include "kasoku/compile/clang/passes/thread_nest.h"

#include <map>
#include <vector>

namespace llvm {
class CallInst;
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

struct EntryFrame;

class Aggregates {
 public:
  /// `which` is the number of the block that runs, in a group of at most `blocks`; 64 bits, null at the start.
  Aggregates(const EntryFrame& frame, const BlockShape& shape, const std::vector<SyncPoint>& syncs, unsigned blocks);
  void set_block(llvm::Value* which) { which_ = which; }

  /// Replaces a clone of ks_contribute in a region.
  void contribute(llvm::CallInst& call, const ThreadIndex& thread);
  /// Replaces a clone of ks_aggregate by what the counter held before the thread's warp or block.
  void result(llvm::CallInst& call, const ThreadIndex& thread);
  /// Adds to the counters once for the group. The caller has run its `count` blocks up to their stops.
  void add_up(llvm::IRBuilderBase& build, llvm::Value* count);

 private:
  struct Counter {
    llvm::Value* place;
    llvm::Type* type;
    unsigned places;  ///< of a block
    llvm::Value *amounts, *before, *base, *is_asked;
  };
  llvm::Value* place_of(llvm::IRBuilderBase& build, const Counter& counter, const ThreadIndex& thread) const;
  void add_up(llvm::IRBuilderBase& build, const Counter& counter, llvm::Value* count);

  const EntryFrame& frame_;
  llvm::Value* which_ = nullptr;
  std::map<uint64_t, Counter> counters_;  ///< by number
};

}  // namespace kasoku::embedded
