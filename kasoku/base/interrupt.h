/// \file kasoku/base/interrupt.h
/// Ctrl-C in long work. Work that runs asks between chunks whether to go on.
///
/// A request stops what runs at that moment, never what starts later, so nobody
/// has to take it back.
#pragma once

#include <atomic>
#include <cstdint>

namespace kasoku {

/// Asynchronous-signal-safe. Every piece of work that is running ends with
/// ErrorKind::interrupted at its next look.
void request_interrupt();

/// Asked on the thread that started the work, between its chunks and about
/// twenty times a second: true ends the work as above. (Python: PyErr_CheckSignals.)
/// It may throw, which ends the work with that exception.
using InterruptPoll = bool (*)();
void set_interrupt_poll(InterruptPoll poll);
/// Asks it at once, without an InterruptCheck's pauses; false if there is none.
bool poll_interrupt();

/// While alive, work that this thread starts also ends, as by a request, when `stop` is set.
class InterruptScope {
 public:
  explicit InterruptScope(const std::atomic<bool>& stop);
  ~InterruptScope();
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;
  /// The flag of the calling thread's innermost scope; null without one.
  static const std::atomic<bool>* current();

 private:
  const std::atomic<bool>* before_;
};

/// Made at the start of a piece of work, asked between its parts.
class InterruptCheck {
 public:
  InterruptCheck();
  /// Whether the work has to stop. Any thread may ask within the InterruptScope in which this was made; it costs two
  /// loads.
  bool is_requested() const;
  /// On the thread that made it: asks the poll too and throws Error(interrupted).
  void ask() const;
  /// ask() for callers that come often: it asks the poll only now and then.
  void look();

 private:
  uint64_t seen_;
  const std::atomic<bool>* stop_;
  int64_t next_poll_ = 0;  ///< nanoseconds of the steady clock; 0: not asked yet
};

}  // namespace kasoku
