/// \file gil.h
/// Python's lock, given up and taken, also by threads that the interpreter's end finds at work.
///
/// Up to Python 3.13 a thread that wants the lock while the interpreter ends is itself ended there
/// and then, by pthread_exit(). That would unwind through the engine, where destructors and
/// `catch (...)` make an abort of it. Such a thread sleeps until the process is gone instead, as
/// Python itself has it from 3.14 on.
#pragma once

#include <cxxabi.h>
#include <nanobind/nanobind.h>
#include <unistd.h>

#include <utility>

namespace nb = nanobind;

namespace kasoku {

/// Calls `act`, in which Python may end this thread: then it does not come back.
template <class Act>
decltype(auto) or_sleep(Act&& act) {
  try {
    return std::forward<Act>(act)();
  } catch (abi::__forced_unwind&) {
    for (;;) ::pause();
  }
}

/// While alive, this thread does not hold the lock.
class GilReleased {
 public:
  GilReleased() = default;
  ~GilReleased() {
    or_sleep([&] { PyEval_RestoreThread(thread_); });
  }
  GilReleased(const GilReleased&) = delete;
  GilReleased& operator=(const GilReleased&) = delete;

 private:
  PyThreadState* const thread_ = PyEval_SaveThread();
};

/// While alive, this thread holds the lock, whether it did before or not.
class GilHeld {
 public:
  GilHeld() = default;
  ~GilHeld() { PyGILState_Release(state_); }
  GilHeld(const GilHeld&) = delete;
  GilHeld& operator=(const GilHeld&) = delete;

 private:
  const PyGILState_STATE state_ = or_sleep(PyGILState_Ensure);
};

/// function(*args, **kwargs), with the lock held: for whatever runs a program's code on threads that the
/// interpreter's end may find there. (Innermost: what is unwound before this would want the lock too.)
inline nb::object call_python(nb::handle function, nb::handle args, nb::handle kwargs = {}) {
  PyObject* const result = or_sleep([&] { return PyObject_Call(function.ptr(), args.ptr(), kwargs.ptr()); });
  if (!result) throw nb::python_error();
  return nb::steal(result);
}

}  // namespace kasoku
