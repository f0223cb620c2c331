/// \file kasoku/compile/clang/passes/live_values.h
/// Which values of a kernel are needed after a point where it is cut: those have
/// to be kept for each thread while the other threads catch up.
#pragma once

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace llvm {
class BasicBlock;
class Function;
class Instruction;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

/// Whether a value needs no keeping: constants, arguments, indices, allocas.
bool is_always_there(const llvm::Value& value);

class LiveValues {
 public:
  explicit LiveValues(llvm::Function& function);

  /// Values that the block or what follows it uses, made before it.
  std::vector<llvm::Instruction*> at(const llvm::BasicBlock& block) const;
  bool is_live_at(const llvm::Instruction& value, const llvm::BasicBlock& block) const;

 private:
  std::vector<llvm::Instruction*> values_;
  llvm::DenseMap<const llvm::Instruction*, unsigned> number_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BitVector> live_in_;
};

}  // namespace kasoku::embedded
