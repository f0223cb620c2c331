/// \file python/src/frame.h
/// Python's frames: whose statement is under way, a user's or our own package's.
#pragma once

#include "bindings.h"

#include <atomic>
#include <memory>
#include <vector>

namespace kasoku {

/// Facts about a code object. It keeps the object alive, so that no other one gets its address.
struct PythonCode {
  explicit PythonCode(nb::object code);

  const nb::object object;
  const bool is_ours;                      ///< of the kasoku package or of Python's import machinery
  /// By instruction, two each: of the value that it gives, and of one that reads memory that others can write
  /// (statement.cpp).
  std::vector<std::atomic<uint8_t>> fates;
};

/// The innermost frame that is not ours, with its code; a null frame if there is none.
struct UserFrame {
  nb::object frame;
  std::shared_ptr<PythonCode> code;
};
UserFrame user_frame();

}  // namespace kasoku
