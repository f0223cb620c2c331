/// \file kasoku/device/cpu/device.h
/// The processor as a device.
#pragma once

#include "kasoku/device/device.h"

#include <memory>

namespace kasoku::cpu {

std::unique_ptr<Device> make_device();

/// The limits of launches from the device's properties. The other properties would have to ask the processor and the
/// system, which takes a tenth of a millisecond on a virtual machine.
const DeviceProperties& launch_limits();

}  // namespace kasoku::cpu
