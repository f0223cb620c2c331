/// \file kasoku/compile/clang/passes/split_at_syncs.h
/// Finds the places where threads wait for each other, and cuts the kernel's
/// blocks there, so that the text between two of them can become a loop over
/// threads.
#pragma once

#include "kasoku/compile/clang/passes/intrinsics.h"

#include "llvm/ADT/DenseMap.h"

#include <vector>

namespace llvm {
class BasicBlock;
class Function;
class Type;
}  // namespace llvm

namespace kasoku::embedded {

/// The block begins with the call, whose result is what the thread learns. Its
/// predecessor ends with ks_arrive(number, value, mask): what the thread brings.
struct SyncPoint {
  Sync sync = Sync::none;
  llvm::CallInst* call = nullptr;
  llvm::BasicBlock* block = nullptr;
  llvm::Type* value = nullptr;  ///< of what is brought; null if nothing is
  unsigned number = 0;          ///< 1, 2, … in reverse post-order: less is less progress
};

std::vector<SyncPoint> split_at_syncs(llvm::Function& kernel);

bool is_arrival(const llvm::Instruction& instruction);

}  // namespace kasoku::embedded
