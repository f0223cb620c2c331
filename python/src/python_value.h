/// \file python/src/python_value.h
/// A Python object as a task's Value, which any thread may drop.
#pragma once

#include <memory>

#include "bindings.h"

namespace kasoku {

inline std::shared_ptr<void> value_of(nb::object object) {
  return {object.release().ptr(), [](void* held) {
            if (!Py_IsInitialized()) return;
            const GilHeld gil;
            Py_XDECREF(static_cast<PyObject*>(held));
          }};
}

inline nb::object object_of(const std::shared_ptr<void>& value) {
  return nb::borrow(static_cast<PyObject*>(value.get()));
}

}  // namespace kasoku
