/// \file kasoku/device/null/device.h
/// Records launches and runs nothing: the smallest backend, and the planner's
/// test bench. Its memory is real, so that copies and fills can be looked at.
#pragma once

#include "kasoku/device/device.h"
#include "kasoku/device/module.h"

#include <memory>
#include <string>
#include <vector>

namespace kasoku::null {

struct Launch {
  std::string kernel;
  LaunchShape shape;
};

std::unique_ptr<Device> make_device();

/// What was launched since the last call, in order.
std::vector<Launch> take_launches();

}  // namespace kasoku::null
