/// \file kasoku/compile/nvrtc_log.h
/// NVRTC's messages in the form of Clang's, so that a user reads one form.
#pragma once

#include "kasoku/base/error.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kasoku {

struct NvrtcLog {
  std::string errors;  ///< with their notes; empty if there are none
  std::string warnings;
  struct Place {
    std::string file;
    size_t line = 0, column = 0;  ///< from 1; column 0 is not known
  };
  std::vector<Place> faults;  ///< of the errors
};

/// "k.cu(3): error: text", source line, caret -> "k.cu:3:10: error: text", line, caret.
NvrtcLog read_nvrtc_log(std::string_view log);

/// The error of a kernel whose shared arrays are too large for a block, if that is what ptxas says in `log`. It has the
/// sentence of a launch on a CPU.
std::optional<Error> shared_memory_error(std::string_view log);

}  // namespace kasoku
