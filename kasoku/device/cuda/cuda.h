/// \file kasoku/device/cuda/cuda.h
/// What the table of backends needs of CUDA. The driver is looked for at run
/// time, so one build serves machines with and without a GPU.
#pragma once

#include "kasoku/device/device.h"

#include <span>
#include <string>

namespace kasoku {

/// cuda:0, cuda:1, …; empty without a GPU or driver. Loads the driver, but makes
/// no context: a device gets one at its first use.
std::span<Device* const> cuda_devices();

/// Why cuda_devices() is empty, as a sentence for `kasoku doctor`; else "".
std::string cuda_missing();

/// "13.0": the CUDA version that the driver supports; "" without one.
std::string cuda_driver_version();

}  // namespace kasoku
