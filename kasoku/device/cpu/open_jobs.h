/// \file kasoku/device/cpu/open_jobs.h
/// The jobs that look for helpers, joined and left without a lock: workers that wait for work all
/// see a new job at once, and at a lock they would fall asleep and be woken one after the other,
/// which takes longer than most launches.
///
/// A job lies on its caller's stack, its place here in the pool: whoever takes a seat holds the
/// caller back until he leaves, so that the job can be used meanwhile.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>

namespace kasoku::cpu {

template <class Job>
class OpenJobs {
 public:
  /// More calls at a time than this have no helpers.
  static constexpr uint32_t most = 64;

  /// A place where `seats` helpers (at least 1) may join, or none if all are taken.
  std::optional<uint32_t> open(Job& job, uint32_t seats) {
    // Callers at the same time begin at different places; a call inside of another comes after it,
    // where join() looks first.
    thread_local const uint32_t first = 8 * threads_.fetch_add(1, std::memory_order_relaxed);
    for (uint32_t i = 0; i < most; ++i) {
      const uint32_t place = (first + i) % most;
      uint64_t free = 0;
      if (places_[place].state.load(std::memory_order_relaxed) != 0 ||
          !places_[place].state.compare_exchange_strong(free, closed, std::memory_order_acq_rel))
        continue;
      places_[place].job = &job;
      places_[place].state.store(seats);
      visible_.fetch_or(bit(place));
      return place;
    }
    return std::nullopt;
  }

  bool any() const { return visible_.load() != 0; }
  Job& at(uint32_t place) { return *places_[place].job; }

  /// Takes a seat; where, if there is one.
  std::optional<uint32_t> join() {
    for (uint64_t left = visible_.load(); left;) {
      const uint32_t place = most - 1 - static_cast<uint32_t>(std::countl_zero(left));
      left &= ~bit(place);
      std::atomic<uint64_t>& state = places_[place].state;
      for (uint64_t now = state.load(); !(now & closed) && (now & seats_left);)
        if (state.compare_exchange_weak(now, now - seat + helper, std::memory_order_acq_rel)) return place;
    }
    return std::nullopt;
  }

  /// There is nothing left to do at this place: nobody need come.
  void hide(uint32_t place) {
    if (visible_.load(std::memory_order_relaxed) & bit(place)) visible_.fetch_and(~bit(place));
  }

  /// Gives the seat back; whether the caller sleeps until the one who does is the last. The job is
  /// gone then.
  bool leave(uint32_t place) {
    const uint64_t before = places_[place].state.fetch_add(seat - helper, std::memory_order_acq_rel);
    return (before & helpers) == helper && (before & sleeper);
  }

  // The caller's part, in this order.
  void close(uint32_t place) {
    hide(place);
    places_[place].state.fetch_or(closed, std::memory_order_acq_rel);
  }
  bool are_gone(uint32_t place) const {
    return (places_[place].state.load(std::memory_order_acquire) & helpers) == 0;
  }
  void sleep_until_gone(uint32_t place) { places_[place].state.fetch_or(sleeper, std::memory_order_acq_rel); }
  void free(uint32_t place) { places_[place].state.store(0, std::memory_order_release); }

  /// Forgets the helpers, in a forked child: only the thread that forked is there.
  void forget_helpers() {
    for (Place& place : places_) place.state.fetch_and(~helpers);
  }

 private:
  // A place's state: seats left, helpers inside, and two facts about its caller. 0: free.
  static constexpr uint64_t seat = 1, seats_left = 0x7fffffff;
  static constexpr uint64_t helper = uint64_t{1} << 32, helpers = uint64_t{0x3fffffff} << 32;
  static constexpr uint64_t sleeper = uint64_t{1} << 62, closed = uint64_t{1} << 63;

  static constexpr uint64_t bit(uint32_t place) { return uint64_t{1} << place; }

  struct alignas(64) Place {
    std::atomic<uint64_t> state{0};
    Job* job = nullptr;  // written while the place is closed
  };

  std::array<Place, most> places_;
  std::atomic<uint64_t> visible_{0};
  std::atomic<uint32_t> threads_{0};  ///< that have called
};

}  // namespace kasoku::cpu
