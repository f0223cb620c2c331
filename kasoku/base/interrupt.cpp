/// \file kasoku/base/interrupt.cpp
#include "kasoku/base/interrupt.h"

#include "kasoku/base/error.h"

#include <time.h>

#include <utility>

namespace kasoku {

namespace {

std::atomic<uint64_t> requests{0};
std::atomic<InterruptPoll> interrupt_poll{nullptr};
// Read at each call of a compiled function: at a fixed place, without a call that looks for it.
thread_local const std::atomic<bool>* stop_now __attribute__((tls_model("initial-exec"))) = nullptr;
constexpr int64_t poll_nanoseconds = 50'000'000;

/// The clock's last tick, some milliseconds ago at most: it costs a fifth of the time of now, and every chunk asks.
int64_t now() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return time.tv_sec * int64_t{1'000'000'000} + time.tv_nsec;
}

}  // namespace

void request_interrupt() { requests.fetch_add(1, std::memory_order_relaxed); }

void set_interrupt_poll(InterruptPoll poll) { interrupt_poll.store(poll); }

bool poll_interrupt() {
  const InterruptPoll poll = interrupt_poll.load(std::memory_order_relaxed);
  return poll && poll();
}

InterruptScope::InterruptScope(const std::atomic<bool>& stop) : before_(std::exchange(stop_now, &stop)) {}
InterruptScope::~InterruptScope() { stop_now = before_; }
const std::atomic<bool>* InterruptScope::current() { return stop_now; }

InterruptCheck::InterruptCheck() : seen_(requests.load(std::memory_order_relaxed)), stop_(stop_now) {}

bool InterruptCheck::is_requested() const {
  return requests.load(std::memory_order_relaxed) != seen_ || (stop_ && stop_->load(std::memory_order_relaxed));
}

void InterruptCheck::ask() const {
  if (is_requested() || poll_interrupt()) throw Error(ErrorKind::interrupted, "interrupted");
}

void InterruptCheck::look() {
  if (is_requested()) ask();
  if (!interrupt_poll.load(std::memory_order_relaxed)) return;
  const int64_t time = now();
  if (time < next_poll_) return;
  const bool is_first = !std::exchange(next_poll_, time + poll_nanoseconds);
  if (!is_first) ask();
}

}  // namespace kasoku
