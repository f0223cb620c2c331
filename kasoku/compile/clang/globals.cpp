#include "kasoku/compile/clang/globals.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/clang/shared_variables.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Attr.h>
#include <clang/AST/Decl.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <string>

namespace kasoku::embedded {
namespace {

/// Beyond these a text is a mistake; values travel with the code, so they are held lower.
constexpr uint64_t most_bytes = uint64_t{64} << 30, most_valued_bytes = uint64_t{256} << 20;

/// The variables that an annotation names: rows of llvm.global.annotations.
void mark_shared(llvm::Module& module) {
  const llvm::GlobalVariable* table = module.getGlobalVariable("llvm.global.annotations");
  if (!table || !table->hasInitializer()) return;
  for (const llvm::Use& row : llvm::cast<llvm::ConstantArray>(table->getInitializer())->operands()) {
    const auto* fields = llvm::cast<llvm::ConstantStruct>(row.get());
    auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(fields->getOperand(0)->stripPointerCasts());
    auto* text = llvm::dyn_cast<llvm::GlobalVariable>(fields->getOperand(1)->stripPointerCasts());
    if (!variable || !text || !text->hasInitializer()) continue;
    const auto* word = llvm::dyn_cast<llvm::ConstantDataArray>(text->getInitializer());
    if (word && word->isCString() && word->getAsCString() == "ks_shared")
      mark_as_shared(*variable);
  }
}

/// Bytes of an initial value; false if it holds addresses.
bool encode(const llvm::DataLayout& layout, const llvm::Constant& value, char* out) {
  if (value.isNullValue() || llvm::isa<llvm::UndefValue>(value)) return true;
  if (const auto* integer = llvm::dyn_cast<llvm::ConstantInt>(&value)) {
    const llvm::APInt bits = integer->getValue().zext((integer->getBitWidth() + 63) / 64 * 64);
    memcpy(out, bits.getRawData(), layout.getTypeStoreSize(value.getType()));
    return true;
  }
  if (const auto* number = llvm::dyn_cast<llvm::ConstantFP>(&value)) {
    const llvm::APInt bits = number->getValueAPF().bitcastToAPInt();
    const llvm::APInt wide = bits.zext((bits.getBitWidth() + 63) / 64 * 64);
    memcpy(out, wide.getRawData(), layout.getTypeStoreSize(value.getType()));
    return true;
  }
  if (const auto* sequence = llvm::dyn_cast<llvm::ConstantDataSequential>(&value)) {
    memcpy(out, sequence->getRawDataValues().data(), sequence->getRawDataValues().size());
    return true;
  }
  if (!llvm::isa<llvm::ConstantAggregate>(value)) return false;
  llvm::Type* type = value.getType();
  for (unsigned i = 0; i < value.getNumOperands(); ++i) {
    const auto& part = *llvm::cast<llvm::Constant>(value.getOperand(i));
    const uint64_t offset =
        type->isStructTy()
            ? layout.getStructLayout(llvm::cast<llvm::StructType>(type))->getElementOffset(i)
            : i * layout.getTypeAllocSize(part.getType());
    if (!encode(layout, part, out + offset)) return false;
  }
  return true;
}

bool has_addresses(const llvm::GlobalVariable& variable) {
  if (!variable.hasInitializer()) return false;
  const llvm::DataLayout& layout = variable.getParent()->getDataLayout();
  std::string scratch(layout.getTypeAllocSize(variable.getValueType()) + 8, '\0');
  return !encode(layout, *variable.getInitializer(), scratch.data());
}

bool is_module_state(const llvm::GlobalVariable& variable) {
  if (variable.isDeclaration() || variable.getName().starts_with("llvm.")) return false;
  if (is_shared_variable(&variable)) return false;
  if (variable.isConstant() && !variable.isExternallyInitialized()) return false;
  return true;
}

}  // namespace

void expose_globals(llvm::Module& module) {
  mark_shared(module);
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (variable.isDeclaration() && variable.use_empty()) {
      variable.eraseFromParent();
      continue;
    }
    if (!is_module_state(variable)) continue;
    // A table of functions or of texts can only be made where their code is: each
    // kernel gets its own, which nothing on the host can change.
    if (has_addresses(variable)) {
      variable.setLinkage(llvm::GlobalValue::InternalLinkage);
      variable.setComdat(nullptr);
      variable.setExternallyInitialized(false);
      continue;
    }
    if (variable.hasLocalLinkage()) variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
    variable.setVisibility(llvm::GlobalValue::DefaultVisibility);
    variable.setDSOLocal(false);
  }
}

void describe_globals(clang::CodeGenerator& generator, const llvm::Module& module,
                      llvm::json::Object& out) {
  llvm::json::Array globals;
  llvm::json::Object values;
  const llvm::DataLayout& layout = module.getDataLayout();
  for (const llvm::GlobalVariable& variable : module.globals()) {
    if (!is_module_state(variable) || variable.hasLocalLinkage()) continue;
    const std::string symbol = variable.getName().str();
    const auto* decl = llvm::dyn_cast_or_null<clang::VarDecl>(generator.GetDeclForMangledName(symbol));
    std::string name = symbol;
    if (decl) {
      name.clear();
      llvm::raw_string_ostream stream(name);
      decl->getNameForDiagnostic(stream, decl->getASTContext().getPrintingPolicy(), true);
    }
    const uint64_t size = layout.getTypeAllocSize(variable.getValueType());
    if (size > (variable.getInitializer()->isNullValue() ? most_bytes : most_valued_bytes))
      throw Error(ErrorKind::memory, "variable " + name + " of the module has " + std::to_string(size) + " bytes")
          .why("a variable has at most 64 GiB, and 256 MiB if it is given values");
    globals.push_back(llvm::json::Object{
        {"name", name},
        {"symbol", symbol},
        {"size", static_cast<int64_t>(size)},
        {"align", static_cast<int64_t>(variable.getAlign().valueOrOne().value())},
        {"is_constant", decl && decl->hasAttr<clang::CUDAConstantAttr>()}});
    if (variable.getInitializer()->isNullValue() || llvm::isa<llvm::UndefValue>(variable.getInitializer()))
      continue;
    std::string bytes(size + 8, '\0');
    encode(layout, *variable.getInitializer(), bytes.data());
    bytes.resize(size);
    values[symbol] = llvm::toHex(bytes, /*LowerCase=*/true);
  }
  out["globals"] = std::move(globals);
  out["initial_values"] = std::move(values);
}

}  // namespace kasoku::embedded
