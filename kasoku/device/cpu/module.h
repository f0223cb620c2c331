/// \file kasoku/device/cpu/module.h
/// Kernels on the processor: code per block shape, globals, launches.
#pragma once

#include "kasoku/device/device.h"

#include <memory>

namespace kasoku::cpu {

std::shared_ptr<Module> load_module(Device& device, Code code);

}  // namespace kasoku::cpu
