/// \file python/src/array_object.h
/// Array as Python's object: seen (and made, by object_of()) without nanobind's table of C++ types, which costs as
/// much as a small operation.
#pragma once

#include "bindings.h"

#include <vector>

namespace kasoku {

inline PyTypeObject* array_type() {
  static PyTypeObject* const type = reinterpret_cast<PyTypeObject*>(nb::type<Array>().ptr());
  return type;
}

inline bool is_array(nb::handle object) {
  return Py_TYPE(object.ptr()) == array_type() || PyType_IsSubtype(Py_TYPE(object.ptr()), array_type());
}

/// Whether the object is of the class itself, as most arrays are: for any other this asks less than is_array().
inline bool is_plain_array(nb::handle object) { return Py_TYPE(object.ptr()) == array_type(); }

/// The array of an object that is one; null for any other.
inline const Array* array_of(nb::handle object) { return is_array(object) ? nb::inst_ptr<Array>(object) : nullptr; }

/// A new object, settled.
inline nb::object settled_object_of(Array&& array) {
  if (is_to_settle(array)) settle(array);
  return object_of(std::move(array));
}

/// Slots of the class for Python's operators (ops.cpp).
std::vector<PyType_Slot> operator_slots();

}  // namespace kasoku
