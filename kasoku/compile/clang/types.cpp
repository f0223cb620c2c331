#include "kasoku/compile/clang/types.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/DeclTemplate.h>

namespace kasoku::embedded {
namespace {

Dtype integer(uint64_t bits, bool is_signed) {
  switch (bits) {
    case 8: return is_signed ? Dtype::int8 : Dtype::uint8;
    case 16: return is_signed ? Dtype::int16 : Dtype::uint16;
    case 32: return is_signed ? Dtype::int32 : Dtype::uint32;
    case 64: return is_signed ? Dtype::int64 : Dtype::uint64;
    default: return Dtype::opaque;
  }
}

Dtype builtin(clang::ASTContext& context, const clang::BuiltinType& type) {
  switch (type.getKind()) {
    case clang::BuiltinType::Bool: return Dtype::bool_;
    case clang::BuiltinType::Half:
    case clang::BuiltinType::Float16: return Dtype::float16;
    case clang::BuiltinType::BFloat16: return Dtype::bfloat16;
    case clang::BuiltinType::Float: return Dtype::float32;
    case clang::BuiltinType::Double: return Dtype::float64;
    default: break;
  }
  if (!type.isInteger()) return Dtype::opaque;
  const clang::QualType plain(&type, 0);
  return integer(context.getTypeSize(plain), type.isSignedInteger());
}

Dtype complex_of(Dtype part) {
  if (part == Dtype::float32) return Dtype::complex64;
  return part == Dtype::float64 ? Dtype::complex128 : Dtype::opaque;
}

Dtype record(clang::ASTContext& context, const clang::RecordDecl& decl) {
  const llvm::StringRef name = decl.getName();
  if (name == "__half") return Dtype::float16;
  if (name == "__nv_bfloat16") return Dtype::bfloat16;
  const auto* instance = llvm::dyn_cast<clang::ClassTemplateSpecializationDecl>(&decl);
  if (!instance || (name != "complex" && name != "ks_complex")) return Dtype::opaque;
  const auto& args = instance->getTemplateArgs();
  if (args.size() < 1 || args[0].getKind() != clang::TemplateArgument::Type) return Dtype::opaque;
  const Dtype part = dtype_of_type(context, args[0].getAsType());
  // A template that nothing uses but a pointer has no size yet.
  const bool only_parts =
      !decl.getDefinition() || context.getTypeSize(context.getRecordType(&decl)) ==
                                   2 * context.getTypeSize(args[0].getAsType());
  return only_parts ? complex_of(part) : Dtype::opaque;
}

/// cuFloatComplex is a name for float2; the name is what tells.
Dtype named(clang::QualType type) {
  while (const auto* alias = type->getAs<clang::TypedefType>()) {
    const llvm::StringRef name = alias->getDecl()->getName();
    if (name == "cuComplex" || name == "cuFloatComplex") return Dtype::complex64;
    if (name == "cuDoubleComplex") return Dtype::complex128;
    type = alias->desugar();
  }
  return Dtype::opaque;
}

}  // namespace

Dtype dtype_of_type(clang::ASTContext& context, clang::QualType type) {
  if (const Dtype found = named(type); found != Dtype::opaque) return found;
  const clang::QualType plain = type.getCanonicalType().getUnqualifiedType();
  if (const auto* found = plain->getAs<clang::BuiltinType>()) return builtin(context, *found);
  if (const auto* found = plain->getAs<clang::EnumType>()) {
    const clang::QualType under = found->getDecl()->getIntegerType();
    return under.isNull() ? Dtype::opaque : dtype_of_type(context, under);
  }
  if (const auto* found = plain->getAs<clang::ComplexType>())
    return complex_of(dtype_of_type(context, found->getElementType()));
  if (const auto* found = plain->getAs<clang::RecordType>()) return record(context, *found->getDecl());
  return Dtype::opaque;
}

}  // namespace kasoku::embedded
