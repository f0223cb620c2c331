/// \file kasoku/compile/clang/types.h
/// C++ types of a kernel's parameters as dtypes.
#pragma once

#include "kasoku/base/dtype.h"

#include <clang/AST/Type.h>

namespace clang {
class ASTContext;
}

namespace kasoku::embedded {

/// Dtype::opaque for what has none: records, vectors such as float4, pointers.
Dtype dtype_of_type(clang::ASTContext& context, clang::QualType type);

}  // namespace kasoku::embedded
