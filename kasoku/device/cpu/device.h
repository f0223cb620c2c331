/// \file kasoku/device/cpu/device.h
/// The processor as a device.
#pragma once

#include "kasoku/device/device.h"

#include <memory>

namespace kasoku::cpu {

std::unique_ptr<Device> make_device();

/// What a launch may ask for, as in the device's properties; without the rest of them, for which
/// the processor and the system are asked (a tenth of a millisecond on a virtual machine).
const DeviceProperties& launch_limits();

}  // namespace kasoku::cpu
