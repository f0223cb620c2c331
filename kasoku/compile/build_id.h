/// \file kasoku/compile/build_id.h
/// What tells one build of a shared object from another, without loading it.
#pragma once

#include <string>

namespace kasoku {

/// The linker's build id of an ELF file, else its size and time of change;
/// "missing" if there is no such file.
std::string file_identity(const std::string& path);

}  // namespace kasoku
