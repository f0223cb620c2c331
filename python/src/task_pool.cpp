/// \file python/src/task_pool.cpp
/// The threads of kasoku.Pool, shaped for concurrent.futures, and its map() without a Future for each call.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "bindings.h"
#include "kasoku/task/arena.h"
#include "known_thread.h"
#include "vectorcall.h"

namespace kasoku {

namespace {

using namespace nb::literals;
using Clock = std::chrono::steady_clock;

/// The calls of one map(). Threads take one after the other, and hold Python's lock over as many as it lets them.
/// Python objects in here are touched under the lock.
class Calls {
 public:
  /// One for each row: an argument, or a tuple of `width`.
  Calls(nb::object function, nb::list rows, size_t width) : function_(std::move(function)), width_(width) {
    const size_t n = nb::len(rows);
    states_ = std::vector<std::atomic<State>>(n);
    values_.resize(n);
    arguments_.reserve(n * width_);
    for (nb::handle row : rows) {
      if (width_ == 1)
        arguments_.push_back(nb::borrow(row));
      else
        for (nb::handle item : nb::borrow<nb::tuple>(row)) arguments_.push_back(nb::borrow(item));
    }
  }

  size_t size() const { return states_.size(); }

  /// On a thread of the pool, with the lock: until there is no call left.
  void work() {
    std::vector<PyObject*> given(width_ + 1);
    for (size_t i; (i = next_.fetch_add(1)) < size();) {
      nb::object* const own = arguments_.data() + i * width_;
      for (size_t k = 0; k < width_; ++k) given[k + 1] = own[k].ptr();
      PyObject* result = vectorcall(function_.ptr(), given.data() + 1, width_, nullptr);
      if (!result)
        result = taken_error();
      else
        values_[i] = nb::steal(result), result = nullptr;
      if (result) values_[i] = nb::steal(result);
      for (size_t k = 0; k < width_; ++k) own[k].reset();
      states_[i].store(result ? State::failed : State::done);
      if (awaited_.load() == i) tell();
    }
  }

  /// A thread has come to an end of it.
  void leave() {
    const std::lock_guard lock(mutex_);
    --workers_;
    changed_.notify_all();
  }
  void set_workers(size_t n) { workers_ = n; }

  /// What has not begun does not begin.
  void cancel() {
    for (size_t i; (i = next_.fetch_add(1)) < size();) states_[i].store(State::cancelled);
    tell();
  }

  /// The value of call i, waited for until `end`. Without the lock while it waits.
  nb::object value(size_t i, const Clock::time_point* end) {
    if (states_[i].load() == State::pending) {
      awaited_.store(i);
      wait([&] { return states_[i].load() != State::pending; }, end);
      awaited_.store(nobody);
    }
    nb::object value = std::move(values_[i]);
    switch (states_[i].load()) {
      case State::done: return value;
      case State::failed: PyErr_SetObject((PyObject*)Py_TYPE(value.ptr()), value.ptr()); throw nb::python_error();
      case State::cancelled: throw_futures("CancelledError");
      case State::pending: break;
    }
    throw_futures("TimeoutError");
  }

  /// Until no thread is at it.
  void wait_for_all() {
    wait([&] { return workers_ == 0; }, nullptr);
  }

 private:
  enum class State : uint8_t { pending, done, failed, cancelled };
  static constexpr size_t nobody = ~size_t{0};

  static PyObject* taken_error() {
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (trace) PyException_SetTraceback(value, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return value;
  }

  [[noreturn]] static void throw_futures(const char* name) {
    PyErr_SetNone(nb::object(nb::module_::import_("concurrent.futures").attr(name)).ptr());
    throw nb::python_error();
  }

  void tell() {
    const std::lock_guard lock(mutex_);
    changed_.notify_all();
  }

  template <class Condition>
  void wait(const Condition& is_met, const Clock::time_point* end) {
    while (true) {
      {
        const GilReleased released;
        std::unique_lock lock(mutex_);
        const auto pause = Clock::now() + std::chrono::milliseconds(50);
        if (changed_.wait_until(lock, end ? std::min(*end, pause) : pause, is_met)) return;
      }
      if (PyErr_CheckSignals()) throw nb::python_error();
      if (end && Clock::now() >= *end) return;
    }
  }

  const nb::object function_;
  const size_t width_;
  std::vector<nb::object> arguments_, values_;
  std::vector<std::atomic<State>> states_;
  std::atomic<size_t> next_{0}, awaited_{nobody};
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t workers_ = 0;  ///< threads that are at it, or will be
};

/// What map() gives: the values in the calls' order, as the generator of concurrent.futures gives them.
class Values {
 public:
  Values(std::shared_ptr<Calls> calls, nb::object timeout) : calls_(std::move(calls)) {
    if (timeout.is_none()) return;
    end_ = Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(nb::cast<double>(timeout)));
    has_end_ = true;
  }
  ~Values() {
    if (at_) close();
  }

