/// \file python/src/subscript.h
/// Slots of the class of arrays: parts and elements, and what loops over an array.
#pragma once

#include "array_object.h"

namespace kasoku {

/// x[key], and x[key] = value.
PyObject* subscript(PyObject* self, PyObject* key);
int assign_subscript(PyObject* self, PyObject* key, PyObject* value);
/// x[at]: what Python's own loops over a sequence ask for, one after the other until there is none.
PyObject* subscript_by_number(PyObject* self, Py_ssize_t at);
/// iter(x) (rows.cpp).
PyObject* rows_of(PyObject* self);

/// x.item(*at).
nb::object item(const Array& x, const nb::args& at);

}  // namespace kasoku
