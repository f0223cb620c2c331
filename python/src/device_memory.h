/// \file device_memory.h
/// Device memory by address, as PyCUDA's programs and CuPy's pools have it.
#pragma once

#include "kasoku/base/error.h"
#include "kasoku/device/buffer.h"

#include <cstdint>
#include <memory>

namespace kasoku {

/// An allocation that can be freed before its object goes.
struct Memory {
  std::shared_ptr<Buffer> buffer;
  Device* device;
  size_t bytes;

  Buffer& get() const {
    if (!buffer) throw Error(ErrorKind::value, "the memory was freed");
    return *buffer;
  }
  uintptr_t address() const { return reinterpret_cast<uintptr_t>(get().memory()); }
};

}  // namespace kasoku
