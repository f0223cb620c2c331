/// \file kasoku/device/counters.h
/// What devices did: launches, and bytes copied each way and why.
#pragma once

#include "kasoku/base/tally.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace kasoku {

enum class CopyReason : uint8_t {
#define COPY(name, text) name,
#include "kasoku/device/copies.def"
#undef COPY
};

struct CopyReasonInfo {
  const char* name;
  const char* text;
};

inline constexpr CopyReasonInfo copy_reasons[] = {
#define COPY(name, text) {#name, text},
#include "kasoku/device/copies.def"
#undef COPY
};

enum class CopyWay : uint8_t { to_device, from_device, within_device, between_devices };
inline constexpr const char* copy_ways[] = {"to_device", "from_device", "within_device", "between_devices"};

struct DeviceCounters {
  Tally launches;
  std::atomic<uint64_t> bytes_copied[std::size(copy_ways)][std::size(copy_reasons)]{};
  Tally allocations;
  Tally bytes_allocated;
};

DeviceCounters& counters();

/// Counts a copy under the reason that this thread has now.
void count_copy(CopyWay way, size_t bytes);

/// The reason that copies of this thread have at the moment.
CopyReason copy_reason();

/// Gives the copies of this thread a reason while alive; the outermost scope counts, because a
/// print that goes by way of NumPy is a print. Without one they are `requested`.
class CopyScope {
 public:
  explicit CopyScope(CopyReason reason);
  ~CopyScope();
  CopyScope(const CopyScope&) = delete;
  CopyScope& operator=(const CopyScope&) = delete;

 private:
  bool is_outermost_;
};

}  // namespace kasoku
