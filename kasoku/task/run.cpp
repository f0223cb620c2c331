// Tasks whose inputs are there go to the pool; a finished task releases its
// readers and goes on with the first of them itself, so that a chain stays on
// one core.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "kasoku/base/draws.h"
#include "kasoku/task/arena.h"
#include "kasoku/task/task.h"

namespace kasoku {

namespace {

using Clock = std::chrono::steady_clock;

class Run {
 public:
  Run(const TaskGraph& graph, const RunOptions& options)
      : entries_(graph.entries()),
        options_(options),
        values_(entries_.size()),
        waiting_(entries_.size()),
        unread_(entries_.size()) {
    for (size_t i = 0; i < entries_.size(); ++i) {
      waiting_[i].store(static_cast<uint32_t>(entries_[i].inputs.size()), std::memory_order_relaxed);
      unread_[i].store(static_cast<uint32_t>(entries_[i].readers.size()), std::memory_order_relaxed);
    }
    for (uint32_t root : graph.roots()) unread_[root].fetch_add(1);  // the caller reads it
    if (options_.times) options_.times->assign(entries_.size(), {});
  }

  /// The waiting thread computes nothing: it stays free to see Ctrl-C.
  void go() {
    if (entries_.empty()) return;
    outstanding_ = entries_.size();
    const ArenaLease arena(options_.workers);
    for (uint32_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].inputs.empty()) start(*arena, i);
    std::unique_lock lock(mutex_);
    while (!finished_.wait_for(lock, std::chrono::milliseconds(50), [&] { return is_over_; })) {
      if (!options_.on_progress || failed_.load()) continue;
      lock.unlock();
      try {
        options_.on_progress(done_.load(), entries_.size());
      } catch (...) {
        fail(std::current_exception());
      }
      lock.lock();
    }
    lock.unlock();
    if (error_) std::rethrow_exception(error_);
    if (options_.on_progress) options_.on_progress(done_.load(), entries_.size());
  }

  Value value(uint32_t i) const { return values_[i]; }

 private:
  void start(Arena& arena, uint32_t first) {
    arena.enqueue([this, &arena, first] {
      uint32_t next = first;
      while (next != none) next = execute(arena, next);
    });
  }

  static constexpr uint32_t none = ~0u;

  /// Runs one task; returns a reader that became ready, to go on with.
  uint32_t execute(Arena& arena, uint32_t i) {
    const TaskGraph::Entry& entry = entries_[i];
    if (!failed_.load(std::memory_order_acquire)) {
      const double begin = seconds();
      const GraphDraws::Task place(draws_, i);
      try {
        std::vector<Value> inputs;
        inputs.reserve(entry.inputs.size());
        for (uint32_t from : entry.inputs) inputs.push_back(values_[from]);
        values_[i] = options_.work(*entry.task, inputs);
      } catch (...) {
        fail(std::current_exception());
      }
      if (options_.times)
        (*options_.times)[i] = {begin, seconds(), Arena::worker_index()};
    }
    for (uint32_t from : entry.inputs)
      if (unread_[from].fetch_sub(1) == 1) values_[from].reset();
    uint32_t next = none;
    for (uint32_t reader : entry.readers)
      if (waiting_[reader].fetch_sub(1) == 1) {
        if (next == none)
          next = reader;
        else
          start(arena, reader);
      }
    done_.fetch_add(1, std::memory_order_relaxed);
    if (outstanding_.fetch_sub(1) == 1) {
      std::lock_guard lock(mutex_);
      is_over_ = true;
      finished_.notify_all();
    }
    return next;
  }

  void fail(std::exception_ptr error) {
    std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    failed_.store(true, std::memory_order_release);
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  const std::vector<TaskGraph::Entry>& entries_;
  const RunOptions& options_;
  const Clock::time_point begin_ = Clock::now();
  GraphDraws draws_;
  std::vector<Value> values_;
  std::vector<std::atomic<uint32_t>> waiting_;  ///< inputs still to come
  std::vector<std::atomic<uint32_t>> unread_;   ///< readers still to come
  std::atomic<size_t> outstanding_{0}, done_{0};
  std::atomic<bool> failed_{false};
  std::mutex mutex_;
  std::condition_variable finished_;
  bool is_over_ = false;
  std::exception_ptr error_;
};

}  // namespace

std::vector<Value> run(const TaskGraph& graph, const RunOptions& options) {
  Run run(graph, options);
  run.go();
  std::vector<Value> results;
  for (uint32_t root : graph.roots()) results.push_back(run.value(root));
  return results;
}

}  // namespace kasoku
