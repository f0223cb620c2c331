/// \file kasoku/compile/clang/passes/widen_facts.h
/// Whether a loop over threads can be run as vectors of threads, for widen.h.
#pragma once

#include "kasoku/compile/clang/passes/strides.h"

namespace llvm {
class BasicBlock;
class CallInst;
class ScalarEvolution;
class Type;
}  // namespace llvm

namespace kasoku::embedded {

class WidenFacts {
 public:
  /// `lanes` is the largest number of threads in a vector.
  WidenFacts(llvm::Loop& loop, const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution,
             uint64_t lanes);

  /// Whether all of the loop's text has a form for vectors, and gains by it.
  bool can_widen();

  bool varies(const llvm::Value* value) const { return strides_->varies(value); }
  Strides& strides() { return *strides_; }
  /// A branch that parts the threads of a vector: `body` is for some of them, `join` for all again.
  struct Triangle {
    llvm::BasicBlock *body, *join;
  };
  const Triangle* triangle_at(const llvm::BasicBlock* block) const {
    const auto found = triangles_.find(block);
    return found == triangles_.end() ? nullptr : &found->second;
  }
  /// The step of one of the loop's counters.
  int64_t step(const llvm::Instruction* counter) const { return counters_.lookup(counter); }

  uint64_t widest_bytes() const { return widest_bytes_; }
  unsigned carried() const { return carried_; }  ///< values that inner loops carry per thread
  bool gathers() const { return gathers_; }      ///< in inner loops
  bool has_rows() const { return has_rows_; }    ///< vectors are parts of short rows

 private:
  void find_triangles();
  bool can_widen(llvm::Instruction& instruction, bool is_inner);
  bool can_mask(const llvm::Instruction& instruction) const;
  bool can_access(llvm::Value* address, llvm::Type* type, bool is_store, bool is_inner);

  llvm::Loop& loop_;
  const llvm::LoopInfo& loops_;
  llvm::DenseMap<const llvm::Instruction*, int64_t> counters_;
  std::optional<Strides> strides_;
  llvm::DenseMap<const llvm::BasicBlock*, Triangle> triangles_;  ///< by where they begin
  llvm::SmallPtrSet<const llvm::BasicBlock*, 4> bodies_;
  uint64_t widest_bytes_ = 4;
  unsigned carried_ = 0;
  bool gathers_ = false, has_rows_ = false;
};

}  // namespace kasoku::embedded
