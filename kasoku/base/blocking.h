/// \file kasoku/base/blocking.h
/// A lock that the calling thread holds for its caller (Python's) and gives up while it computes
/// or waits. Building a graph takes less time than handing the lock to another thread and back.
#pragma once

#include <utility>

namespace kasoku {

class CallersLock {
 public:
  virtual void give_up() = 0;
  virtual void take() = 0;

  /// The lock that the calling thread holds for its caller; null if it holds none.
  static CallersLock*& current() {
    thread_local CallersLock* lock __attribute__((tls_model("initial-exec"))) = nullptr;  // each small operation asks
    return lock;
  }

 protected:
  ~CallersLock() = default;
};

/// Around whatever may take long: the caller's lock is given up while this is alive.
class Blocking {
 public:
  Blocking() : lock_(std::exchange(CallersLock::current(), nullptr)) {
    if (lock_) lock_->give_up();
  }
  ~Blocking() {
    if (!lock_) return;
    lock_->take();
    CallersLock::current() = lock_;
  }
  Blocking(const Blocking&) = delete;
  Blocking& operator=(const Blocking&) = delete;

 private:
  CallersLock* const lock_;
};

}  // namespace kasoku
