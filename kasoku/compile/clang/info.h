/// \file kasoku/compile/clang/info.h
/// What is known of a parsed module, as the JSON of ModuleInfo (device/code.h).
#pragma once

#include <set>
#include <string>
#include <vector>

namespace clang {
class CodeGenerator;
class CompilerInstance;
}  // namespace clang
namespace llvm {
class Module;
}

namespace kasoku::embedded {

/// A name expression and the symbol that it means.
struct NamedSymbol {
  std::string name, symbol;
};

/// Brings the module into the shape that abi.h promises: no target attributes,
/// module state externally visible.
void finish_module(llvm::Module& module);

/// Call after finish_module, while the syntax tree lives.
std::string describe_module(clang::CompilerInstance& compiler, clang::CodeGenerator& generator,
                            llvm::Module& module, const std::vector<NamedSymbol>& expressions,
                            const std::set<std::string>& absent_files);

}  // namespace kasoku::embedded
