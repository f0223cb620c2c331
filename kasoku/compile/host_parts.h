/// \file kasoku/compile/host_parts.h
/// Kernel text may be a whole program, whose host part names libraries and headers that are not
/// there. Clang never reads the bodies of host functions (clang/parse.cpp); what else of the host has a
/// fault is left out, so that the kernels compile all the same.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace kasoku {

/// The places of a compiler's errors, by file: "" is the text itself, others have the path that the compiler opened.
struct Faults {
  struct File {
    std::string text;
    std::set<size_t> offsets;
  };
  std::map<std::string, File> files;
  bool is_elsewhere = false;  ///< one is in no text that could be changed
};

/// The text without the declarations and the includes at `offsets`, with every line where it was.
/// Nothing if there is none at an offset, or one is of the device.
std::optional<std::string> without_host_parts(std::string_view text, const std::set<size_t>& offsets);

}  // namespace kasoku
