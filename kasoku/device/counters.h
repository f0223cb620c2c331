/// \file kasoku/device/counters.h
/// What devices did: launches, and bytes copied each way and why.
#pragma once

#include <atomic>
#include <cstdint>

namespace kasoku {

struct DeviceCounters {
  std::atomic<uint64_t> launches{0};
  std::atomic<uint64_t> bytes_to_device{0};
  std::atomic<uint64_t> bytes_from_device{0};
  std::atomic<uint64_t> bytes_within_device{0};
  std::atomic<uint64_t> allocations{0};
  std::atomic<uint64_t> bytes_allocated{0};
};

DeviceCounters& counters();

}  // namespace kasoku
