/// \file kasoku/compile/clang/passes/split_ranges.h
/// Finds the threads for which a region's conditions on threadIdx are settled:
/// `i < n`, `t < d`, `t == 0`, `x > 0 && x < w - 1`.
///
/// Where a condition compares an index that grows with the innermost thread loop
/// to something that does not, the threads on one side of it are a range. The
/// loop over that range needs no mask, which vectorises far better (on AVX2 a
/// masked store costs ten plain ones), and an empty other side needs no loop.
#pragma once

#include "llvm/ADT/SetVector.h"

#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace llvm {
class BasicBlock;
class BranchInst;
class ICmpInst;
class IRBuilderBase;
class Instruction;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

using BlockSet = llvm::SmallSetVector<llvm::BasicBlock*, 16>;

struct Guard {
  llvm::BranchInst* branch = nullptr;
  bool side = true;  ///< the condition's value for most threads
  /// The condition has `side` if each of these has the value beside it.
  std::vector<std::pair<llvm::Value*, bool>> parts;
  BlockSet made_in;  ///< see made_before
};

struct RegionGuards {
  std::vector<Guard> all;
  /// Whether the threads for which the guard is not settled do nothing at all.
  bool others_do_nothing = false;
  bool of_one_thread = false;  ///< they are settled for one thread at most
};

struct GuardQuestions {
  const BlockSet* blocks;  ///< of the region
  std::function<bool(const llvm::Instruction&)> is_uniform;
  std::function<bool(const llvm::BasicBlock&)> leaves_region;  ///< a place where threads meet
  /// The side that all threads take at a branch, if that was asked before the loop.
  std::function<std::optional<bool>(const llvm::BranchInst&)> decided;
  bool trusts_uniform = false;  ///< what is_uniform says holds anywhere
  bool splits_uniform = false;      ///< a first condition that is the same for all counts too
  bool y_is_fast = false;           ///< the innermost loop runs along y
  bool lanes_are_low_bits = false;  ///< the innermost loop runs over the lanes of a warp

  /// These questions as they are asked where a guard stands.
  GuardQuestions at(const Guard& guard) const {
    GuardQuestions there = *this;
    there.blocks = &guard.made_in;
    return there;
  }
};

/// Where what is used at the end of `way`, which leads there from the region's start, is made in
/// the region: on that way, if it is come by once. What else its blocks make is then older, as
/// a loop's counter is after a barrier in that loop.
BlockSet made_before(const BlockSet& way, const GuardQuestions& ask);

/// Whether an index that grows may pass from the largest number to the least within a block,
/// as `threadIdx.x - 1` does among unsigned numbers.
bool may_wrap(const llvm::Value& value, bool is_signed, const GuardQuestions& ask, int depth = 0);

/// By how much a value grows with the innermost thread counter: 0 or 1, or nothing
/// if it is not known or cannot be computed before the loop.
std::optional<int> growth(const llvm::Value* value, const GuardQuestions& ask, int depth = 0);

/// Whether two values are compared, of which one grows, so that they are equal for one thread at most.
bool differs_for_one(const llvm::ICmpInst& compare, const GuardQuestions& ask);

/// The successor to which one thread goes alone; null if the branch has none.
llvm::BasicBlock* way_of_one(const llvm::BranchInst& branch, const GuardQuestions& ask);

/// The index that a signed comparison keeps below something wherever `condition` is
/// `wanted`, if it grows with the counter; else null.
llvm::Instruction* limited_index(llvm::Value* condition, bool wanted, const GuardQuestions& ask);

/// Whether the threads outside of a guard's own settled range are settled too, the other way.
bool settles_all(const Guard& guard, const GuardQuestions& ask);

/// Whether a region is left from `block` on without having done anything.
bool does_nothing(const llvm::BasicBlock* block, const GuardQuestions& ask);

/// Whether a guard holds for all threads but one.
bool leaves_one_out(const Guard& guard, const GuardQuestions& ask);

RegionGuards find_guards(llvm::BasicBlock& start, const GuardQuestions& ask);

/// The range [first, second) of the innermost counter, within [0, extent), where
/// all guards are settled. `at_zero` makes a value as it is for counter 0.
std::pair<llvm::Value*, llvm::Value*> settled_range(
    llvm::IRBuilderBase& build, const RegionGuards& guards, llvm::Value* extent,
    const GuardQuestions& ask,
    const std::function<llvm::Value*(const BlockSet& made_in, llvm::Value*)>& at_zero);

}  // namespace kasoku::embedded
