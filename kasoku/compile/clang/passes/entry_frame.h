/// \file kasoku/compile/clang/passes/entry_frame.h
/// The function that a worker calls, with the loop over blocks in it; what runs
/// one block is filled in by regions.h.
///
/// entry() unpacks the arguments and calls a second function, because only
/// there `__restrict__` can be said: as attributes of its parameters.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"
#include "kasoku/compile/clang/passes/intrinsics.h"
#include "kasoku/compile/clang/passes/prepare.h"

#include <array>
#include <string>
#include <vector>

namespace llvm {
class Argument;
class BasicBlock;
class Function;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

struct EntryFrame {
  llvm::Function* entry = nullptr;
  llvm::Function* body = nullptr;
  std::vector<llvm::Value*> arguments;  ///< in body, for each IR argument of the kernel
  llvm::Value* launch = nullptr;
  llvm::Value* scratch = nullptr;
  llvm::Value* shared = nullptr;
  std::array<llvm::Value*, 13> index{};  ///< by Index; tid_* differ by region and are null
  llvm::Value* threads = nullptr;        ///< of the block, 32 bits
  llvm::BasicBlock* once = nullptr;      ///< runs before the first block; ends with a branch
  llvm::BasicBlock* block_begin = nullptr;  ///< one block's work goes from here, still open,
  llvm::BasicBlock* block_end = nullptr;    ///< to here
};

inline constexpr const char* entry_symbol = "ks_entry";

EntryFrame build_entry_frame(const PreparedKernel& kernel, const BlockShape& shape);

}  // namespace kasoku::embedded
