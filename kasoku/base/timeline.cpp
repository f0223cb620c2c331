#include "kasoku/base/timeline.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace kasoku::timeline {

namespace {

struct Recording {
  std::mutex mutex;
  Clock::time_point begin;
  std::vector<Event> events;
};

Recording& recording() {
  static auto* recording = new Recording;  // threads may record at the process's end
  return *recording;
}

}  // namespace

bool start() {
  Recording& own = recording();
  const std::lock_guard lock(own.mutex);
  if (is_recorded.load()) return false;
  own.begin = Clock::now();
  own.events.clear();
  is_recorded.store(true);
  return true;
}

std::vector<Event> stop() {
  Recording& own = recording();
  const std::lock_guard lock(own.mutex);
  is_recorded.store(false);
  std::ranges::stable_sort(own.events, {}, &Event::begin);
  return std::exchange(own.events, {});
}

int thread_number() {
  static std::atomic<int> last{0};
  static thread_local const int own = last.fetch_add(1);
  return own;
}

void add(EventKind kind, std::string_view name, Clock::time_point begin, Clock::time_point end, int thread, uint64_t bytes) {
  Recording& own = recording();
  const std::lock_guard lock(own.mutex);
  if (!is_recorded.load()) return;
  const auto seconds = [&](Clock::time_point time) { return std::chrono::duration<double>(time - own.begin).count(); };
  own.events.push_back({kind, thread, std::string(name), seconds(begin), seconds(end), bytes});
}

}  // namespace kasoku::timeline
