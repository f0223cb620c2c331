/// \file kasoku/device/cpu/stream.h
/// Work on a CPU is done when its call returns: streams are always empty, events
/// are points in time.
#pragma once

#include "kasoku/device/device.h"
#include "kasoku/device/stream.h"

#include <atomic>

namespace kasoku::cpu {

class CpuStream final : public Stream {
 public:
  explicit CpuStream(Device& device) : device_(device) {}
  Device& device() override { return device_; }
  void synchronize() override { device_.throw_overruns(); }
  bool is_done() override { return true; }
  void wait(Event&) override {}

 private:
  Device& device_;
};

class CpuEvent final : public Event {
 public:
  void record(Stream&) override;
  void synchronize() override {}
  bool is_done() override { return true; }
  double milliseconds_since(Event& earlier) override;

 private:
  std::atomic<int64_t> nanoseconds_{-1};  ///< of the steady clock; -1 until recorded
};

}  // namespace kasoku::cpu
