// Each worker has the tasks that it made ready in a deque of its own, and goes on with the reader that
// has most tasks behind it, so that a chain needs no queue. Who has nothing takes of the leaves, then
// steals. Leaves that a worker took run together where they are over in nanoseconds, and lie in its deque else.
// A worker is woken by one that has more than it can do, and looks alone: as many wake as there is work for.
// Of many tasks the first worker runs some alone (spreading.h). For the same reason the waiting thread works too, as long as
// tasks are small and of those that end at Ctrl-C by themselves.
#include <x86intrin.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>

#include "kasoku/base/draws.h"
#include "kasoku/base/error.h"
#include "kasoku/base/huge_pages.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/base/timeline.h"
#include "kasoku/device/cpu/computing.h"
#include "kasoku/task/arena.h"
#include "kasoku/task/ready_tasks.h"
#include "kasoku/task/spreading.h"
#include "kasoku/task/task.h"

namespace kasoku {

namespace {

using Clock = std::chrono::steady_clock;
constexpr uint32_t none = ReadyTasks::none;

/// Until then the judgement whether to wake others is the first worker's, who cannot judge within a task.
constexpr auto first_look = std::chrono::microseconds(300);
/// A small task, and how long the waiting thread works before it sees Ctrl-C and reports, by the processor's counter, which
/// takes a part of what the clock does and runs at some GHz.
constexpr uint64_t small_task = 1'000'000, work_between_looks = 100'000'000;
/// How often it does so where it waits.
constexpr auto every_look = std::chrono::milliseconds(50);
/// How long the last tasks of others are worth waiting awake for.
constexpr auto last_look = std::chrono::microseconds(30);

/// The front end's lock, in the hands of one worker or not.
class LockHolder {
 public:
  explicit LockHolder(TaskLock* lock) : lock_(lock) {}
  ~LockHolder() { give(); }
  LockHolder(const LockHolder&) = delete;
  LockHolder& operator=(const LockHolder&) = delete;
  void take() {
    if (!lock_ || is_held_) return;
    lock_->take();
    is_held_ = true;
  }
  void give() {
    if (is_held_) lock_->give();
    is_held_ = false;
  }

 private:
  TaskLock* const lock_;
  bool is_held_ = false;
};

class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(TaskGraph graph, const RunOptions& options)
      : graph_(std::move(graph)),
        lock_(options.lock),
        arena_(options.workers),
        draws_(graph_.size()),
        all_need_lock_(lock_ && !graph_.has_free_tasks()),
        n_leaves_(graph_.leaves().size()),
        n_workers_(std::clamp<size_t>(graph_.size(), 1, static_cast<size_t>((*arena_).workers()))),
        workers_(n_workers_ + 1),
        values_(made_in_huge_pages<TaskValue>(graph_.size())),
        left_(graph_.has_edges() ? graph_.size() : 0),
        is_root_(left_.size()),
        times_(options.times || timeline::is_on() ? graph_.size() : 0),
        bytes_of_(options.bytes_of),
        outstanding_(graph_.size()),
        spreading_(graph_.size(), n_workers_) {
    if (!graph_.has_edges()) return;
    for (size_t i = 0; i < graph_.size(); ++i)
      left_[i].store(static_cast<uint32_t>(graph_.inputs(i).size()), std::memory_order_relaxed);
    for (size_t i = 0; i < graph_.roots().size(); ++i) is_root_[graph_.roots()[i]] = true;
  }

  /// The waiting thread stays free to see Ctrl-C and to report.
  void go(const std::function<void(size_t, size_t)>& on_progress) {
    if (!graph_.size()) return;
    const size_t all = graph_.size();
    const auto report = [&] {
      if (on_progress && !failed_.load()) on_progress(done(), all);
    };
    InterruptCheck interrupt;
    const auto look = [&] {
      interrupt.look();
      report();
    };
    wake_one();
    if (n_workers_ > 1 && !spreading_.is_on() && graph_.has_free_tasks() && times_.empty()) {
      help(look);
      if (interrupt_) std::rethrow_exception(interrupt_);
    }
    std::unique_lock lock(mutex_);
    if (!spreading_.is_on() &&
        !finished_.wait_until(lock, begin_ + first_look, [&] { return is_over_; })) {
      lock.unlock();
      if (spreading_.judge_from_outside(done(), seconds())) spread();
      lock.lock();
    }
    while (!finished_.wait_for(lock, every_look, [&] { return is_over_; })) {
      lock.unlock();
      spread();  // whatever the first worker thinks: its task may wait for another
      look();
      lock.lock();
    }
    lock.unlock();
    record();
    if (error_) std::rethrow_exception(error_);
    report();
  }

