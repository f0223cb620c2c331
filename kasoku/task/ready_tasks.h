/// \file kasoku/task/ready_tasks.h
/// The tasks that one worker made ready: it takes the latest, others steal the earliest.
///
/// Chase and Lev's deque with the orderings of Lê, Pop, Cohen and Zappa Nardelli (2013). Nobody
/// waits for anybody: a worker that lost its core in the middle holds up no thief.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

namespace kasoku {

class ReadyTasks {
 public:
  static constexpr uint32_t none = ~0u;

  ReadyTasks() { ring_.store(add_ring(64), std::memory_order_relaxed); }

  /// Pushes at(0), at(1), … at(n - 1), with one memory barrier for all of them. Only the deque's own worker may call
  /// it.
  template <class At>
  void push(size_t n, const At& at) {
    const int64_t bottom = bottom_.load(std::memory_order_relaxed), top = top_.load(std::memory_order_acquire);
    const int64_t end = bottom + static_cast<int64_t>(n);
    Ring* ring = ring_.load(std::memory_order_relaxed);
    while (end - top > static_cast<int64_t>(ring->size())) ring = grow(*ring, top, bottom);
    for (size_t i = 0; i < n; ++i) ring->at(bottom + static_cast<int64_t>(i)).store(at(i), std::memory_order_relaxed);
    bottom_.store(end, std::memory_order_seq_cst);
  }
  void push(uint32_t task) {
    push(1, [&](size_t) { return task; });
  }

  /// Takes the latest task; none if there is nothing left. Only the deque's own worker may call it.
  uint32_t take() {
    const int64_t bottom = bottom_.load(std::memory_order_relaxed) - 1;
    if (bottom < top_.load(std::memory_order_relaxed)) return none;  // thieves only make it emptier
    Ring* const ring = ring_.load(std::memory_order_relaxed);
    bottom_.store(bottom, std::memory_order_seq_cst);
    int64_t top = top_.load(std::memory_order_seq_cst);
    if (top < bottom) return ring->at(bottom).load(std::memory_order_relaxed);
    uint32_t task = none;
    if (top == bottom) {  // the last one: a thief may be faster
      task = ring->at(bottom).load(std::memory_order_relaxed);
      if (!top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst)) task = none;
    }
    bottom_.store(bottom + 1, std::memory_order_relaxed);
    return task;
  }

  /// Any thread; none if there is nothing, or another thief was faster.
  uint32_t steal() {
    int64_t top = top_.load(std::memory_order_seq_cst);
    if (top >= bottom_.load(std::memory_order_seq_cst)) return none;
    const uint32_t task = ring_.load(std::memory_order_acquire)->at(top).load(std::memory_order_relaxed);
    return top_.compare_exchange_strong(top, top + 1, std::memory_order_seq_cst) ? task : none;
  }

  bool is_empty() const { return top_.load(std::memory_order_seq_cst) >= bottom_.load(std::memory_order_seq_cst); }

 private:
  class Ring {
   public:
    explicit Ring(size_t size) : slots_(size) {}
    size_t size() const { return slots_.size(); }
    std::atomic<uint32_t>& at(int64_t i) { return slots_[static_cast<size_t>(i) & (slots_.size() - 1)]; }

   private:
    std::vector<std::atomic<uint32_t>> slots_;
  };

  Ring* add_ring(size_t size) { return rings_.emplace_back(std::make_unique<Ring>(size)).get(); }

  /// A thief may still read the ring before, so all of them stay.
  Ring* grow(Ring& before, int64_t top, int64_t bottom) {
    Ring* const ring = add_ring(2 * before.size());
    for (int64_t i = top; i < bottom; ++i)
      ring->at(i).store(before.at(i).load(std::memory_order_relaxed), std::memory_order_relaxed);
    ring_.store(ring, std::memory_order_release);
    return ring;
  }

  alignas(64) std::atomic<int64_t> top_{0};
  alignas(64) std::atomic<int64_t> bottom_{0};
  std::atomic<Ring*> ring_{nullptr};
  std::vector<std::unique_ptr<Ring>> rings_;
};

}  // namespace kasoku
