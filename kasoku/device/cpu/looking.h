/// \file kasoku/device/cpu/looking.h
/// How long the pool's threads look for each other before they sleep, and which jobs are worth waking
/// somebody for. Other processes may have the cores too: whoever looks on a core that somebody else
/// needs holds up the very thread that he looks for.
#pragma once

#include <sched.h>

#include <chrono>

namespace kasoku::cpu {

using Clock = std::chrono::steady_clock;

/// Waking a thread costs more than most launches, so a worker looks for a while before it sleeps: for
/// long where the last launch came soon after the one before.
constexpr Clock::duration short_look = std::chrono::microseconds(30), long_look = std::chrono::microseconds(300);
/// A caller looks before it sleeps until the last helper is done.
constexpr Clock::duration last_look = std::chrono::microseconds(100);
/// A worker that finds so much time between two looks had lost its core: another process wants it.
constexpr Clock::duration a_switch = std::chrono::microseconds(20);
/// The cost of waking a worker, with the context switches where caller and worker are given one core.
constexpr Clock::duration a_wake = std::chrono::microseconds(30);

/// Whether the condition came true until `end`. Gives up where this thread loses its core, and yields
/// it while `is_in_the_way()`.
template <class Condition, class InTheWay>
bool look_until(Condition condition, Clock::time_point end, InTheWay is_in_the_way) {
  for (Clock::time_point before = Clock::now(), now;; before = now) {
    for (int i = 0; i < 16; ++i) {
      if (condition()) return true;
      __builtin_ia32_pause();
    }
    if (is_in_the_way()) sched_yield(), before = Clock::now();
    now = Clock::now();
    if (now >= end || now - before > a_switch) return condition();
  }
}

/// How long a caller has worked without the workers that sleep. Less than a wake costs is not worth one,
/// unless a row of small jobs comes to it. After a pause a job is taken to be as long as the last one.
class Alone {
 public:
  /// A job begins; whether to wake somebody for it at once.
  bool begin(Clock::time_point now) {
    if (now - end_ > long_look) before_ = last_;
    begin_ = now;
    return has_woken_ = before_ >= a_wake;
  }
  /// Asked between its chunks: whether to do so now; true once.
  bool is_long(Clock::time_point now) { return !has_woken_ && (has_woken_ = before_ + (now - begin_) >= a_wake); }
  void end(Clock::time_point now) {
    end_ = now;
    last_ = now - begin_;
    before_ = has_woken_ ? Clock::duration(0) : before_ + last_;
  }

 private:
  Clock::time_point begin_, end_;
  Clock::duration before_{0};  ///< of the row, before this job
  Clock::duration last_{0};
  bool has_woken_ = false;
};

}  // namespace kasoku::cpu
