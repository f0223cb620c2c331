/// \file python/src/python_value.h
/// A Python object as a task's TaskValue, which any thread may drop.
#pragma once

#include "bindings.h"
#include "kasoku/task/value.h"

namespace kasoku {

inline constexpr TaskValue::Kind python_kind{[](void* held) {
                                           const GilHeld gil;
                                           Py_INCREF(static_cast<PyObject*>(held));
                                         },
                                         [](void* held) {
                                           if (is_python_gone()) return;
                                           const GilHeld gil;
                                           Py_DECREF(static_cast<PyObject*>(held));
                                         }};

inline TaskValue value_of(nb::object object) { return {python_kind, object.release().ptr()}; }

/// The object, or the number as one of Python's.
inline nb::object object_of(const TaskValue& value) {
  if (value.is(python_kind)) return nb::borrow(static_cast<PyObject*>(value.object()));
  if (value.is(TaskValue::integer)) return nb::steal(PyLong_FromLongLong(value.as_integer()));
  if (value.is(TaskValue::real)) return nb::steal(PyFloat_FromDouble(value.as_real()));
  if (value.is(TaskValue::boolean)) return nb::steal(PyBool_FromLong(value.as_bool()));
  return nb::none();
}

/// object_of() a value that nobody else reads: its reference moves to the object.
inline nb::object object_of(TaskValue&& value) {
  return value.is(python_kind) ? nb::steal(static_cast<PyObject*>(value.release())) : object_of(std::as_const(value));
}

}  // namespace kasoku