  /// The caller waits no longer.
  void leave() {
    failed_.store(true, std::memory_order_release);
    is_left_.store(true);
  }

  Results results() { return {std::move(values_), graph_.take_roots()}; }
  TaskGraph graph() { return std::move(graph_); }
  std::vector<TaskTime> times() { return std::move(times_); }

 private:
  static constexpr size_t most_leaves = 32;  ///< that a worker takes at a time

  struct alignas(64) Worker {
    ReadyTasks ready;
    std::atomic<size_t> done{0};
    size_t not_told = 0;         ///< of those done, how many are still outstanding_
    size_t victim = 0;           ///< the last one robbed
    bool runs_together = false;  ///< what it took last of the leaves did
  };

  /// A task to go on with, and the leaves that were taken with it.
  struct Work {
    uint32_t task = none;
    size_t leaf = 0, end = 0;
    explicit operator bool() const { return task != none; }
  };

  /// The waiting thread is one of the workers as long as there are small tasks.
  template <class Look>
  void help(const Look& look) {
    Worker& own = workers_.back();
    LockHolder lock(lock_.get());
    const InterruptScope scope(is_left_);
    const cpu::Computing here;
    is_helping_.store(true);
    Work work = find(own);
    int n_long = 0;  // one alone may have lost its core
    for (uint64_t before = __rdtsc(), looked = before; work && !interrupt_ && graph_.task(work.task).may_run_free();) {
      work = execute(work, own, lock);
      if (!work) work = find(own);
      const uint64_t now = __rdtsc();
      n_long = now - std::exchange(before, now) > small_task ? n_long + 1 : 0;
      if (n_long == 2) break;
      if (now - looked < work_between_looks) continue;
      lock.give();
      try {
        look();
      } catch (...) {
        interrupt_ = std::current_exception();
      }
      looked = before = __rdtsc();
    }
    if (work) {
      push_leaves(own, work.leaf, work.end);
      own.ready.push(work.task);
    }
    is_helping_.store(false);
    lock.give();
    if (tell(own)) return;
    if (has_work()) wake_one();
    const Clock::time_point asleep = Clock::now() + last_look;
    while (outstanding_.load(std::memory_order_relaxed) && !has_work() && Clock::now() < asleep) __builtin_ia32_pause();
  }

  void serve(size_t index) {
    Worker& own = workers_[index];
    LockHolder lock(lock_.get());
    const InterruptScope scope(is_left_);
    if (!spreading_.is_on()) spreading_.begin(seconds());
    for (bool is_looking = true;;) {  // whoever is woken is looking
      if (all_need_lock_) lock.take();
      Work work = find(own);
      if (is_looking) searching_.store(false);
      if (work && is_looking && has_work()) offer();
      is_looking = false;
      if (!work) {
        lock.give();
        if (!sleep(own)) return;
        is_looking = true;
      }
      while (work) {
        work = execute(work, own, lock);
        if (!spreading_.is_on()) judge(own);
      }
    }
  }

  /// Of the first worker.
  void judge(const Worker& own) {
    const size_t n = own.done.load(std::memory_order_relaxed);
    if (spreading_.is_to_judge(n) && spreading_.judge(n, [&] { return done(); }, seconds())) spread();
  }

  /// From here on workers wake others.
  void spread() {
    spreading_.turn_on();
    if (has_work()) offer();
  }

  Work find(Worker& own) {
    if (const uint32_t task = own.ready.take(); task != none) return {task};
    if (const Work work = take_leaves(own)) return work;
    for (size_t k = 0; k < workers_.size(); ++k) {
      const size_t victim = (own.victim + k) % workers_.size();
      if (const uint32_t task = workers_[victim].ready.steal(); task != none) return own.victim = victim, Work{task};
    }
    return {};
  }

  /// Some at a time, so that workers meet at the counter seldom.
  Work take_leaves(Worker& own) {
    const size_t before = next_leaf_.load(std::memory_order_relaxed);
    if (before >= n_leaves_) return {};
    const size_t least = own.runs_together ? most_leaves / 2 : 1;
    const size_t n = std::clamp<size_t>((n_leaves_ - before) / (8 * n_workers_), least, most_leaves);
    const size_t first = next_leaf_.fetch_add(n), end = std::min(first + n, n_leaves_);
    if (first >= end) return {};
    return {graph_.leaves()[first], first + 1, end};
  }

