/// \file kasoku/compile/clang/passes/region_driver.h
/// The code around the regions, which decides what runs when, for each kind of granule.
#pragma once

#include "kasoku/compile/clang/passes/regions.h"
#include "kasoku/compile/clang/passes/thread_nest.h"

#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <vector>

namespace llvm {
class BasicBlock;
class IRBuilderBase;
class PHINode;
class SwitchInst;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

class Exchange;
class Scratch;

class RegionDriver {
 public:
  /// `labels[n]` is where region n begins; region 0 is the kernel's start.
  RegionDriver(EntryFrame& frame, const BlockShape& shape, const RegionPlan& plan,
               Scratch& scratch, Exchange& exchange,
               const std::vector<llvm::BasicBlock*>& labels);

  void begin();
  void end();
  /// The number of the warp or thread that runs; null for a block.
  llvm::Value* granule() const;
  /// Where region `number` begins.
  llvm::BasicBlock* label(unsigned number) const;
  /// Granules that go on to region `number` are led to `to` instead; with null, to the region again.
  void lead(unsigned number, llvm::BasicBlock* to);
  /// A block that comes to region `number` goes to `to`, where it stops.
  void stop_at(unsigned number, llvm::BasicBlock* to) { stops_[number] = to; }
  void open(llvm::IRBuilderBase& build, ThreadNest& nest);

  /// Granule::warp: opens a loop over the warps for `regions`, of which the first begins
  /// at a block barrier and all others at warp operations; leaves `build` in the loop.
  void open_stretch(llvm::IRBuilderBase& build, llvm::ArrayRef<unsigned> regions);
  /// Leaves `build` after the loop; the caller stores what is kept and calls `go_on`.
  struct Way {
    llvm::Value* next;
    std::vector<unsigned> targets;
  };
  Way close_stretch(llvm::IRBuilderBase& build);
  /// Ends a region: `next` is one of `targets`, null if the region never ends.
  void go_on(llvm::IRBuilderBase& build, llvm::Value* next, const std::vector<unsigned>& targets);

 private:
  bool is_local(unsigned number) const;
  bool has_turns() const;
  void begin_turns();
  void end_warps();
  void end_threads();

  EntryFrame& frame_;
  BlockShape shape_;
  const RegionPlan& plan_;
  Scratch& scratch_;
  Exchange& exchange_;
  const std::vector<llvm::BasicBlock*>& labels_;
  unsigned done_;
  llvm::Value* granules_ = nullptr;
  unsigned states_ = 0;  ///< array of a state per granule
  unsigned runs_ = 0;    ///< Granule::thread: whether it goes on this turn
  llvm::BasicBlock* turn_ = nullptr;   ///< all granules run once
  llvm::BasicBlock* stop_ = nullptr;   ///< the granule waits or is done
  llvm::PHINode* which_ = nullptr;
  std::map<unsigned, llvm::BasicBlock*> stretch_;  ///< labels that others stand for, as in an open stretch
  std::vector<unsigned> ways_out_;                 ///< of it
  std::map<unsigned, llvm::BasicBlock*> stops_;    ///< of blocks that take turns
  llvm::PHINode* waiting_ = nullptr;   ///< Granule::turn: how many are not done
  llvm::PHINode* looking_ = nullptr;   ///< how many of those have stopped at a Sync::turn, if there are any
  llvm::PHINode* holds_ = nullptr;     ///< whether some did in the turn before: barriers are not passed yet
  llvm::PHINode* state_ = nullptr;     ///< at stop_
};

}  // namespace kasoku::embedded
