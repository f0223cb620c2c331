/// \file kasoku/compile/clang/globals.h
/// __device__ and __constant__ variables: they outlive the code of any one
/// kernel, so they become symbols that the loader provides, with their first values.
#pragma once

#include <llvm/Support/JSON.h>

namespace clang {
class CodeGenerator;
}
namespace llvm {
class Module;
}

namespace kasoku::embedded {

/// Gives all variables that live in the module external names, and marks shared
/// ones with the attribute "ks-shared".
void expose_globals(llvm::Module& module);

/// "globals" and "initial_values" of the module's JSON.
void describe_globals(clang::CodeGenerator& generator, const llvm::Module& module,
                      llvm::json::Object& out);

}  // namespace kasoku::embedded
