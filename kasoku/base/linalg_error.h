/// \file kasoku/base/linalg_error.h
/// A matrix that has no solution, no inverse, no factors: NumPy's LinAlgError.
#pragma once

#include "kasoku/base/error.h"

namespace kasoku {

struct LinAlgError : Error {
  explicit LinAlgError(const std::string& what) : Error(ErrorKind::value, what) {}
};

}  // namespace kasoku
