/// \file kasoku/device/memory_listener.h
/// Somebody who is told of memory that is taken from a device's pool and given back to it.
#pragma once

#include "kasoku/device/device.h"

#include <atomic>
#include <cstddef>

namespace kasoku {

enum class MemoryEvent : int { taking, taken, giving_back, given_back };

/// Called by the thread that does it; `memory` is null while it is being taken, and if there was none. It throws nothing. Null, which it is at
/// first: nobody listens.
using MemoryListener = void (*)(MemoryEvent event, Device& device, void* memory, size_t bytes);
extern std::atomic<MemoryListener> memory_listener;

inline void tell_of_memory(MemoryEvent event, Device& device, void* memory, size_t bytes) {
  if (const MemoryListener listener = memory_listener.load(std::memory_order_acquire)) listener(event, device, memory, bytes);
}

}  // namespace kasoku
