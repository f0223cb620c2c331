/// \file kasoku/compile/clang/passes/thread_nest.h
/// Loops over threads, in the form that LLVM's vectoriser takes: tested at the
/// bottom, counters that do not wrap, accesses marked as independent.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"

#include <vector>

namespace llvm {
class BasicBlock;
class IRBuilderBase;
class MDNode;
class PHINode;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

struct EntryFrame;

/// The indices of the thread at hand, 32 bits each.
struct ThreadIndex {
  llvm::Value* x = nullptr;
  llvm::Value* y = nullptr;
  llvm::Value* z = nullptr;
  llvm::Value* linear = nullptr;
};

class ThreadNest {
 public:
  ThreadNest(const EntryFrame& frame, const BlockShape& shape) : frame_(frame), shape_(shape) {}

  /// Opens loops over the whole block, x innermost unless `y_is_fast`.
  ThreadIndex open_block(llvm::IRBuilderBase& build, bool y_is_fast = false);
  /// Opens a loop over the 32 or fewer threads of a warp.
  ThreadIndex open_warp(llvm::IRBuilderBase& build, llvm::Value* warp);
  /// No loop: the indices of a thread by its linear number.
  ThreadIndex single(llvm::IRBuilderBase& build, llvm::Value* linear);

  bool has_loop() const { return !levels_.empty(); }
  /// Closes what was opened, from where `build` stands, and leaves it after the
  /// loops. `group`: the access group of what is independent.
  void close(llvm::IRBuilderBase& build, llvm::MDNode* group, bool vectorizes = true);

 private:
  struct Level {
    llvm::BasicBlock* head;
    llvm::PHINode* counter;
    llvm::Value* extent;
  };
  llvm::Value* open(llvm::IRBuilderBase& build, llvm::Value* extent, const char* name);

  const EntryFrame& frame_;
  BlockShape shape_;
  std::vector<Level> levels_;
};

}  // namespace kasoku::embedded
