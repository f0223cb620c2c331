// Tasks whose inputs are there go to the pool; a finished task releases its
// readers and goes on with the first of them itself, so that a chain stays on
// one core.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "kasoku/base/draws.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/task/arena.h"
#include "kasoku/task/task.h"

namespace kasoku {

namespace {

using Clock = std::chrono::steady_clock;

class Run {
 public:
  Run(TaskGraph graph, const RunOptions& options)
      : graph_(std::move(graph)),
        entries_(graph_.entries()),
        work_(options.work),
        arena_(options.workers),
        values_(entries_.size()),
        waiting_(entries_.size()),
        unread_(entries_.size()),
        times_(entries_.size()),
        outstanding_(entries_.size()) {
    for (size_t i = 0; i < entries_.size(); ++i) {
      waiting_[i].store(static_cast<uint32_t>(entries_[i].inputs.size()), std::memory_order_relaxed);
      unread_[i].store(static_cast<uint32_t>(entries_[i].readers.size()), std::memory_order_relaxed);
    }
    for (uint32_t root : graph_.roots()) unread_[root].fetch_add(1);  // the caller reads it
  }

  /// The waiting thread computes nothing: it stays free to see Ctrl-C.
  void go(const std::function<void(size_t, size_t)>& on_progress) {
    if (entries_.empty()) return;
    const auto report = [&] {
      if (on_progress && !failed_.load()) on_progress(done_.load(), entries_.size());
    };
    InterruptCheck interrupt;
    for (uint32_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].inputs.empty()) start(i);
    std::unique_lock lock(mutex_);
    while (!finished_.wait_for(lock, std::chrono::milliseconds(50), [&] { return is_over_; })) {
      lock.unlock();
      interrupt.look();
      report();
      lock.lock();
    }
    lock.unlock();
    if (error_) std::rethrow_exception(error_);
    report();
  }

  /// The caller waits no longer. Whether tasks are under way: the last of them deletes the run.
  bool leave() {
    failed_.store(true, std::memory_order_release);
    is_left_.store(true);
    std::lock_guard lock(mutex_);
    is_deleted_by_last_ = !is_over_;
    return is_deleted_by_last_;
  }

  std::vector<Value> results() const {
    std::vector<Value> results;
    for (uint32_t root : graph_.roots()) results.push_back(values_[root]);
    return results;
  }
  const std::vector<TaskTime>& times() const { return times_; }

 private:
  void start(uint32_t first) {
    (*arena_).enqueue([this, first] {
      uint32_t next = first;
      while (next != none) next = execute(next);
    });
  }

  static constexpr uint32_t none = ~0u;

  /// Runs one task; returns a reader that became ready, to go on with.
  uint32_t execute(uint32_t i) {
    const TaskGraph::Entry& entry = entries_[i];
    if (!failed_.load(std::memory_order_acquire)) {
      const double begin = seconds();
      const GraphDraws::Task place(draws_, i);
      const InterruptScope scope(is_left_);
      try {
        std::vector<Value> inputs;
        inputs.reserve(entry.inputs.size());
        for (uint32_t from : entry.inputs) inputs.push_back(values_[from]);
        values_[i] = work_(*entry.task, inputs);
      } catch (...) {
        fail(std::current_exception());
      }
      times_[i] = {begin, seconds(), Arena::worker_index()};
    }
    for (uint32_t from : entry.inputs)
      if (unread_[from].fetch_sub(1) == 1) values_[from].reset();
    uint32_t next = none;
    for (uint32_t reader : entry.readers)
      if (waiting_[reader].fetch_sub(1) == 1) {
        if (next == none)
          next = reader;
        else
          start(reader);
      }
    done_.fetch_add(1, std::memory_order_relaxed);
    if (outstanding_.fetch_sub(1) == 1) end();
    return next;
  }

  void end() {
    bool is_left;
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      is_left = is_deleted_by_last_;
      finished_.notify_all();
    }
    if (is_left) delete this;  // else it is the caller's from here on
  }

  void fail(std::exception_ptr error) {
    std::lock_guard lock(mutex_);
    if (!error_) error_ = std::move(error);
    failed_.store(true, std::memory_order_release);
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  const TaskGraph graph_;
  const std::vector<TaskGraph::Entry>& entries_;
  const decltype(RunOptions::work) work_;
  const ArenaLease arena_;
  const Clock::time_point begin_ = Clock::now();
  GraphDraws draws_;
  std::vector<Value> values_;
  std::vector<std::atomic<uint32_t>> waiting_;  ///< inputs still to come
  std::vector<std::atomic<uint32_t>> unread_;   ///< readers still to come
  std::vector<TaskTime> times_;
  std::atomic<size_t> outstanding_, done_{0};
  std::atomic<bool> failed_{false}, is_left_{false};
  std::mutex mutex_;
  std::condition_variable finished_;
  bool is_over_ = false, is_deleted_by_last_ = false;
  std::exception_ptr error_;
};

}  // namespace

std::vector<Value> run(TaskGraph graph, const RunOptions& options) {
  auto run = std::make_unique<Run>(std::move(graph), options);
  try {
    run->go(options.on_progress);
  } catch (...) {
    if (run->leave()) (void)run.release();
    throw;
  }
  if (options.times) *options.times = run->times();
  return run->results();
}

}  // namespace kasoku
