/// \file python/src/device.h
/// How every binding takes a device from Python.
#pragma once

#include "bindings.h"
#include "kasoku/device/device.h"

namespace kasoku {

/// None: the default device. Else a Device, "cuda:1", or anything whose str() is
/// such a name (torch.device).
Device& to_device(nb::handle object);

}  // namespace kasoku
