/// \file kasoku/device/counters.cpp
#include "kasoku/device/counters.h"

namespace kasoku {

DeviceCounters& counters() {
  static DeviceCounters counters;
  return counters;
}

}  // namespace kasoku
