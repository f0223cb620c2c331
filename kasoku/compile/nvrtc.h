/// \file kasoku/compile/nvrtc.h
/// The CUDA compiler: NVRTC, found at run time.
#pragma once

#include "kasoku/compile/compiler.h"

#include <string>

namespace kasoku {

Compiler& nvrtc_compiler();

/// Why NVRTC cannot be used, as a sentence for `kasoku doctor`; "" if it can. Does
/// not load it.
std::string nvrtc_missing();
/// The library's file; "" if there is none.
std::string nvrtc_file();
/// Where CUDA's own headers (cuda_fp16.h …) are; "" if they are not installed.
std::string nvrtc_headers();

/// Compiles for an architecture ("sm_90") without a device: tests, and looking at
/// what a GPU would get.
Compiler::Unit nvrtc_compile(const Program& program, const std::string& architecture);

}  // namespace kasoku
