/// \file kasoku/compile/clang/passes/thread_nest.h
/// Loops over threads, in the form that LLVM's vectoriser takes: tested at the
/// bottom, counters that do not wrap, accesses marked as independent.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"

#include <vector>

namespace llvm {
class BasicBlock;
class IRBuilderBase;
class Instruction;
class LLVMContext;
class MDNode;
class PHINode;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

struct EntryFrame;

constexpr uint32_t least_vector = 4;  ///< threads; shorter stretches are unrolled

/// The indices of the thread at hand, 32 bits each.
struct ThreadIndex {
  llvm::Value* x = nullptr;
  llvm::Value* y = nullptr;
  llvm::Value* z = nullptr;
  llvm::Value* linear = nullptr;  ///< a number of its own in the block: CUDA's unless y is fast
  llvm::Value* lane = nullptr;  ///< within its warp; null in a loop that goes over more than one
};

/// Metadata for loops around those over threads, which are not to be unrolled.
llvm::MDNode* no_unrolling(llvm::LLVMContext& context);

class ThreadNest {
 public:
  /// `lanes` is the number of threads in a vector; with 0 the target decides.
  ThreadNest(const EntryFrame& frame, const BlockShape& shape, bool y_is_fast, unsigned lanes)
      : frame_(frame), shape_(shape), y_is_fast_(y_is_fast), lanes_(lanes) {}

  /// Opens the loops around the innermost one: over the block's z and y (x if y is fast),
  /// or what all lanes of warp number `warp` have in common.
  void open_block(llvm::IRBuilderBase& build);
  void open_warp(llvm::IRBuilderBase& build, llvm::Value* warp);
  /// Opens one loop over all threads of a block whose rows are a power of two.
  void open_flat(llvm::IRBuilderBase& build);
  /// Opens no loop, but one thread by its linear number.
  void open_thread(llvm::IRBuilderBase& build, llvm::Value* linear);

  /// Of the innermost loop's threads those whose index has the bit `distance` clear, or set:
  /// a loop over stretches of so many threads around it.
  void open_stretches(llvm::IRBuilderBase& build, uint32_t distance, bool is_upper);
  uint32_t distance() const { return distance_; }  ///< 0: all threads are in one stretch
  bool is_upper() const { return is_upper_; }

  /// Lets the innermost loop go on into the blocks that follow.
  void lengthen(llvm::Value* threads) { extent_ = threads; }

  /// The number of threads of the innermost loop; first() has the indices of its first one.
  llvm::Value* extent() const { return extent_; }
  ThreadIndex first(llvm::IRBuilderBase& build) { return at(build, nullptr); }

  /// Lets the innermost loop go over only those lanes whose bit is set in a word.
  void choose_by_bits() { is_by_bits_ = true; }

  /// Opens the innermost loop, over [low, high) or over the bits of `high`; it must not be empty.
  ThreadIndex open_inner(llvm::IRBuilderBase& build, llvm::Value* low, llvm::Value* high);
  bool has_inner_loop() const { return inner_.counter || stretches_.counter; }
  llvm::Value* counter() const;
  bool is_flat() const { return is_flat_; }
  /// `group`: the access group of what is independent. Both leave `build` after the loop.
  void close_inner(llvm::IRBuilderBase& build, llvm::MDNode* group, bool vectorizes);
  void close_outer(llvm::IRBuilderBase& build);

 private:
  struct Level {
    llvm::BasicBlock* head = nullptr;
    llvm::PHINode* counter = nullptr;
    llvm::Value* end = nullptr;  ///< null: a loop over bits
  };
  Level open(llvm::IRBuilderBase& build, llvm::Value* low, llvm::Value* high, const char* name);
  llvm::Instruction* close(llvm::IRBuilderBase& build, Level& level);
  llvm::Value* open_outer(llvm::IRBuilderBase& build, llvm::Value* extent, const char* name);
  ThreadIndex at(llvm::IRBuilderBase& build, llvm::Value* counter);

  const EntryFrame& frame_;
  BlockShape shape_;
  bool y_is_fast_;
  unsigned lanes_;
  std::vector<Level> outer_;
  Level inner_, stretches_;
  uint32_t distance_ = 0;
  bool is_upper_ = false;
  llvm::Value* extent_ = nullptr;
  llvm::Value* x_ = nullptr;  ///< of the innermost loop's first thread
  llvm::Value* y_ = nullptr;
  llvm::Value* z_ = nullptr;
  llvm::Value* linear_ = nullptr;
  bool is_warp_ = false;
  bool is_flat_ = false;  ///< the same from bits of the counter
  bool is_by_bits_ = false;  ///< the counter is what is left of the word
  bool divides_ = false;  ///< x, y, z come from the linear number of each thread
};

}  // namespace kasoku::embedded
