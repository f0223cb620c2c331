/// \file kasoku/base/timeline.h
/// What ran when, on which thread: recorded while somebody wants it (ks.profile). Off, it costs a relaxed load.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kasoku {

enum class EventKind : uint8_t { task, launch, copy, compile, cache };
inline constexpr const char* event_kinds[] = {"task", "launch", "copy", "compile", "cache"};

namespace timeline {

using Clock = std::chrono::steady_clock;

struct Event {
  EventKind kind;
  int thread;  ///< numbered as they come
  std::string name;
  double begin, end;  ///< seconds since the recording began
  uint64_t bytes;     ///< of a copy
};

inline std::atomic<bool> is_recorded{false};
inline bool is_on() { return is_recorded.load(std::memory_order_relaxed); }

/// Begins a recording; false if there is one.
bool start();
/// Ends it and gives what was recorded, in the order of beginnings.
std::vector<Event> stop();
/// The calling thread's number.
int thread_number();
void add(EventKind kind, std::string_view name, Clock::time_point begin, Clock::time_point end,
         int thread = thread_number(), uint64_t bytes = 0);

}  // namespace timeline

/// While alive, something of this name runs on the calling thread. The name lives as long.
class Recorded {
 public:
  Recorded(EventKind kind, std::string_view name, uint64_t bytes = 0)
      : is_on_(timeline::is_on()), kind_(kind), bytes_(bytes), name_(name) {
    if (is_on_) [[unlikely]]
      begin_ = timeline::Clock::now();
  }
  ~Recorded() {
    if (is_on_) [[unlikely]]
      timeline::add(kind_, name_, begin_, timeline::Clock::now(), timeline::thread_number(), bytes_);
  }
  Recorded(const Recorded&) = delete;
  Recorded& operator=(const Recorded&) = delete;

 private:
  const bool is_on_;
  const EventKind kind_;
  const uint64_t bytes_;
  const std::string_view name_;
  timeline::Clock::time_point begin_;
};

}  // namespace kasoku
