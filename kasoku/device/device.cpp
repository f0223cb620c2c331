/// \file kasoku/device/device.cpp
#include "kasoku/device/device.h"

namespace kasoku {

std::string Device::str() const {
  switch (kind) {
    case DeviceKind::cpu: return "cpu";
    case DeviceKind::null: return "null";
    case DeviceKind::cuda: break;
  }
  return "cuda:" + std::to_string(index);
}

}  // namespace kasoku