  /// Where others can steal them.
  void push_leaves(Worker& own, size_t first, size_t end) {
    own.ready.push(end - first, [&](size_t i) { return graph_.leaves()[end - 1 - i]; });
  }

  bool has_work() const {
    return next_leaf_.load() < n_leaves_ ||
           std::ranges::any_of(workers_, [](const Worker& worker) { return !worker.ready.is_empty(); });
  }

  /// There is work that another worker could do: wakes one, unless it is too early.
  void offer() {
    if (spreading_.is_on()) wake_one();
  }

  /// Unless one is looking already, or as many threads are at work as there are to be: the waiting thread is one of them
  /// while it helps, and wakes another when it goes.
  void wake_one() {
    if (searching_.load() || started_.load() + is_helping_.load() >= n_workers_ + sleepers_.load()) return;
    if (searching_.exchange(true)) return;
    std::unique_lock lock(mutex_);
    if (sleepers_.load()) {
      sleepers_.fetch_sub(1);
      ++wakes_;
      work_came_.notify_one();
    } else if (started_.load() < n_workers_) {
      const size_t index = started_.fetch_add(1);
      lock.unlock();
      if ((*arena_).enqueue([run = shared_from_this(), index] { run->serve(index); })) return;
      started_.store(n_workers_);  // there are no more threads to be had: those that run do it all
      searching_.store(false);
    } else {
      searching_.store(false);
    }
  }

  /// What the worker has done is no longer outstanding. Whether nothing is.
  bool tell(Worker& own) {
    const size_t n = std::exchange(own.not_told, 0);
    const bool is_last = n && outstanding_.fetch_sub(n) == n;
    if (is_last) end();
    return is_last;
  }

  /// Until somebody offers work: true. False: there will be none.
  bool sleep(Worker& own) {
    tell(own);
    std::unique_lock lock(mutex_);
    if (is_over_) return false;
    sleepers_.fetch_add(1);
    // Whoever made work ready before that saw nobody asleep.
    if (has_work() && !searching_.exchange(true)) {
      sleepers_.fetch_sub(1);
      return true;
    }
    const cpu::Waiting here;
    work_came_.wait(lock, [&] { return is_over_ || wakes_; });
    if (is_over_) return false;
    --wakes_;
    return true;
  }

  /// Runs the task, and the leaves that came with it where they are short; returns a reader that became ready, to go on with.
  Work execute(const Work& work, Worker& own, LockHolder& lock) {
    if (work.leaf < work.end) {
      const size_t n = run_together(work, own);
      own.runs_together = n;
      if (n) {
        lock.give();
        const size_t leaf = work.leaf - 1 + n;  // the first that did not run
        if (leaf < work.end) return {graph_.leaves()[leaf], leaf + 1, work.end};
        return {};
      }
      push_leaves(own, work.leaf, work.end);
    }
    const uint32_t i = work.task;
    if (!failed_.load(std::memory_order_acquire)) {
      const Task& task = graph_.task(i);
      const double begin = times_.empty() ? 0 : seconds();
      const GraphDraws::Task place(draws_, i);
      try {
        const Inputs given(values_.data(), graph_.inputs(i));
        if (const Task::Ready ready{&task, given, &values_[i]}; task.may_run_free() && task.run_free({&ready, 1})) {
          lock.give();  // a worker may need it for its first such task
        } else {
          lock.take();
          values_[i] = task.run(given);
        }
      } catch (...) {
        fail(own);
      }
      if (!times_.empty()) times_[i] = {begin, seconds(), Arena::worker_index(), timeline::thread_number(), 0};
      if (!times_.empty() && bytes_of_) times_[i].bytes = bytes_of_(values_[i]);
    }
    const uint32_t next = graph_.has_edges() ? hand_on(i, own) : none;
    note_done(1, own);
    return {next};
  }

  /// How many of the task and of the leaves after it ran, one after another without the lock; none if they cannot.
  size_t run_together(const Work& work, Worker& own) {
    if (!graph_.task(work.task).may_run_free() || !times_.empty() || failed_.load(std::memory_order_acquire)) return 0;
    std::array<Task::Ready, most_leaves> ready;
    size_t n = 0;
    for (size_t leaf = work.leaf - 1; leaf < work.end; ++leaf) {
      const uint32_t i = graph_.leaves()[leaf];
      if (!graph_.task(i).may_run_free()) break;
      ready[n++] = {&graph_.task(i), {}, &values_[i]};
    }
    if (n < 2) return 0;
    try {
      n = graph_.task(work.task).run_free({ready.data(), n});
    } catch (...) {
      fail(own);
    }
    bool has_more = false;
    for (size_t leaf = work.leaf - 1; graph_.has_edges() && leaf < work.leaf - 1 + n; ++leaf)
      if (const uint32_t next = hand_on(graph_.leaves()[leaf], own); next != none) own.ready.push(next), has_more = true;
    if (has_more) offer();
    note_done(n, own);
    return n;
  }

