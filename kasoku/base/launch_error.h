/// \file kasoku/base/launch_error.h
/// A launch of a shape that the device does not take: in Python a ValueError and a DeviceError at once, because CUDA's
/// driver is who says so.
#pragma once

#include "kasoku/base/error.h"

namespace kasoku {

class LaunchError : public Error {
 public:
  explicit LaunchError(const Error& error) : Error(error) {}
};

}  // namespace kasoku
