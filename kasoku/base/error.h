/// \file kasoku/base/error.h
/// The one exception type. A user reads: what, where, why, fix.
#pragma once

#include <algorithm>
#include <exception>
#include <string>

namespace kasoku {

/// Decides the Python exception and the exit status of the command line.
enum class ErrorKind {
  value,
  type,
  index,
  compile,
  memory,
  unsupported,
  io,
  device,
  interrupted,
  internal
};

class Error : public std::exception {
 public:
  Error(ErrorKind kind, const std::string& what) : kind(kind), text_(what) {}

  Error& why(const std::string& reason) { return add(text_.size(), "\n  why  " + reason); }

  /// Something that can be typed. Leave it out when there is nothing to type.
  Error& fix(const std::string& advice) { return add(text_.size(), "\n  fix  " + advice); }

  /// The user's own line, never ours. The front end adds it on the way out; it
  /// is shown second.
  Error& at(const std::string& place) {
    return add(std::min(text_.find('\n'), text_.size()), "\n  at   " + place);
  }

  const char* what() const noexcept override { return text_.c_str(); }

  ErrorKind kind;

 private:
  Error& add(size_t where, const std::string& line) { return text_.insert(where, line), *this; }

  std::string text_;
};

}  // namespace kasoku
