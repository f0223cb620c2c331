/// \file kasoku/device/cpu/stream.cpp
#include "kasoku/device/cpu/stream.h"

#include "kasoku/base/error.h"

#include <chrono>

namespace kasoku::cpu {

void CpuEvent::record(Stream&) {
  nanoseconds_ = std::chrono::duration_cast<std::chrono::nanoseconds>(
                     std::chrono::steady_clock::now().time_since_epoch())
                     .count();
}

double CpuEvent::milliseconds_since(Event& earlier) {
  auto* other = dynamic_cast<CpuEvent*>(&earlier);
  if (!other) throw Error(ErrorKind::value, "these two events belong to different devices");
  if (nanoseconds_ < 0 || other->nanoseconds_ < 0)
    throw Error(ErrorKind::value, "the time between two events needs both recorded")
        .fix("event.record() before and after the work");
  return static_cast<double>(nanoseconds_ - other->nanoseconds_) / 1e6;
}

}  // namespace kasoku::cpu
