/// \file kasoku/compile/nvrtc_log.h
/// NVRTC's messages in the form of Clang's, so that a user reads one form.
#pragma once

#include <string>
#include <string_view>

namespace kasoku {

struct NvrtcLog {
  std::string errors;  ///< with their notes; empty if there are none
  std::string warnings;
};

/// "k.cu(3): error: text", source line, caret -> "k.cu:3:10: error: text", line, caret.
NvrtcLog read_nvrtc_log(std::string_view log);

}  // namespace kasoku
