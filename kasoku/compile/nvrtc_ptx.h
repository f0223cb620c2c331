/// \file kasoku/compile/nvrtc_ptx.h
/// What PTX says of a module: its kernels with their parameters' sizes, and its
/// variables. Names and dtypes of the source come from elsewhere.
#pragma once

#include "kasoku/device/code.h"

#include <string>
#include <string_view>

namespace kasoku {

ModuleInfo read_ptx(std::string_view ptx);

/// The source's name of a mangled symbol: "ns::scale<float>" of
/// "_ZN2ns5scaleIfEEvPfi"; the symbol itself if it is not mangled.
std::string source_name(const std::string& symbol);

}  // namespace kasoku
