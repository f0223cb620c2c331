/// \file kasoku/device/cpu/pool.cpp
/// Idle workers look for open jobs; a job lives on its caller's stack, so a call allocates
/// nothing. Not oneTBB: its threads cannot be had again
/// in a forked child, and peers bring other versions of its library into the process.
#include "kasoku/device/cpu/pool.h"

#include "kasoku/base/env.h"
#include "kasoku/base/error.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/device/cpu/looking.h"
#include "kasoku/device/cpu/nudge.h"
#include "kasoku/device/cpu/open_jobs.h"
#include "kasoku/device/cpu/shares.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kasoku::cpu {

namespace {

/// Numbers from 1 on for the helpers of a job that not all workers may join; whoever comes has the least that is free.
class Numbers {
 public:
  uint32_t take() {
    for (uint32_t i = 0;; i = (i + 1) % taken_.size())
      for (uint64_t now = taken_[i].load(); ~now;)
        if (const int bit = std::countr_one(now); taken_[i].compare_exchange_weak(now, now | uint64_t{1} << bit))
          return 64 * i + static_cast<uint32_t>(bit) + 1;
  }
  void give_back(uint32_t number) { taken_[(number - 1) / 64].fetch_and(~(uint64_t{1} << (number - 1) % 64)); }

 private:
  std::array<std::atomic<uint64_t>, 16> taken_{};
};

struct Job {
  Job(uint64_t n, uint64_t grain, const BlockBody& body, uint32_t limit)
      : n(n), grain(grain), chunks((n + grain - 1) / grain, limit), body(body), limit(limit) {
    if (limit < worker_count()) numbers.emplace();
  }

  const uint64_t n, grain;
  Shares chunks;
  const BlockBody& body;
  const uint32_t limit;      ///< threads inside at a time, the caller counted
  std::optional<Numbers> numbers;  ///< where workers' own are too high
  std::atomic<bool> is_stopped{false};
  std::exception_ptr error;  ///< guarded by the pool's mutex while there are helpers
  InterruptCheck interrupt;
  Alone* alone = nullptr;  ///< the caller's, where workers sleep
  bool has_woken = false;

  bool has_chunks() const {
    return !is_stopped.load(std::memory_order_relaxed) && !chunks.are_taken();
  }
};

thread_local int parallel_depth = 0;
thread_local Alone alone;
thread_local const SerialScope* serial_scope = nullptr;
thread_local uint32_t own_limit = 0, own_number = 0;
thread_local bool has_left = false;  // a worker, from its job, for a caller

struct InsideParallel {
  InsideParallel(uint32_t limit, uint32_t number)
      : limit_before(std::exchange(own_limit, limit)), number_before(std::exchange(own_number, number)) {
    ++parallel_depth;
  }
  ~InsideParallel() { --parallel_depth, own_limit = limit_before, own_number = number_before; }
  InsideParallel(const InsideParallel&) = delete;
  InsideParallel& operator=(const InsideParallel&) = delete;
  const uint32_t limit_before, number_before;
};

class Pool {
 public:
  explicit Pool(uint32_t workers) : workers_(workers) {}