  nb::object next() {
    if (!calls_ || at_ >= calls_->size()) throw nb::stop_iteration();
    try {
      return calls_->value(at_++, has_end_ ? &end_ : nullptr);
    } catch (...) {
      close();
      throw;
    }
  }
  void close() {
    if (calls_) calls_->cancel();
    calls_.reset();
  }

 private:
  std::shared_ptr<Calls> calls_;
  size_t at_ = 0;
  Clock::time_point end_;
  bool has_end_ = false;
};

/// The Future is Python's own.
class PoolCore {
 public:
  explicit PoolCore(int workers) : arena_(std::make_unique<Arena>(workers)), workers_(arena_->workers()) {}
  ~PoolCore() { end(); }

  /// The threads end when what was submitted is done.
  void end() {
    forget_parents();
    std::unique_ptr<Arena> ended = std::move(arena_);
    const GilReleased released;  // the threads may want the GIL to end
    ended.reset();
  }

  bool is_own_thread() const { return arena_ && arena_->has_this_thread(); }

  /// Calls function(*args) on a thread; it must not raise.
  void submit(nb::object function, nb::args args) {
    struct Job {
      nb::object function, args;
    };
    auto* job = new Job{std::move(function), std::move(args)};
    arena().enqueue([job] {
      remember_thread();
      const GilHeld gil;
      const std::unique_ptr<Job> owned(job);
      try {
        job->function(*job->args);
      } catch (nb::python_error& error) {
        error.discard_as_unraisable("kasoku.Pool");
      }
    });
  }

  /// Calls the function for each row: an argument, or a tuple of `width`.
  nb::object map(nb::object function, nb::list rows, size_t width, nb::object timeout) {
    auto calls = std::make_shared<Calls>(std::move(function), std::move(rows), width);
    const size_t n = std::min(calls->size(), static_cast<size_t>(workers_));
    calls->set_workers(n);
    std::erase_if(maps_, [](const std::weak_ptr<Calls>& map) { return map.expired(); });
    maps_.push_back(calls);
    for (size_t i = 0; i < n; ++i) {
      // The last share goes under the lock.
      auto* share = new std::shared_ptr<Calls>(calls);
      arena().enqueue([share] {
        remember_thread();
        const GilHeld gil;
        const std::unique_ptr<std::shared_ptr<Calls>> owned(share);
        (*share)->work();
        (*share)->leave();
      });
    }
    return nb::cast(new Values(std::move(calls), std::move(timeout)), nb::rv_policy::take_ownership);
  }

  void cancel_maps() {
    for (const std::weak_ptr<Calls>& map : maps_)
      if (const auto calls = map.lock()) calls->cancel();
  }
  void wait_for_maps() {
    if (process_ != getpid()) return;
    const std::vector<std::weak_ptr<Calls>> maps = maps_;
    for (const std::weak_ptr<Calls>& map : maps)
      if (const auto calls = map.lock()) calls->wait_for_all();
  }

  int workers() const { return workers_; }

 private:
  Arena& arena() {
    forget_parents();
    if (!arena_) arena_ = std::make_unique<Arena>(workers_);
    return *arena_;
  }

  /// A child of fork() has none of the threads; its copies of their locks may be taken for ever.
  void forget_parents() {
    if (process_ != getpid()) {
      (void)arena_.release();
      maps_.clear();
    }
    process_ = getpid();
  }

  std::unique_ptr<Arena> arena_;
  int workers_;
  pid_t process_ = getpid();
  std::vector<std::weak_ptr<Calls>> maps_;
};

}  // namespace

void remember_thread() {
  if (PyGILState_GetThisThreadState()) return;  // the interpreter's own, or one of these
  static thread_local KnownThread known;
  (void)known;
}

void bind_task_pool(nb::module_& m) {
  nb::class_<PoolCore>(m, "_PoolCore")
      .def(nb::init<int>())
      .def("submit", &PoolCore::submit)
      .def("map", &PoolCore::map, "function"_a, "rows"_a, "width"_a, "timeout"_a.none())
      .def("cancel_maps", &PoolCore::cancel_maps)
      .def("wait_for_maps", &PoolCore::wait_for_maps)
      .def("end", &PoolCore::end)
      .def("is_own_thread", &PoolCore::is_own_thread)
      .def_prop_ro("workers", &PoolCore::workers);
  nb::class_<Values>(m, "_PoolValues")
      .def("__iter__", [](nb::object self) { return self; })
      .def("__next__", &Values::next)
      .def("close", &Values::close);
}

}  // namespace kasoku
