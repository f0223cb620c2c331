/// \file kasoku/compile/nvrtc_link.h
/// Kernels that launch kernels need CUDA's device runtime (libcudadevrt.a) linked to what NVRTC
/// made; nvJitLink does that, with no GPU at hand.
#pragma once

#include <string>
#include <string_view>

namespace kasoku {

/// Whether `<<<` stands in the text's code; NVRTC takes no host's part, so it is device code.
bool launches_kernels(std::string_view text);

/// Machine code from `code`, relocatable machine code or PTX. ErrorKind::unsupported says what is to be installed.
std::string link_device_runtime(const std::string& code, const std::string& architecture);

}  // namespace kasoku
