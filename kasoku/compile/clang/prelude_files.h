/// \file kasoku/compile/clang/prelude_files.h
/// The prelude as it travels in the library: text, and a precompiled header.
#pragma once

#include <span>
#include <string_view>

namespace kasoku::embedded {

struct PreludeFile {
  const char* name;  ///< "math.h"
  const char* text;
};

/// kasoku/compile/prelude/*.h, written into the library by embed.cmake.
std::span<const PreludeFile> prelude_files();

/// The prelude precompiled for the default language standard. Empty in the tool
/// that makes it. Weak, so that the tool needs no second build of the objects.
std::string_view embedded_pch() __attribute__((weak));

}  // namespace kasoku::embedded