  void note_done(size_t n, Worker& own) {
    own.done.store(own.done.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
    own.not_told += n;
  }

  /// The task's inputs have one reader less, its readers one input more. Returns the one to go on with.
  uint32_t hand_on(uint32_t i, Worker& own) {
    for (const uint32_t from : graph_.inputs(i))
      if (is_last(left_[from])) values_[from] = {};
    const std::span<const uint32_t> readers = graph_.readers(i);
    // The caller reads a root.
    const auto n_readers = static_cast<uint32_t>(readers.size()) + is_root_[i];
    if (n_readers)
      left_[i].store(n_readers, std::memory_order_relaxed);
    else
      values_[i] = {};
    uint32_t next = none;
    bool has_more = false;
    for (const uint32_t reader : readers) {
      if (!is_last(left_[reader])) continue;
      if (next != none) own.ready.push(next), has_more = true;
      next = reader;
    }
    if (has_more) offer();
    return next;
  }

  /// Takes one off. Who sees that he is the only one left needs no exclusive access.
  static bool is_last(std::atomic<uint32_t>& count) {
    return count.load(std::memory_order_acquire) == 1 || count.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

  /// In the timeline, if there is one: once for all tasks, so that their names are made by who waits.
  void record() const {
    if (!timeline::is_on()) return;
    const auto moment = [&](double time) {
      return begin_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time));
    };
    for (size_t i = 0; i < times_.size(); ++i)
      if (const TaskTime& time = times_[i]; time.worker >= 0)
        timeline::add(EventKind::task, graph_.task(i).name(), moment(time.begin), moment(time.end), time.thread);
  }

  size_t done() const {
    size_t sum = 0;
    for (const Worker& worker : workers_) sum += worker.done.load(std::memory_order_relaxed);
    return sum;
  }

  void end() {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    finished_.notify_all();
    work_came_.notify_all();
  }

  /// By what is handled now.
  void fail(const Worker& own) {
    {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_.store(true, std::memory_order_release);
    }
    if (&own == &workers_.back() && is_interrupt()) interrupt_ = std::current_exception();
  }

  /// Of what is handled now.
  bool is_interrupt() const {
    try {
      throw;
    } catch (const Error& error) {
      return error.kind == ErrorKind::interrupted;
    } catch (...) {
      return lock_ && lock_->is_interrupt(std::current_exception());
    }
  }

  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  TaskGraph graph_;
  const std::shared_ptr<TaskLock> lock_;
  const ArenaLease arena_;
  const Clock::time_point begin_ = Clock::now();
  GraphDraws draws_;
  const bool all_need_lock_;
  const size_t n_leaves_;
  const size_t n_workers_;
  std::vector<Worker> workers_;  ///< and the waiting thread, last
  std::vector<TaskValue> values_;
  /// Of a task that did not run yet, inputs; of one that did, readers. Without edges nobody counts.
  std::vector<std::atomic<uint32_t>> left_;
  std::vector<bool> is_root_;
  std::vector<TaskTime> times_;
  const std::function<uint64_t(const TaskValue&)> bytes_of_;
  alignas(64) std::atomic<size_t> next_leaf_{0};
  alignas(64) std::atomic<size_t> outstanding_;
  std::atomic<size_t> started_{0}, sleepers_{0};
  std::atomic<bool> searching_{false}, is_helping_{false}, failed_{false}, is_left_{false};
  Spreading spreading_;
  std::mutex mutex_;
  std::condition_variable finished_, work_came_;
  size_t wakes_ = 0;
  bool is_over_ = false;
  std::exception_ptr error_;
  std::exception_ptr interrupt_;  ///< of a task that the waiting thread ran: it ends the waiting
};

}  // namespace

Results run(TaskGraph graph, const RunOptions& options) {
  const auto run = std::make_shared<Run>(std::move(graph), options);
  try {
    run->go(options.on_progress);
  } catch (...) {
    run->leave();
    throw;
  }
  if (options.times) *options.times = run->times();
  Results results = run->results();
  const TaskGraph done = run->graph();  // goes here, and not on a worker's thread
  return results;
}

}  // namespace kasoku
