/// \file kasoku/compile/clang/passes/meeting_lift.h
/// Moves a place where threads meet out of the branches that only some of them take.
///
/// `if (c) { …; meet(); rest; }` becomes `if (c) …; meet(); if (c) rest;`. What the rest uses of
/// the part before is carried along. Not done where the rest is reached past the meeting as
/// well, or comes back to it.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"

#include "llvm/ADT/SetVector.h"

#include <vector>

namespace llvm {
class BasicBlock;
class CallInst;
class Function;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

class MeetingLift {
 public:
  /// `call` is the first instruction of a block with one predecessor, which goes nowhere else.
  MeetingLift(llvm::Function& kernel, const BlockShape& shape, llvm::CallInst& call);

  /// Until the whole block comes to the call; false if that cannot be done, and the kernel is
  /// then of no use.
  bool run();
  /// Whether a thread at the call would have come to it before.
  llvm::Value* takes_part() const { return takes_part_; }
  /// Whether the branch after the call asks for takes_part() alone.
  bool is_asked_once() const { return lifts_ == 1; }

 private:
  struct Branching {
    llvm::BasicBlock *from, *join;
    llvm::SmallSetVector<llvm::BasicBlock*, 16> ways;  ///< the blocks between them
  };
  std::vector<Branching> around() const;
  bool suits(const Branching& at, const llvm::SmallSetVector<llvm::BasicBlock*, 16>& rest) const;
  llvm::SmallSetVector<llvm::BasicBlock*, 16> rest_of(const Branching& at) const;
  void lift(const Branching& at, const llvm::SmallSetVector<llvm::BasicBlock*, 16>& rest);

  llvm::Function& kernel_;
  BlockShape shape_;
  llvm::CallInst& call_;
  llvm::Value* takes_part_;
  unsigned lifts_ = 0;
};

}  // namespace kasoku::embedded
