/// \file kasoku/compile/clang/passes/prepare.h
/// A module as Clang wrote it -> one kernel with everything inlined, and what of
/// the module it uses. The thread loops are built around one function, so device
/// functions have to disappear into it.
#pragma once

#include "kasoku/compile/clang/passes/block_shape.h"

#include <string_view>
#include <vector>

namespace llvm {
class Function;
class GlobalVariable;
class Module;
}  // namespace llvm

namespace kasoku::embedded {

class Pipeline;

struct PreparedKernel {
  llvm::Function* function = nullptr;
  std::vector<llvm::GlobalVariable*> shared;  ///< static and dynamic __shared__ variables
  std::vector<uint32_t> parameter_sizes;      ///< of the source; empty: one IR argument each
};

/// `is_generated`: the text is ours. `is_checked`: the checker is told each access.
PreparedKernel prepare(llvm::Module& module, std::string_view symbol, const BlockShape& shape,
                       bool is_generated, bool is_checked, Pipeline& pipeline);

}  // namespace kasoku::embedded
