/// \file kasoku/device/cpu/device.h
/// The processor as a device.
#pragma once

#include "kasoku/device/device.h"

#include <memory>

namespace kasoku::cpu {

std::unique_ptr<Device> make_device();

}  // namespace kasoku::cpu
