/// \file kasoku/device/null/stream.h
/// Streams in which everything is done at once.
#pragma once

#include "kasoku/device/stream.h"

namespace kasoku::null {

class NullStream final : public Stream {
 public:
  explicit NullStream(Device& device) : device_(device) {}
  Device& device() override { return device_; }
  void synchronize() override {}
  bool is_done() override { return true; }
  void wait(Event&) override {}

 private:
  Device& device_;
};

class NullEvent final : public Event {
 public:
  void record(Stream&) override {}
  void synchronize() override {}
  bool is_done() override { return true; }
  double milliseconds_since(Event&) override { return 0; }
};

}  // namespace kasoku::null
