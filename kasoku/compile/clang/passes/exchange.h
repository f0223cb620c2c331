/// \file kasoku/compile/clang/passes/exchange.h
/// What threads bring to a place where they meet, and what they take from it:
/// shuffles, votes, matches, counting barriers.
///
/// A thread stores what it brings to an array over its warp's lanes, or over the
/// block's threads if all meet. Where all have arrived, `meet` does what is done once
/// (a vote of 32), and `result` gives each thread its own: mostly one or two loads next
/// to each other, so that the loop still vectorises.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/regions.h"
#include "kasoku/compile/clang/passes/thread_nest.h"

#include <vector>

namespace llvm {
class AllocaInst;
class CallInst;
class IRBuilderBase;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

class Scratch;

/// What a lane brings to a reduction in which it takes no part.
uint32_t identity_of(Sync reduction);

class Exchange {
 public:
  Exchange(const EntryFrame& frame, const BlockShape& shape, Granule granule,
           const std::vector<SyncPoint>& syncs, Scratch& scratch);

  /// Replaces a clone of ks_arrive in a region.
  void arrive(llvm::CallInst& arrival, const ThreadIndex& thread);
  /// Before the threads that met go on from `sync`; `warp`: theirs, if one warp's did.
  /// `may_come_back_at_once`: threads that go on can arrive here again before
  /// others have taken their result.
  void meet(llvm::IRBuilderBase& build, const SyncPoint& sync, llvm::Value* warp,
            bool may_come_back_at_once);
  /// Replaces a clone of the sync's call.
  void result(llvm::CallInst& call, const SyncPoint& sync, const ThreadIndex& thread);

  /// With Granule::turn, counts the votes of a barrier after all warps have stopped at it.
  void count_votes(llvm::IRBuilderBase& build);
  /// With Granule::turn, tells that the threads of `warp` have returned and vote no more.
  void leave(llvm::IRBuilderBase& build, llvm::Value* warp);
  bool has_votes() const { return has_votes_; }

  /// With Granule::thread, the arrays that the scheduler works on.
  struct Shared {
    unsigned in, out, mask, active;
  };
  const Shared& shared() const { return shared_; }

 private:
  struct Arrays {
    int in = -1, out = -1;
    bool copied = false;  ///< results are read from `out`
  };
  llvm::Value* lane(llvm::IRBuilderBase& build, const ThreadIndex& thread);
  llvm::Value* live_lanes(llvm::IRBuilderBase& build, llvm::Value* warp);
  llvm::Value* shuffle(llvm::IRBuilderBase& build, llvm::CallInst& call, const SyncPoint& sync,
                       const ThreadIndex& thread);
  llvm::Value* reduce(llvm::IRBuilderBase& build, llvm::CallInst& call, Sync sync, const ThreadIndex& thread);
  llvm::Value* match(llvm::IRBuilderBase& build, llvm::CallInst& call, const SyncPoint& sync,
                     const ThreadIndex& thread);
  llvm::Value* vote_total(llvm::IRBuilderBase& build, Sync sync);
  void sum_votes(llvm::IRBuilderBase& build, unsigned array);

  const EntryFrame& frame_;
  BlockShape shape_;
  Granule granule_;
  const std::vector<SyncPoint>& syncs_;
  Scratch& scratch_;
  std::vector<Arrays> arrays_;  ///< by sync number
  Shared shared_{};
  bool has_votes_ = false;
  unsigned votes_ = 0;
  llvm::Value* ballot_ = nullptr;  ///< of the warp that goes on from the last `meet`
  llvm::Value* values_ = nullptr;  ///< what its lanes brought to a reduction
  llvm::AllocaInst* ones_ = nullptr;
  llvm::AllocaInst* zeros_ = nullptr;
};

}  // namespace kasoku::embedded
