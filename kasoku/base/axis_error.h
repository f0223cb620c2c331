/// \file kasoku/base/axis_error.h
/// An axis that the array does not have: a value error and an index error at once, as in NumPy.
#pragma once

#include "kasoku/base/error.h"

#include <cstdint>

namespace kasoku {

struct AxisError : Error {
  AxisError(int64_t axis, int64_t ndim, const std::string& who = "")
      : Error(ErrorKind::index, who + "axis " + std::to_string(axis) +
                                    " is out of bounds for array of dimension " +
                                    std::to_string(ndim)) {}
};

}  // namespace kasoku
