/// \file kasoku/device/memory_limit.h
/// How many bytes a program lets kasoku have on a device.
#pragma once

#include "kasoku/device/device.h"

#include <atomic>
#include <cstdint>

namespace kasoku {

class Error;

/// The limit in bytes; 0, the default, means as many as the device has. Memory in use counts, and so does memory that
/// the pool keeps. Memory that was in use before the limit was set stays.
std::atomic<uint64_t>& memory_limit(DeviceKind kind, int index = 0);

/// The error of an allocation beyond the limit.
Error beyond_memory_limit(uint64_t bytes, const std::string& device, uint64_t limit, uint64_t used);

}  // namespace kasoku