  void start() {
    sigset_t all, before;
    sigfillset(&all);
    for (const int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGPROF, nudge_signal()}) sigdelset(&all, own);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // workers inherit: signals go to others
    for (uint32_t i = 1; i < workers_; ++i) {
      try {
        std::thread worker([this, i] { work(i); });
        threads_.push_back(worker.native_handle());
        worker.detach();  // they end with the process
      } catch (const std::system_error&) {
        break;  // as many as the system allows; the caller always works
      }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  std::mutex& mutex() { return mutex_; }

  void run(Job& job) {
    const bool is_outermost = parallel_depth == 0;
    if (is_outermost) enter();
    const std::optional<uint32_t> place = jobs_.open(job, job.limit - 1);
    if (place && announce()) {
      if (is_outermost) job.alone = &alone;
      if (!is_outermost || alone.begin(Clock::now())) wake_for(job);
    }
    take_chunks(job, 0);
    if (place) jobs_.close(*place);
    if (job.alone) alone.end(Clock::now());
    if (job.has_woken) waking_.fetch_sub(1);
    if (is_outermost) {
      leave();
      if (jobs_.any() && announce()) wake_one();  // there is a core for somebody else's work
    }
    if (place) {
      const auto are_gone = [&] { return jobs_.are_gone(*place); };
      if (!are_gone() && !look_until(are_gone, Clock::now() + last_look, [] { return false; }))
        wait_for_helpers(job, *place);
      jobs_.free(*place);
    }
    if (job.error) std::rethrow_exception(std::move(job.error));
  }

  /// In a forked child: the helpers of jobs on this thread's stack are gone.
  void abandon() { jobs_.forget_helpers(); }

 private:
  /// Threads of a program that call at once have the cores themselves: workers help only as many as
  /// there are cores left, or each caller would wait for others' work to end its own.
  uint32_t helpers_wanted() const {
    const uint32_t callers = callers_.load();
    return workers_ > callers ? workers_ - callers : 0;
  }

  void enter() {
    callers_.fetch_add(1);
    core_.store(sched_getcpu(), std::memory_order_relaxed);
  }
  void leave() {
    callers_.fetch_sub(1);
    core_.store(sched_getcpu(), std::memory_order_relaxed);
  }

  /// What workers look for has changed; whether there are some who sleep and do not see it. Who sees
  /// no helper missing here is sure that the ones there are look once more when they are done: both
  /// sides write first, then read what the other wrote.
  bool announce() {
    if (helping_.load() >= helpers_wanted()) return false;
    opened_.fetch_add(1);
    return n_asleep_.load() > 0;
  }

  void wake_one() {
    { std::lock_guard lock(mutex_); }  // a worker that is about to sleep does so first
    wake_.notify_one();                // who wakes wakes the next two
  }

  void wake_for(Job& job) {
    job.has_woken = true;
    waking_.fetch_add(1);
    wake_one();
  }

  /// A helper may be in a block that does not end: the caller goes on asking whether to stop.
  void wait_for_helpers(Job& job, uint32_t place) {
    std::unique_lock lock(mutex_);
    jobs_.sleep_until_gone(place);
    while (!left_.wait_for(lock, std::chrono::milliseconds(20), [&] { return jobs_.are_gone(place); })) {
      if (job.is_stopped) {
        for (const pthread_t thread : threads_) nudge(thread);
        continue;
      }
      lock.unlock();  // what asks may run a program's handler, which may launch
      std::exception_ptr error;
      try {
        job.interrupt.look();
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (!error) continue;
      if (!job.error) job.error = error;
      job.is_stopped.store(true);
    }
  }

  /// `number`: the worker's, or 0 for the caller.
  void take_chunks(Job& job, uint32_t number) {
    const bool is_caller = number == 0;
    uint32_t share = number;
    if (job.numbers && !is_caller) number = job.numbers->take();
    const InsideParallel inside(job.limit, number);
    const StopScope stop(job.is_stopped);
    try {
      while (job.has_chunks()) {
        if (!is_caller && leaves_for_callers()) break;
        const std::optional<uint64_t> chunk = job.chunks.take(share);
        if (!chunk) break;
        const uint64_t begin = *chunk * job.grain;
        if (is_caller)
          job.interrupt.look();
        else if (job.interrupt.is_requested())
          throw Error(ErrorKind::interrupted, "interrupted");
        job.body(begin, begin + std::min(job.n - begin, job.grain));
        if (is_caller && job.alone && job.alone->is_long(Clock::now()) && announce()) wake_for(job);
      }
    } catch (...) {
      std::lock_guard lock(mutex_);
      if (!job.error) job.error = std::current_exception();
      job.is_stopped.store(true);
    }
    if (job.numbers && !is_caller) job.numbers->give_back(number);
  }

  /// Whether this helper is one too many since other threads call: it is then no longer counted.
  bool leaves_for_callers() {
    uint32_t helping = helping_.load();
    while (helping > helpers_wanted())
      if (helping_.compare_exchange_weak(helping, helping - 1)) return has_left = true;
    return false;
  }

  /// Works at an open job; false if none wants this worker.
  bool help(uint32_t number) {
    if (helping_.load() >= helpers_wanted()) return false;
    // First of all: once inside, where the caller waits for it, a helper does nothing but chunks.
    if (waking_.load() > 0)
      for (uint32_t i = std::min<uint32_t>(n_asleep_.load(), 2); i > 0; --i) wake_.notify_one();
    const std::optional<uint32_t> place = jobs_.join();
    if (!place) return false;
    Job& job = jobs_.at(*place);
    const bool is_wanted = helping_.fetch_add(1) < helpers_wanted();
    if (is_wanted && job.has_chunks()) take_chunks(job, number);
    if (!job.has_chunks()) jobs_.hide(*place);
    if (!std::exchange(has_left, false)) helping_.fetch_sub(1);
    if (jobs_.leave(*place)) {
      { std::lock_guard lock(mutex_); }
      left_.notify_all();
    }
    return is_wanted || helping_.load() < helpers_wanted();
  }

  void work(uint32_t number) {
    char name[16];
    std::snprintf(name, sizeof name, "kasoku %u", number);
    pthread_setname_np(pthread_self(), name);
    Clock::duration look = short_look;
    for (;;) {
      const uint64_t seen = opened_.load();
      if (help(number)) continue;
      const auto is_new = [&] { return opened_.load() != seen; };
      const auto is_on_callers_core = [&] { return core_.load(std::memory_order_relaxed) == sched_getcpu(); };
      const Clock::time_point begin = Clock::now();
      if (!look_until(is_new, begin + look, is_on_callers_core)) {
        std::unique_lock lock(mutex_);
        n_asleep_.fetch_add(1);
        wake_.wait(lock, is_new);
        n_asleep_.fetch_sub(1);
      }
      look = Clock::now() - begin < long_look ? long_look : short_look;
    }
  }

  const uint32_t workers_;
  std::vector<pthread_t> threads_;  ///< complete before the first job
  std::mutex mutex_;
  std::condition_variable wake_, left_;
  OpenJobs<Job> jobs_;
  // Words that many threads write and others read all the time: each in a line of its own.
  alignas(64) std::atomic<uint32_t> callers_{0};  ///< threads of the program inside of run()
  alignas(64) std::atomic<uint32_t> helping_{0};  ///< workers inside of jobs
  alignas(64) std::atomic<uint64_t> opened_{0};   ///< times that there was something new to do
  std::atomic<int> core_{-1};                     ///< of the last caller
  std::atomic<uint32_t> waking_{0};               ///< open jobs that somebody was woken for
  alignas(64) std::atomic<uint32_t> n_asleep_{0};  ///< grows under the mutex
};

/// Cores that this process may use: affinity, then the control group's quota.
uint32_t available_cores() {
  uint32_t cores = 1;
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    cores = std::max(1, CPU_COUNT(&set));
  else
    cores = std::max(1u, std::thread::hardware_concurrency());
  if (std::FILE* file = std::fopen("/sys/fs/cgroup/cpu.max", "re")) {
    unsigned long long quota = 0, period = 0;
    if (std::fscanf(file, "%llu %llu", &quota, &period) == 2 && period)
      cores = std::clamp<uint32_t>(static_cast<uint32_t>((quota + period - 1) / period), 1, cores);
    std::fclose(file);
  }
  return cores;
}

uint32_t configured_workers() {
  constexpr uint64_t most = 1024;
  if (const auto number = env_number(Env::KASOKU_NUM_THREADS)) {
    if (*number == 0)
      throw Error(ErrorKind::value, "KASOKU_NUM_THREADS is 0, and at least one thread must work")
          .fix("unset KASOKU_NUM_THREADS");
    return static_cast<uint32_t>(std::min(*number, most));
  }
  return available_cores();
}

std::mutex creation_mutex;
std::atomic<Pool*> current_pool{nullptr};

void before_fork() {
  creation_mutex.lock();
  if (Pool* pool = current_pool.load()) pool->mutex().lock();
}
void after_fork_in_parent() {
  if (Pool* pool = current_pool.load()) pool->mutex().unlock();
  creation_mutex.unlock();
}
void after_fork_in_child() {
  if (Pool* pool = current_pool.load()) {  // its threads are gone; it is left as it is
    pool->abandon();
    pool->mutex().unlock();
    current_pool.store(nullptr);
  }
  creation_mutex.unlock();
}

Pool& pool() {
  if (Pool* pool = current_pool.load(std::memory_order_acquire)) return *pool;
  const uint32_t workers = worker_count();
  std::lock_guard lock(creation_mutex);
  if (Pool* pool = current_pool.load()) return *pool;
  static const int registered =
      pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
  (void)registered;
  Pool* pool = new Pool(workers);  // lives as long as the process: workers use it until then
  pool->start();
  current_pool.store(pool, std::memory_order_release);
  return *pool;
}

}  // namespace

uint32_t worker_count() {
  static const uint32_t workers = configured_workers();
  return workers;
}

SerialScope::SerialScope(Around around, std::function<void()> meets)
    : around(std::move(around)), meets(std::move(meets)), outer_(std::exchange(serial_scope, this)) {}
SerialScope::~SerialScope() { serial_scope = outer_; }
const SerialScope* SerialScope::current() { return serial_scope; }
bool is_serial() { return serial_scope; }

void set_thread_limit(uint32_t n) { own_limit = n; }
uint32_t thread_limit() { return own_limit ? std::min(own_limit, worker_count()) : worker_count(); }

uint32_t thread_number() { return own_number; }

bool is_inside_parallel() { return parallel_depth > 0; }

uint64_t suggested_grain(uint64_t n, uint64_t least) {
  constexpr uint64_t chunks_per_worker = 8;
  return std::max({uint64_t{1}, least, n / (worker_count() * chunks_per_worker)});
}

void parallel_blocks(uint64_t n, uint64_t grain, BlockBody body) {
  if (n == 0) return;
  grain = std::clamp<uint64_t>(grain, 1, n);
  if (n > UINT64_MAX / 2)
    throw Error(ErrorKind::value, "more than 2^63 blocks cannot be run");
  if (n == grain || thread_limit() == 1 || serial_scope) {
    InterruptCheck interrupt;
    for (uint64_t begin = 0; begin < n; begin += grain) {
      interrupt.look();
      body(begin, std::min(n, begin + grain));
    }
    return;
  }
  Job job(n, grain, body, thread_limit());
  pool().run(job);
}

}  // namespace kasoku::cpu
