/// \file kasoku/base/small_mutex.h
/// A mutex of four bytes (std::mutex has forty), for what there are a million of.
#pragma once

#include <atomic>

namespace kasoku {

class SmallMutex {
 public:
  void lock() {
    State seen = free;
    if (state_.compare_exchange_strong(seen, taken, std::memory_order_acquire)) return;
    while (state_.exchange(awaited, std::memory_order_acquire) != free) state_.wait(awaited, std::memory_order_relaxed);
  }
  void unlock() {
    if (state_.exchange(free, std::memory_order_release) == awaited) state_.notify_one();
  }

 private:
  enum State : int { free, taken, awaited };
  std::atomic<State> state_{free};
};

}  // namespace kasoku
