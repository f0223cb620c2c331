/// \file python/src/vectorcall.h
/// Calls by Python's vector protocol, which its stable interface has from 3.12 on only: nanobind hands them through.
#pragma once

#include <nanobind/nanobind.h>

namespace kasoku {

/// A call handed on, with what its caller says of the room before the first argument.
inline PyObject* handed_on(PyObject* function, PyObject* const* args, size_t n_and_flag, PyObject* names) {
#ifdef NB_BACKEND_MODULE
  return nanobind::detail::nb_backend.vectorcall(function, args, n_and_flag, names);
#else
  return PyObject_Vectorcall(function, args, n_and_flag, names);
#endif
}

/// Room before the first argument may be written to, and is.
inline PyObject* vectorcall(PyObject* function, PyObject** args, size_t n, PyObject* names) {
  return handed_on(function, args, n | NB_VECTORCALL_ARGUMENTS_OFFSET, names);
}

/// args[0] is the object whose method it is, and counts.
inline PyObject* vectorcall_method(PyObject* name, PyObject** args, size_t n, PyObject* names) {
#ifdef NB_BACKEND_MODULE
  return nanobind::detail::nb_backend.vectorcall_method(name, args, n | NB_VECTORCALL_ARGUMENTS_OFFSET, names);
#else
  return PyObject_VectorcallMethod(name, args, n | NB_VECTORCALL_ARGUMENTS_OFFSET, names);
#endif
}

/// How many arguments there are, those by name too.
inline size_t argument_count(size_t n_and_flag, PyObject* names) {
  return (n_and_flag & ~NB_VECTORCALL_ARGUMENTS_OFFSET) + (names ? static_cast<size_t>(PyTuple_Size(names)) : 0);
}

}  // namespace kasoku
