/// \file kasoku/device/cpu/nudge.h
/// Ctrl-C in a block that does not end. Between blocks everyone looks up; inside of one nothing
/// is asked, because a test at each back edge would cost vectorised loops. Instead a thread that
/// spends long inside a user's kernel gets a signal, whose handler asks the interrupt poll and, if
/// the answer is to stop, leaves the kernel as a fault does. Code that holds memory is not left: the
/// handler sets a flag, which that code looks at between two of its steps.
#pragma once

#include "kasoku/base/interrupt.h"

#include <pthread.h>

#include <atomic>

namespace kasoku::cpu {

/// While alive, kernels that this thread runs are asked about interrupts every 50 ms of its own
/// processor time. For threads that launch; those that help have a StopScope.
class LaunchWatch {
 public:
  LaunchWatch();
  ~LaunchWatch();
  LaunchWatch(const LaunchWatch&) = delete;
  LaunchWatch& operator=(const LaunchWatch&) = delete;

  /// Asks the poll too, which may throw. In the handler.
  bool asks_to_stop() const { return check_.is_requested() || poll_interrupt(); }

 private:
  const InterruptCheck check_;
  const LaunchWatch* before_;
};

/// While alive, this thread leaves its kernel when it is nudged and `stop` is set.
class StopScope {
 public:
  explicit StopScope(const std::atomic<bool>& stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const std::atomic<bool>* before_;
};

/// Whether that flag is set.
bool is_told_to_stop();

/// While alive, this thread is not left: a nudge sets `flag`, for code that holds memory and asks
/// by itself whether to stop.
class NudgeFlag {
 public:
  explicit NudgeFlag(std::atomic<int>& flag);
  ~NudgeFlag();
  NudgeFlag(const NudgeFlag&) = delete;
  NudgeFlag& operator=(const NudgeFlag&) = delete;

 private:
  std::atomic<int>* before_;
};

/// Makes the thread, which must live, look at the flag of its StopScope.
void nudge(pthread_t thread);

/// Throws what the poll threw, or Error(interrupted). For a thread that has just left its kernel.
[[noreturn]] void throw_interruption();

/// The signal by which threads are nudged; those that block signals leave it open.
int nudge_signal();

}  // namespace kasoku::cpu
