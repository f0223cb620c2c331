/// \file kasoku/device/memory_limit.cpp
#include "kasoku/device/memory_limit.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"

#include <algorithm>

namespace kasoku {

std::atomic<uint64_t>& memory_limit(DeviceKind kind, int index) {
  static std::atomic<uint64_t> limits[3][64];
  return limits[static_cast<size_t>(kind)][std::min(index, 63)];
}

Error beyond_memory_limit(uint64_t bytes, const std::string& device, uint64_t limit, uint64_t used) {
  return Error(ErrorKind::memory, "cannot allocate " + bytes_text(bytes) + " on " + device)
      .why("the program limits memory to " + bytes_text(limit) + ", of which arrays hold " + bytes_text(used));
}

}  // namespace kasoku
