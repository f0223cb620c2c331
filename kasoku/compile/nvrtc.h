/// \file kasoku/compile/nvrtc.h
/// The CUDA compiler: NVRTC, found at run time.
#pragma once

#include "kasoku/compile/compiler.h"

#include <string>
#include <string_view>

namespace kasoku {

Compiler& nvrtc_compiler();

/// Why NVRTC cannot be used, as a sentence for `kasoku doctor`; "" if it can. Does
/// not load it.
std::string nvrtc_missing();
/// The folder of CUDA's own headers (cuda_fp16.h …); "" if they are not installed.
std::string nvrtc_headers();

/// The architectures that the library brings code for: machine code, which later GPUs of the same generation run too,
/// and PTX, which the driver compiles for all others.
inline constexpr std::string_view brought_architectures[] = {"compute_75", "sm_80", "sm_90", "sm_100", "sm_120"};
/// The one whose code a GPU ("sm_86") takes; "" if there is none.
std::string_view brought_architecture(const std::string& architecture);
/// Another library than the one that is found; to be called before the first use.
void use_nvrtc(const std::string& file);

/// Compiles for an architecture ("sm_90"; "compute_75" gives PTX) without a device: tests, and looking at
/// what a GPU would get.
Compiler::Unit nvrtc_compile(const Program& program, const std::string& architecture);

}  // namespace kasoku
