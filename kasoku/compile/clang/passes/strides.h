/// \file kasoku/compile/clang/passes/strides.h
/// By how much values differ between threads that follow each other.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

#include <functional>
#include <optional>

namespace llvm {
class Instruction;
class Loop;
class LoopInfo;
class PHINode;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

class Strides {
 public:
  /// `counters`: instructions that grow by so much from thread to thread; what is not made
  /// of them is the same for all. Only what `is_inside` is looked at. Counters start with a
  /// multiple of `lanes`, and what is asked for holds for so many threads from there (0: all).
  Strides(const llvm::DenseMap<const llvm::Instruction*, int64_t>& counters,
          const llvm::LoopInfo& loops,
          const std::function<bool(const llvm::Instruction&)>& is_inside, uint64_t lanes = 0);

  /// Whether threads may have different values.
  bool varies(const llvm::Value* value) const { return varying_.contains(value); }
  /// Says that threads have different values here too, of which nothing is known.
  void let_vary(const llvm::Instruction& instruction);
  /// By how much a value grows from one thread to the next, if that is a constant.
  std::optional<int64_t> of(llvm::Value* value) { return find(value, 0); }

  /// Narrow unsigned numbers, with their strides, that must not pass zero if the stride of
  /// `address` is to hold; nothing if that cannot be asked where the address is used.
  using Wraps = llvm::SmallVector<std::pair<llvm::Value*, int64_t>, 2>;
  std::optional<Wraps> may_wrap(llvm::Value* address);

 private:
  void spread(llvm::SmallVectorImpl<const llvm::Instruction*>& open);
  std::optional<int64_t> find(llvm::Value* value, int depth);
  bool is_counter(const llvm::Value* value) const;
  std::optional<int64_t> make(llvm::Instruction& instruction, int depth);
  std::optional<int64_t> of_phi(llvm::PHINode& phi, int depth);
  bool find_wraps(llvm::Value* value, bool behind_phi, Wraps& wraps,
                  llvm::SmallPtrSetImpl<llvm::Value*>& seen);

  llvm::DenseMap<const llvm::Instruction*, int64_t> counters_;
  const llvm::LoopInfo& loops_;
  std::function<bool(const llvm::Instruction&)> is_inside_;
  uint64_t lanes_;
  llvm::SmallPtrSet<const llvm::Value*, 32> varying_;
  llvm::SmallPtrSet<const llvm::Value*, 4> unknown_;
  llvm::DenseMap<llvm::Value*, std::optional<int64_t>> strides_;
};

}  // namespace kasoku::embedded
