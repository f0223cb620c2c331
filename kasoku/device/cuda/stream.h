/// \file kasoku/device/cuda/stream.h
/// Streams that are ordered with the legacy default stream, and events.
#pragma once

#include "kasoku/device/cuda/device.h"
#include "kasoku/device/stream.h"

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

/// The driver's stream behind `stream`; an error if it is another device's.
CUstream stream_of(CudaDevice& device, Stream& stream);

}  // namespace kasoku::cuda
