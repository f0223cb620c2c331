/// \file kasoku/compile/clang/shared_variables.h
/// Which global variables of a module are shared memory. Clang says it by an annotation, which is
/// made an attribute once (globals.cpp, passes/prepare.cpp).
#pragma once

#include "llvm/IR/GlobalVariable.h"

namespace kasoku::embedded {

inline void mark_as_shared(llvm::GlobalVariable& variable) { variable.addAttribute("ks-shared"); }

inline bool is_shared_variable(const llvm::Value* value) {
  const auto* variable = llvm::dyn_cast_or_null<llvm::GlobalVariable>(value);
  return variable && variable->hasAttribute("ks-shared");
}

}  // namespace kasoku::embedded
