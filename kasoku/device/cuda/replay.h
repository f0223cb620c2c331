/// \file kasoku/device/cuda/replay.h
/// Recordings that are graphs of CUDA's.
#pragma once

#include "kasoku/device/replay.h"

#include <mutex>

namespace kasoku::cuda {

/// Held while a stream is captured: nobody may wait for the whole context then.
inline std::mutex& capture_mutex() {
  static auto* const mutex = new std::mutex;
  return *mutex;
}

std::unique_ptr<Recorder> make_recorder(Device& device);

}  // namespace kasoku::cuda
