/// \file kasoku/compile/clang/passes/vector_math.h
/// Which functions of libm have a vector form in glibc's libmvec: LLVM's own
/// table stops at 256 bits and at the functions of glibc 2.22.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class VecDesc;
}

namespace kasoku::embedded {

llvm::ArrayRef<llvm::VecDesc> vector_math();

}  // namespace kasoku::embedded
