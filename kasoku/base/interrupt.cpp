/// \file kasoku/base/interrupt.cpp
#include "kasoku/base/interrupt.h"

#include "kasoku/base/error.h"

#include <chrono>

namespace kasoku {

namespace {

std::atomic<uint64_t> requests{0};
std::atomic<InterruptPoll> interrupt_poll{nullptr};
constexpr int64_t poll_nanoseconds = 50'000'000;

int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

void request_interrupt() { requests.fetch_add(1, std::memory_order_relaxed); }

void set_interrupt_poll(InterruptPoll poll) { interrupt_poll.store(poll); }

bool poll_interrupt() {
  const InterruptPoll poll = interrupt_poll.load(std::memory_order_relaxed);
  return poll && poll();
}

InterruptCheck::InterruptCheck() : seen_(requests.load(std::memory_order_relaxed)) {}

bool InterruptCheck::is_requested() const {
  return requests.load(std::memory_order_relaxed) != seen_;
}

void InterruptCheck::look() {
  bool stop = is_requested();
  if (const InterruptPoll poll = stop ? nullptr : interrupt_poll.load(std::memory_order_relaxed)) {
    const int64_t time = now();
    if (!next_poll_) {
      next_poll_ = time + poll_nanoseconds;
    } else if (time >= next_poll_) {
      next_poll_ = time + poll_nanoseconds;
      stop = poll();
    }
  }
  if (stop) throw Error(ErrorKind::interrupted, "interrupted");
}

}  // namespace kasoku
