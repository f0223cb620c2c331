/// \file kasoku/linalg/temporary.h
/// Memory of a device for as long as a call lasts.
#pragma once

#include "kasoku/device/device.h"

namespace kasoku::linalg {

/// It is given back in the stream's order.
struct Temporary {
  Device& device;
  Stream& stream;
  size_t bytes;
  void* data;
  Temporary(Device& device, Stream& stream, size_t bytes)
      : device(device), stream(stream), bytes(bytes), data(device.allocate(bytes, stream)) {}
  /// `fill` is called with the memory.
  template <class F>
  Temporary(Device& device, Stream& stream, size_t bytes, const F& fill) : Temporary(device, stream, bytes) {
    fill(data);
  }
  ~Temporary() { device.deallocate(data, bytes, stream); }
  Temporary(const Temporary&) = delete;
};

}  // namespace kasoku::linalg
