/// \file gil.h
/// Python's lock, given up and taken, also by threads that the interpreter's end finds at work.
///
/// Up to Python 3.13 a thread that wants the lock while the interpreter ends is itself ended there
/// and then, by pthread_exit(). That would unwind through the engine, whose destructors drop objects
/// without the lock, and whose `catch (...)` makes an abort of it. Such a thread sleeps until the
/// process is gone instead, as Python itself has it from 3.14 on: gil.cpp sees to that, wherever in
/// the extension a call to Python is.
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace kasoku {

/// While alive, this thread does not hold the lock.
using GilReleased = nb::gil_scoped_release;
/// While alive, this thread holds the lock, whether it did before or not.
class GilHeld {
 public:
  GilHeld() = default;
  ~GilHeld() { PyGILState_Release(state_); }
  GilHeld(const GilHeld&) = delete;
  GilHeld& operator=(const GilHeld&) = delete;

 private:
  const PyGILState_STATE state_ = PyGILState_Ensure();
};

}  // namespace kasoku
