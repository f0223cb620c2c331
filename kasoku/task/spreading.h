/// \file kasoku/task/spreading.h
/// When a run's workers wake one another. Of many tasks the first worker runs some alone: to wake a core takes as long as
/// hundreds of small tasks do, so it is done where what is left lasts long enough for it.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>

namespace kasoku {

class alignas(64) Spreading {  // the first worker reads it after each task
 public:
  Spreading(size_t n_tasks, size_t n_workers)
      : n_tasks_(n_tasks), is_on_(n_tasks < std::max(many_tasks, many_for_each * n_workers)) {}

  /// Whether workers wake others; once they do, they go on.
  bool is_on() const { return is_on_.load(std::memory_order_relaxed); }
  void turn_on() { is_on_.store(true, std::memory_order_relaxed); }

  /// The first worker begins. Times are in seconds.
  void begin(double now) { begun_.store(since_ = now); }

  /// Whether the first worker, which has done `n` tasks, is to look at the clock: after 1, 2, 4, … tasks, since that takes a
  /// good part of a small task.
  bool is_to_judge(size_t n) const { return n >= next_; }
  /// Its judgement then, where done() tasks are done in all.
  template <class Done>
  bool judge(size_t n, const Done& done, double now) {
    const bool is_first = next_ == 1;
    next_ = 2 * n;
    const double time = now - since_;
    if (is_first && time < worth_waking) {  // the first task finds out what those after it know
      since_ = now, before_ = n;
      return false;
    }
    return time >= judged_from && is_worth_it(time, n - before_, done());
  }
  /// The judgement of the waiting thread, for a first worker that cannot judge within a task.
  bool judge_from_outside(size_t done, double now) const {
    const double begun = begun_.load();
    return begun < 0 || is_worth_it(now - begun, done, done);
  }

 private:
  /// From so many tasks on, and so many for each worker, the first worker begins alone: for the length of its first task
  /// at most, which is little beside the others.
  static constexpr size_t many_tasks = 256, many_for_each = 32;
  /// What is left must last so long for other workers to be woken, and who judges has seen so much, in seconds.
  static constexpr double worth_waking = 200e-6, judged_from = 20e-6;

  /// By `n` tasks that took so long.
  bool is_worth_it(double time, size_t n, size_t done) const {
    const auto left = static_cast<double>(n_tasks_ - done);
    return n == 0 || time * left >= worth_waking * static_cast<double>(n);
  }

  const size_t n_tasks_;
  std::atomic<bool> is_on_;
  std::atomic<double> begun_{-1};  ///< when the first worker came
  // The first worker's own: what it judges by began then, after so many tasks, and it judges next after so many.
  double since_ = 0;
  size_t before_ = 0, next_ = 1;
};

}  // namespace kasoku
