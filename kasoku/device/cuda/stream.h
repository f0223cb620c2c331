/// \file kasoku/device/cuda/stream.h
/// Streams that are ordered with the legacy default stream, and events.
#pragma once

#include "kasoku/base/interrupt.h"
#include "kasoku/device/cuda/device.h"
#include "kasoku/device/stream.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace kasoku::cuda {

class CudaStream final : public Stream {
 public:
  CudaStream(CudaDevice& device, CUstream stream) : stream(stream), device_(device) {}
  Device& device() override { return device_; }
  void synchronize() override;
  bool is_done() override;
  void wait(Event& event) override;
  uintptr_t handle() const override { return reinterpret_cast<uintptr_t>(stream); }

  const CUstream stream;

 private:
  CudaDevice& device_;
};

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(CudaDevice& device);
  ~CudaEvent() override;
  void record(Stream& stream) override;
  void synchronize() override;
  bool is_done() override;
  double milliseconds_since(Event& earlier) override;

  CUevent event = nullptr;

 private:
  CudaDevice& device_;
};

/// Waits while `query` says not_ready, and ends with Error(interrupted) on Ctrl-C: the
/// work itself goes on, for a GPU cannot be stopped.
template <class Query, class Asked>
void wait_until_done(const Query& query, const Asked& asked);

/// The driver's stream behind `stream`; an error if it is another device's.
CUstream stream_of(CudaDevice& device, Stream& stream);

template <class Query, class Asked>
void wait_until_done(const Query& query, const Asked& asked) {
  using Clock = std::chrono::steady_clock;
  CUresult result = query();
  if (result == not_ready) {
    // Short work is waited for as fast as can be, long work to one part in fifty.
    InterruptCheck interrupt;
    const auto begin = Clock::now();
    while ((result = query()) == not_ready) {
      const auto so_far = Clock::now() - begin;
      // A query takes the driver's lock, which others need to launch.
      if (so_far > std::chrono::microseconds(20))
        for (int i = 0; i < 8; ++i) __builtin_ia32_pause();
      if (so_far < std::chrono::milliseconds(2)) continue;
      interrupt.look();
      std::this_thread::sleep_for(
          std::min<Clock::duration>(so_far / 50, std::chrono::milliseconds(1)));
    }
  }
  check(result, asked);
}

}  // namespace kasoku::cuda
