/// \file python/src/guarded.h
/// What Python calls without nanobind between: exceptions become its own.
#pragma once

#include "bindings.h"

namespace kasoku {

/// Sets Python's error to what the exception is there (error.cpp), whatever was thrown.
void set_python_error(const std::exception_ptr& exception);

/// The result of f(); null with Python's error set if it throws.
template <class F>
PyObject* guarded(const F& f) {
  try {
    return f();
  } catch (nb::python_error& error) {
    error.restore();
  } catch (...) {
    if (!PyErr_Occurred()) set_python_error(std::current_exception());
  }
  return nullptr;
}

}  // namespace kasoku
