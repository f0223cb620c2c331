/// \file python/src/task_pool.cpp
/// The threads of kasoku.Pool, shaped for concurrent.futures.
#include <unistd.h>

#include <memory>

#include "bindings.h"
#include "kasoku/task/arena.h"

namespace kasoku {

namespace {

/// Python knows a thread of the pool from its first call to its end, so that threading.local() lasts.
struct PythonThread {
  const GilHeld known;
  const GilReleased until_a_call;
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
    forget_parents();
    if (!arena_) arena_ = std::make_unique<Arena>(workers_);
    auto* job = new Job{std::move(function), std::move(args)};
    arena_->enqueue([job] {
      static thread_local PythonThread known;
      const GilHeld gil;
      const std::unique_ptr<Job> owned(job);
      try {
        job->function(*job->args);
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
