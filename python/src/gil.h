/// \file gil.h
/// Python's lock, given up and taken, also by threads that the interpreter's end finds at work.
///
/// Up to Python 3.13 a thread that wants the lock while the interpreter ends is itself ended there
/// and then, by pthread_exit(). That would unwind through the engine, whose destructors drop objects
/// without the lock, and whose `catch (...)` makes an abort of it. Such a thread sleeps until the
/// process is gone instead, as Python itself has it from 3.14 on: gil.cpp sees to that, wherever in
/// the extension a call to Python is. A thread that comes for the lock when the interpreter is gone,
/// while libraries end, would find nothing to make its state in, and sleeps too. The thread that ends
/// the interpreter frees what the program's names hold: Python says then that it is not initialized,
/// but that thread has its state and the lock. What is freed later still stays.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace kasoku {

[[noreturn]] void sleep_until_exit();
/// Whether this thread can call Python no more.
inline bool is_python_gone() { return !Py_IsInitialized() && !PyGILState_GetThisThreadState(); }

/// While alive, this thread does not hold the lock.
using GilReleased = nb::gil_scoped_release;

/// What `f` returns, which runs without the GIL.
template <class F>
auto without_gil(F&& f) {
  const GilReleased release;
  return f();
}
/// While alive, this thread holds the lock, whether it did before or not.
class GilHeld {
 public:
  GilHeld() = default;
  ~GilHeld() { PyGILState_Release(state_); }
  GilHeld(const GilHeld&) = delete;
  GilHeld& operator=(const GilHeld&) = delete;

 private:
  static PyGILState_STATE ensure() {
    if (is_python_gone()) sleep_until_exit();
    return PyGILState_Ensure();
  }

  const PyGILState_STATE state_ = ensure();
};

}  // namespace kasoku
