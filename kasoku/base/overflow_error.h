/// \file kasoku/base/overflow_error.h
/// A number that a dtype does not hold: in Python a ValueError and an OverflowError at once.
#pragma once

#include "kasoku/base/error.h"

namespace kasoku {

class OverflowError : public Error {
 public:
  explicit OverflowError(const std::string& what) : Error(ErrorKind::value, what) {}
};

}  // namespace kasoku
