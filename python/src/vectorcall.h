/// \file python/src/vectorcall.h
/// Calls by Python's vector protocol, which its stable interface has from 3.12 on only: nanobind hands them through.
#pragma once

#include <nanobind/nanobind.h>

#include <span>
#include <utility>
#include <vector>

namespace kasoku {

using VectorCall = PyObject* (*)(PyObject*, PyObject* const*, size_t, PyObject*);

/// A type's flag, and PyMemberDef's types and flags, from before the stable interface named them.
constexpr unsigned int has_vectorcall = 1u << 11;
constexpr int member_object = 6, member_ssize = 19, member_readonly = 1;

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

/// The arguments as Python's other protocol has them: `names` are those of the last.
inline std::pair<nanobind::tuple, nanobind::dict> tuple_and_dict(std::span<PyObject* const> args, PyObject* names) {
  const size_t n = args.size() - (names ? static_cast<size_t>(PyTuple_Size(names)) : 0);
  nanobind::list given;
  nanobind::dict named;
  for (size_t i = 0; i < args.size(); ++i) {
    if (i < n) given.append(nanobind::handle(args[i]));
    else named[nanobind::handle(names)[i - n]] = nanobind::handle(args[i]);
  }
  return {nanobind::tuple(given), named};
}

/// The other protocol's slot of a type whose objects are called by `call`.
template <VectorCall call>
PyObject* call_with_tuple(PyObject* self, PyObject* args, PyObject* by_name) {
  std::vector<PyObject*> all;
  for (Py_ssize_t i = 0; i < PyTuple_Size(args); ++i) all.push_back(PyTuple_GetItem(args, i));
  const size_t n = all.size();
  nanobind::object names;
  if (by_name && PyDict_Size(by_name) > 0) {
    names = nanobind::steal(PySequence_Tuple(by_name));
    if (!names.is_valid()) return nullptr;
    for (Py_ssize_t i = 0; i < PyTuple_Size(names.ptr()); ++i)
      all.push_back(PyDict_GetItem(by_name, PyTuple_GetItem(names.ptr(), i)));
  }
  return call(self, all.data(), n, names.ptr());
}

}  // namespace kasoku
