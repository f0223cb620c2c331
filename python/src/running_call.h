/// \file python/src/running_call.h
/// Which thread runs a program's function in a task, so that one whose run was left can be told to end.
#pragma once

#include "bindings.h"
#include "kasoku/base/interrupt.h"

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace kasoku {

/// While alive, this thread runs a program's function in a task. If the run was left, by Ctrl-C mostly,
/// such functions end between two of their instructions.
class RunningCall {
 public:
  RunningCall() : before_(sit(InterruptScope::current())) {}
  ~RunningCall() {
    Seat& own = seat();
    const std::lock_guard lock(own.mutex);
    own.run_is_left = before_;
    if (std::exchange(own.is_told, false)) PyThreadState_SetAsyncExc(own.thread, nullptr);  // it ended before it heard
  }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

  bool is_left() const {
    const std::atomic<bool>* run = InterruptScope::current();
    return run && *run;
  }

  static void end_left() {
    const std::lock_guard lock(all().mutex);
    for (Seat* seat : all().seats) {
      const std::lock_guard own(seat->mutex);
      if (seat->run_is_left && *seat->run_is_left)
        seat->is_told = PyThreadState_SetAsyncExc(seat->thread, PyExc_KeyboardInterrupt) > 0;
    }
  }

 private:
  /// What a thread runs, for others to see. Python's lock orders who looks; where there is none, this one.
  struct Seat {
    Seat() {
      const std::lock_guard lock(all().mutex);
      all().seats.push_back(this);
    }
    ~Seat() {
      const std::lock_guard lock(all().mutex);
      std::erase(all().seats, this);
    }
#ifdef Py_GIL_DISABLED
    std::mutex mutex;
#else
    struct {
      void lock() {}
      void unlock() {}
    } mutex;
#endif
    const std::atomic<bool>* run_is_left = nullptr;
    const unsigned long thread = PyThread_get_thread_ident();
    bool is_told = false;
  };
  struct Seats {
    std::mutex mutex;
    std::vector<Seat*> seats;
  };
  static Seats& all() {
    static auto* all = new Seats;  // threads may hold it at the process's end
    return *all;
  }
  static Seat& seat() {
    static thread_local Seat seat;
    return seat;
  }
  static const std::atomic<bool>* sit(const std::atomic<bool>* run_is_left) {
    Seat& own = seat();
    const std::lock_guard lock(own.mutex);
    return std::exchange(own.run_is_left, run_is_left);
  }

  const std::atomic<bool>* const before_;
};

}  // namespace kasoku
