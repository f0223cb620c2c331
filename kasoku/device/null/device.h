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
/// A null device in the place of another kind of device, so that its kernel texts are made and compiled where there is
/// none.
std::unique_ptr<Device> make_stand_in(DeviceKind kind, const DeviceProperties& properties);

/// The launches since the last call, in order.
std::vector<Launch> take_launches();

}  // namespace kasoku::null
