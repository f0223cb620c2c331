#include "kasoku/compile/clang/info.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/JSON.h>

namespace kasoku::embedded {

void finish_module(llvm::Module& module) {
  for (llvm::Function& function : module)
    for (const char* name : {"target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(name);
}

std::string describe_module(clang::CompilerInstance&, clang::CodeGenerator&, llvm::Module&,
                            const std::vector<NamedSymbol>& expressions) {
  llvm::json::Object out;
  llvm::json::Object names;
  for (const auto& [name, symbol] : expressions) names[name] = symbol;
  out["expressions"] = std::move(names);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::json::Value(std::move(out));
  return text;
}

}  // namespace kasoku::embedded
