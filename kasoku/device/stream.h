/// \file kasoku/device/stream.h
/// Work in order, and marks in it. On a CPU work is done when the call returns,
/// so a stream there is always empty.
#pragma once

#include <cstdint>

namespace kasoku {

class Device;
class Event;

class Stream {
 public:
  virtual ~Stream() = default;
  virtual Device& device() = 0;
  virtual void synchronize() = 0;
  virtual bool is_done() = 0;
  virtual void wait(Event& event) = 0;
  /// Whether what it is given now becomes a graph, which may run many times.
  virtual bool is_graphed() const { return false; }
  /// CUstream as an integer; 0 on a CPU.
  virtual uintptr_t handle() const { return 0; }
};

class Event {
 public:
  virtual ~Event() = default;
  virtual void record(Stream& stream) = 0;
  virtual void synchronize() = 0;
  virtual bool is_done() = 0;
  /// Milliseconds from `earlier` to this event; both recorded and done.
  virtual double milliseconds_since(Event& earlier) = 0;
};

/// Makes `stream` the calling thread's current stream of its device while alive.
class StreamScope {
 public:
  explicit StreamScope(Stream& stream);
  ~StreamScope();
  StreamScope(const StreamScope&) = delete;
  StreamScope& operator=(const StreamScope&) = delete;

 private:
  Device& device_;
  Stream* previous_;
};

/// The stream that a StreamScope of this thread set for `device`; nullptr if none did. Devices' current_stream() asks
/// this first.
Stream* scoped_stream(const Device& device);

}  // namespace kasoku
