/// \file kasoku/base/spin_lock.h
/// A lock of one byte that is given back by a plain store: half of what a mutex costs that nobody else wants.
#pragma once

#include <atomic>
#include <thread>

namespace kasoku {

/// Guards a few pointer copies, or as many instructions over few elements.
class SpinLock {
 public:
  void lock() {
    while (!try_lock()) std::this_thread::yield();
  }
  bool try_lock() { return !flag_.test_and_set(std::memory_order_acquire); }
  void unlock() { flag_.clear(std::memory_order_release); }

 private:
  std::atomic_flag flag_;
};

}  // namespace kasoku
