/// \file python/src/jit_values.h
/// Python values as the 64-bit words of a compiled call, and back.
#pragma once

#include "bindings.h"
#include "kasoku/check/shadow.h"
#include "kasoku/jit/runtime.h"
#include "kasoku/jit/type.h"

namespace kasoku {

/// Writes `value` as words of `type` and moves `words` on; false if it is of another type.
bool pack(PyObject* value, const jit::Type& type, uint64_t*& words);

/// The Python value of a result. `arguments` own the memory of arrays that are views of them.
nb::object unpack(const jit::Type& type, const uint64_t*& words, PyObject* const* arguments, size_t n);

/// The memory of an array argument for check, from the words that a call gets: data, shape,
/// strides (in elements).
KnownArray known_array(const jit::Type& type, const uint64_t* words, std::string name);

/// A NumPy array's fields, without its headers.
struct NumpyArray {
  PyObject base_object;
  char* data;
  int ndim;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* descr;
  int flags;
};
inline bool is_read_only(const NumpyArray& array) { return !(array.flags & 0x400); }
/// The array, if `object` is one of a dtype and byte order that compiled code reads; else null.
const NumpyArray* as_numpy(PyObject* object, Dtype& dtype);

}  // namespace kasoku
