/// \file python/src/device.h
/// How every binding takes a device from Python.
#pragma once

#include "bindings.h"
#include "kasoku/device/device.h"

namespace kasoku {

/// The device that Python names: None is the default device; a Device, "cuda:1", or any object whose str() is such a
/// name (torch.device).
Device& to_device(nb::handle object);

}  // namespace kasoku
