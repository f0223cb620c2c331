/// \file kasoku/device/overrun.h
/// What is said of a kernel that wrote past the end of memory.
#pragma once

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"

namespace kasoku {

inline Error past_the_end(std::string_view kernel, std::string_view name, uint64_t bytes) {
  return Error(ErrorKind::device, "kernel " + quote(kernel) + " wrote past the end of " + quote(name) + ", which has " +
                                      std::to_string(bytes) + " bytes")
      .why("what lay behind may be damaged too")
      .fix("KASOKU_CHECK=bounds or `kasoku run --check` names the line");
}

}  // namespace kasoku
