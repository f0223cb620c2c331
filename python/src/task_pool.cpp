/// \file python/src/task_pool.cpp
/// The threads of kasoku.Pool, shaped for concurrent.futures.
#include <unistd.h>

#include <memory>

#include "bindings.h"
#include "kasoku/task/arena.h"

namespace kasoku {

namespace {

/// Python knows a thread of the pool from its first call to its end, so that threading.local() lasts.
class PythonThread {
 public:
  PythonThread() = default;
  PythonThread(const PythonThread&) = delete;
  PythonThread& operator=(const PythonThread&) = delete;
  ~PythonThread() {
    PyEval_RestoreThread(saved_);
    PyGILState_Release(state_);
  }

 private:
  PyGILState_STATE state_ = PyGILState_Ensure();
  PyThreadState* saved_ = PyEval_SaveThread();
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
    nb::gil_scoped_release released;  // the threads may want the GIL to end
    ended.reset();
  }

  bool is_own_thread() const { return arena_ && arena_->has_this_thread(); }

  void submit(nb::object future, nb::object function, nb::object args, nb::object kwargs) {
    struct Job {
      nb::object future, function, args, kwargs;
    };
    forget_parents();
    if (!arena_) arena_ = std::make_unique<Arena>(workers_);
    auto* job = new Job{std::move(future), std::move(function), std::move(args), std::move(kwargs)};
    arena_->enqueue([job] {
      static thread_local PythonThread known;
      nb::gil_scoped_acquire gil;
      std::unique_ptr<Job> owned(job);
      try {
        if (!nb::cast<bool>(job->future.attr("set_running_or_notify_cancel")())) return;
        nb::object result;
        try {
          result = job->function(*job->args, **job->kwargs);
        } catch (nb::python_error& error) {
          job->future.attr("set_exception")(error.value());
          return;
        }
        job->future.attr("set_result")(result);
      } catch (nb::python_error& error) {
        error.discard_as_unraisable("kasoku.Pool");
      }
    });
  }

  int workers() const { return workers_; }

 private:
  /// A child of fork() has none of the threads; its copies of their locks may be taken for ever.
  void forget_parents() {
    if (process_ != getpid()) (void)arena_.release();
    process_ = getpid();
  }

  std::unique_ptr<Arena> arena_;
  int workers_;
  pid_t process_ = getpid();
};

}  // namespace

void bind_task_pool(nb::module_& m) {
  nb::class_<PoolCore>(m, "_PoolCore")
      .def(nb::init<int>())
      .def("submit", &PoolCore::submit)
      .def("end", &PoolCore::end)
      .def("is_own_thread", &PoolCore::is_own_thread)
      .def_prop_ro("workers", &PoolCore::workers);
}

}  // namespace kasoku
