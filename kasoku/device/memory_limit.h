/// \file kasoku/device/memory_limit.h
/// How many bytes a program lets kasoku have on a device.
#pragma once

#include "kasoku/device/device.h"

#include <atomic>
#include <cstdint>

namespace kasoku {

class Error;

/// In bytes; 0, which it is at first, means as many as the device has. It counts what is given out and what the
/// pool keeps. Memory that was given out before it was set stays.
std::atomic<uint64_t>& memory_limit(DeviceKind kind, int index = 0);

/// What an allocation beyond the limit throws.
Error beyond_memory_limit(uint64_t bytes, const std::string& device, uint64_t limit, uint64_t used);

}  // namespace kasoku
