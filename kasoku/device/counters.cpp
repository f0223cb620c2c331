/// \file kasoku/device/counters.cpp
#include "kasoku/device/counters.h"

namespace kasoku {

namespace {

thread_local CopyReason reason_now = CopyReason::requested;
thread_local bool has_reason = false;

}  // namespace

DeviceCounters& counters() {
  static DeviceCounters counters;
  return counters;
}

void count_copy(CopyWay way, size_t bytes) {
  counters()
      .bytes_copied[static_cast<size_t>(way)][static_cast<size_t>(reason_now)]
      .fetch_add(bytes, std::memory_order_relaxed);
}

CopyReason copy_reason() { return reason_now; }

CopyScope::CopyScope(CopyReason reason) : is_outermost_(!has_reason) {
  if (!is_outermost_) return;
  has_reason = true;
  reason_now = reason;
}

CopyScope::~CopyScope() {
  if (!is_outermost_) return;
  has_reason = false;
  reason_now = CopyReason::requested;
}

}  // namespace kasoku
