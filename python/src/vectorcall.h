/// \file python/src/vectorcall.h
/// Calls by Python's vector protocol, which its stable interface has from 3.12 on only: nanobind hands them through.
#pragma once

#include <nanobind/nanobind.h>

namespace kasoku {

/// Room before the first argument may be written to, and is.
inline PyObject* vectorcall(PyObject* function, PyObject** args, size_t n, PyObject* names) {
#ifdef NB_BACKEND_MODULE
  return nanobind::detail::nb_backend.vectorcall(function, args, n | NB_VECTORCALL_ARGUMENTS_OFFSET, names);
#else
  return PyObject_Vectorcall(function, args, n | NB_VECTORCALL_ARGUMENTS_OFFSET, names);
#endif
}

/// args[0] is the object whose method it is, and counts.
inline PyObject* vectorcall_method(PyObject* name, PyObject** args, size_t n, PyObject* names) {
#ifdef NB_BACKEND_MODULE
  return nanobind::detail::nb_backend.vectorcall_method(name, args, n | NB_VECTORCALL_ARGUMENTS_OFFSET, names);
#else
  return PyObject_VectorcallMethod(name, args, n | NB_VECTORCALL_ARGUMENTS_OFFSET, names);
#endif
}

}  // namespace kasoku
