#include "kasoku/compile/clang/info.h"

#include "kasoku/compile/absent.h"
#include "kasoku/compile/clang/access.h"
#include "kasoku/compile/clang/child_launches.h"
#include "kasoku/compile/clang/frontend.h"
#include "kasoku/compile/clang/globals.h"
#include "kasoku/compile/clang/own_names.h"
#include "kasoku/compile/clang/types.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>
#include <clang/Basic/SourceManager.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/JSON.h>

namespace kasoku::embedded {
namespace {

bool returns(const clang::Stmt* statement) {
  if (!statement) return false;
  if (llvm::isa<clang::ReturnStmt>(statement)) return true;
  for (const clang::Stmt* child : statement->children())
    if (returns(child)) return true;
  return false;
}

using llvm::json::Array;
using llvm::json::Object;

const char* kind_of(clang::QualType type, Dtype dtype) {
  if (type->isPointerType() || type->isReferenceType() || type->isArrayType()) return "pointer";
  return dtype == Dtype::opaque ? "record" : "scalar";
}

/// The IR arguments of each source parameter: x86's convention splits small
/// classes, passes empty ones not at all.
std::vector<const llvm::Argument*> first_arguments(const llvm::Function& function,
                                                   const std::vector<uint64_t>& sizes) {
  std::vector<const llvm::Argument*> first(sizes.size(), nullptr);
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  unsigned at = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0 || at >= function.arg_size()) continue;
    first[i] = function.getArg(at++);
    const bool is_split = sizes[i] > 8 && !first[i]->hasByValAttr() &&
                          layout.getTypeStoreSize(first[i]->getType()) <= 8;
    if (is_split) ++at;
  }
  return first;
}

class Describe {
 public:
  Describe(clang::ASTContext& context, llvm::Module& module) : context_(context), module_(module) {
    policy_ = context.getPrintingPolicy();
    policy_.SuppressTagKeyword = true;
  }

  Object kernel(const clang::FunctionDecl& decl, llvm::Function& function) {
    const Reach reach = reach_of(function);
    if (!returns(decl.getBody())) function.addFnAttr("ks-no-return");
    std::string name;
    llvm::raw_string_ostream stream(name);
    decl.getNameForDiagnostic(stream, policy_, /*Qualified=*/true);
    const clang::SourceManager& sources = context_.getSourceManager();
    const clang::PresumedLoc place =
        sources.getPresumedLoc(sources.getExpansionLoc(decl.getLocation()));
    return Object{{"name", name},
                  {"symbol", function.getName()},
                  {"line", place.isValid() ? static_cast<int>(place.getLine()) : 0},
                  {"params_known", true},
                  {"params", params(decl, function)},
                  {"max_threads", max_threads(decl)},
                  {"static_shared_bytes", reach.static_shared_bytes},
                  {"uses_barrier", reach.uses_barrier},
                  {"uses_grid_sync", reach.uses_grid_sync}};
  }

 private:
  Array params(const clang::FunctionDecl& decl, llvm::Function& function) {
    std::vector<uint64_t> sizes;
    std::string attribute;
    for (const clang::ParmVarDecl* param : decl.parameters()) {
      const clang::QualType type = param->getType();
      const bool is_empty = type->isRecordType() && type->getAsCXXRecordDecl()->isEmpty();
      sizes.push_back(is_empty ? 0 : size_of(type));
      if (!attribute.empty()) attribute += ',';
      attribute += std::to_string(sizes.back());
    }
    function.addFnAttr("ks-param-sizes", attribute);
    const auto arguments = first_arguments(function, sizes);
    Array out;
    for (size_t i = 0; i < sizes.size(); ++i)
      out.push_back(param(*decl.getParamDecl(i), arguments[i]));
    return out;
  }

