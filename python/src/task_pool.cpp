/// \file python/src/task_pool.cpp
/// The threads of kasoku.Pool, shaped for concurrent.futures.
#include <memory>

#include "bindings.h"
#include "kasoku/task/arena.h"

namespace kasoku {

namespace {

/// The Future is Python's own.
class PoolCore {
 public:
  explicit PoolCore(int workers) : arena_(std::make_unique<Arena>(workers)) {}
  ~PoolCore() {
    nb::gil_scoped_release released;  // the threads may want the GIL to end
    arena_.reset();
  }

  void submit(nb::object future, nb::object function, nb::object args, nb::object kwargs) {
    struct Job {
      nb::object future, function, args, kwargs;
    };
    auto* job = new Job{std::move(future), std::move(function), std::move(args), std::move(kwargs)};
    arena_->enqueue([job] {
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

  int workers() const { return arena_->workers(); }

 private:
  std::unique_ptr<Arena> arena_;
};

}  // namespace

void bind_task_pool(nb::module_& m) {
  nb::class_<PoolCore>(m, "_PoolCore")
      .def(nb::init<int>())
      .def("submit", &PoolCore::submit)
      .def_prop_ro("workers", &PoolCore::workers);
}

}  // namespace kasoku
