/// \file kasoku/device/cpu/helpers.h
/// Functions that compilers call for what the processor cannot do in one
/// instruction: 128-bit division, half and bfloat16 conversions, complex products.
#pragma once

#include <utility>
#include <vector>

namespace kasoku::cpu {

std::vector<std::pair<const char*, void*>> compiler_helpers();

}  // namespace kasoku::cpu