  Object param(const clang::ParmVarDecl& decl, const llvm::Argument* argument) {
    const clang::QualType type = decl.getType();
    Object out{{"name", decl.getName()}, {"type", without_own_names(decl.getType().getAsString(policy_))},
               {"size", size_of(type)}, {"align", align_of(type)}};
    if (!type->isPointerType() && !type->isReferenceType()) {
      const Dtype dtype = dtype_of_type(context_, type);
      out["kind"] = kind_of(type, dtype);
      out["dtype"] = llvm::StringRef(info(dtype).name);
      return out;
    }
    clang::QualType element = type->getPointeeType();
    while (const clang::ArrayType* array = context_.getAsArrayType(element))
      element = array->getElementType();
    Access access{true, true};
    if (argument && argument->getType()->isPointerTy()) access = summary_.of(*argument);
    out["kind"] = "pointer";
    out["dtype"] = llvm::StringRef(info(dtype_of_type(context_, element)).name);
    const uint64_t element_size = element->isVoidType() ? 0 : size_of(element);
    out["element_size"] = element_size ? element_size : info(dtype_of_type(context_, element)).size;
    out["is_const"] = element.isConstQualified();
    out["is_restrict"] = type.isRestrictQualified();
    out["is_read"] = access.is_read;
    out["is_written"] = access.is_written;
    return out;
  }

  int max_threads(const clang::FunctionDecl& decl) {
    const auto* bounds = decl.getAttr<clang::CUDALaunchBoundsAttr>();
    if (!bounds || !bounds->getMaxThreads()) return 1024;
    clang::Expr::EvalResult value;
    if (bounds->getMaxThreads()->isValueDependent() ||
        !bounds->getMaxThreads()->EvaluateAsInt(value, context_))
      return 1024;
    const int64_t threads = value.Val.getInt().getExtValue();
    return threads >= 1 && threads < 1024 ? static_cast<int>(threads) : 1024;
  }

  uint64_t size_of(clang::QualType type) {
    if (type->isReferenceType()) return 8;
    return type->isIncompleteType() ? 0 : context_.getTypeSizeInChars(type).getQuantity();
  }
  uint64_t align_of(clang::QualType type) {
    return type->isIncompleteType() ? 1 : context_.getTypeAlignInChars(type).getQuantity();
  }

  clang::ASTContext& context_;
  llvm::Module& module_;
  clang::PrintingPolicy policy_{clang::LangOptions()};
  AccessSummary summary_;
};

Array included_files(clang::CompilerInstance& compiler, const std::set<std::string>& absent) {
  Array out;
  clang::SourceManager& sources = compiler.getSourceManager();
  for (auto file = sources.fileinfo_begin(); file != sources.fileinfo_end(); ++file) {
    const llvm::StringRef path = file->first.getName();
    if (path.starts_with("/.kasoku/") || path.starts_with("<")) continue;
    out.push_back(Object{{"path", path.str()}, {"hash", ""}});
  }
  for (const std::string& path : absent)
    out.push_back(Object{{"path", path}, {"hash", absent_file}});
  return out;
}

}  // namespace

void finish_module(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (const char* name : {"target-cpu", "target-features", "tune-cpu"})
      function.removeFnAttr(name);
    promote_locals(function);
  }
  expose_globals(module);
}

std::string describe_module(clang::CompilerInstance& compiler, clang::CodeGenerator& generator,
                            llvm::Module& module, const std::vector<NamedSymbol>& expressions,
                            const std::set<std::string>& absent_files) {
  Object out;
  Array kernels;
  Describe describe(compiler.getASTContext(), module);
  mark_kernels(generator, module);
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    if (is_kernel(function))
      kernels.push_back(describe.kernel(
          *llvm::cast<clang::FunctionDecl>(generator.GetDeclForMangledName(function.getName())), function));
  }
  out["kernels"] = std::move(kernels);
  describe_globals(generator, module, out);
  Object names;
  for (const auto& [name, symbol] : expressions) names[name] = symbol;
  out["expressions"] = std::move(names);
  out["includes"] = included_files(compiler, absent_files);
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::json::Value(std::move(out));
  return text;
}

}  // namespace kasoku::embedded
