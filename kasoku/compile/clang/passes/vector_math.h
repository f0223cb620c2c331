/// \file kasoku/compile/clang/passes/vector_math.h
/// Which functions of libm have a vector form in glibc's libmvec: LLVM's own
/// table stops at 256 bits and at the functions of glibc 2.22.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class VecDesc;
}

namespace kasoku::embedded {

/// A loop over floats may hold doubles too, so vectors of 512 bits are met where registers
/// have 256; their functions must not be called there.
llvm::ArrayRef<llvm::VecDesc> vector_math(bool has_512_bits);

}  // namespace kasoku::embedded
