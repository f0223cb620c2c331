/// \file dtypes.cpp
/// Rules over dtypes, as Python asks for them: kasoku/array/promote.h.
#include "arguments.h"
#include "array_object.h"
#include "convert.h"
#include "kasoku/array/promote.h"
#include "kasoku/base/error.h"

#include <string>
#include <vector>

namespace kasoku {

namespace {

using namespace nb::literals;

/// An array's, a number's of Python, which adapts, or a dtype.
Typed typed_from(nb::handle object) {
  if (const Array* array = array_of(object)) return {array->dtype()};
  if (PyBool_Check(object.ptr())) return {Dtype::bool_};
  if (PyLong_CheckExact(object.ptr())) return {Dtype::int64, Weak::integer};
  if (PyFloat_CheckExact(object.ptr())) return {Dtype::float64, Weak::floating};
  if (PyComplex_CheckExact(object.ptr())) return {Dtype::complex128, Weak::complex_};
  if (!PyType_Check(object.ptr()) && !nb::isinstance<nb::str>(object) && nb::hasattr(object, "dtype")) return {dtype_from(object.attr("dtype"))};
  if (object.is_none()) throw Error(ErrorKind::type, "None is no dtype");
  return {dtype_from(object)};
}

nb::object result_type(nb::args arrays_and_dtypes) {
  if (arrays_and_dtypes.size() == 0) throw Error(ErrorKind::value, "result_type needs an array or a dtype");
  std::vector<Typed> all;
  for (nb::handle each : arrays_and_dtypes) all.push_back(typed_from(each));
  return numpy_dtype(promote(all));
}

bool can_be_cast(nb::handle from, nb::handle to, const std::string& casting) {
  const Typed given = typed_from(from);
  if (given.weak != Weak::none) throw Error(ErrorKind::type, "can_cast() of a Python number: it has no dtype of its own").fix("can_cast() of an array or a dtype");
  return can_cast(given.dtype, dtype_from(to), casting);
}

}  // namespace

void bind_dtypes(nb::module_& m) {
  m.def("result_type", &result_type, "arrays_and_dtypes"_a, R"(The dtype of what an operation on these arrays, dtypes and Python numbers gives.

A number of Python's takes the arrays' dtype if it is of their kind or a lower one, as NumPy 2 has it.
Returns a numpy.dtype. Without arguments it is a ValueError.

>>> ks.result_type(ks.zeros(2, "float32"), 1.5)
dtype('float32'))");
  m.def("promote_types", [](nb::handle a, nb::handle b) { return numpy_dtype(promote(dtype_from(a), dtype_from(b))); }, "type1"_a, "type2"_a, R"(The smallest dtype to which values of both can be cast without loss, as NumPy has it.

Returns a numpy.dtype. What is no dtype is a TypeError.

>>> ks.promote_types("int8", "uint8")
dtype('int16'))");
  m.def("can_cast", &can_be_cast, "from_"_a, "to"_a, "casting"_a = "safe", R"(Whether values of a dtype, or of an array's, may be cast to another one.

casting= is "no" and "equiv" (the same dtype), "safe" (nothing is lost), "same_kind" (floats may get shorter) or
"unsafe" (always); other words are a ValueError. Returns a bool.

>>> ks.can_cast("int64", "float32", "same_kind")
True)");
}

}  // namespace kasoku
