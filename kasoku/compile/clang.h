/// \file kasoku/compile/clang.h
/// The compiler for CPUs: the embedded Clang behind clang/clang_api.h, loaded
/// at the first miss.
#pragma once

#include "kasoku/compile/compiler.h"

#include <optional>
#include <string>

namespace kasoku {

Compiler& clang_compiler();

/// File of the library that would be loaded; may not exist.
std::string clang_library();
/// The pack (entry_pack.h) of array operations that the library brings along for an architecture; it may be absent.
std::string operations_file(const std::string& architecture);
/// Whether it has been loaded: cached runs never do.
bool clang_is_loaded();

/// The kernels of a text that another compiler compiles, with their parameters and which of them are read and written,
/// from the text's syntax tree. Nothing if the text cannot be parsed or the embedded compiler is not there; the other
/// compiler's errors then count.
std::optional<ModuleInfo> clang_signature(const Program& program);

}  // namespace kasoku
