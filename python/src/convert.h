/// \file python/src/convert.h
/// Python objects to arrays, dtypes, devices and shapes; to_python.h is the way back for elements.
#pragma once

#include "bindings.h"
#include "kasoku/array/array.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/scalar.h"

#include <optional>

namespace kasoku {

/// Whatever numpy.dtype understands; also Python's float, int, bool, complex.
Dtype dtype_from(nb::handle object);
std::optional<Dtype> optional_dtype(nb::handle object);  ///< None: nothing
/// The dtype of ours for a numpy.dtype; nothing for one that no array of ours can hold.
std::optional<Dtype> dtype_of_numpys(nb::handle dtype);
/// Objects, texts, times or floats of 80 bits of NumPy's.
bool is_of_other_elements(nb::handle object);
/// A dtype, or a text that names one, of such elements.
bool is_other_dtype(nb::handle object);
/// numpy.dtype of a dtype; a string for what NumPy lacks.
nb::object numpy_dtype(Dtype dtype);

/// A Device object, its name, or None for the default device.
Device& device_from(nb::handle object);

/// The object as an index; nothing if 64 bits do not hold it.
std::optional<int64_t> index_from(nb::handle object);
/// The object as an index; OverflowError if 64 bits do not hold it.
int64_t integer_from(nb::handle object);
/// Whether it is a sequence whose length is known; an array of no axes has none.
bool has_length(nb::handle object);
/// An int or a sequence of ints.
Shape shape_from(nb::handle object);
nb::tuple tuple_from(const Shape& shape);

/// The number in a Python float, or in an int that 64 bits hold; nothing for any other class.
std::optional<Scalar> plain_number(nb::handle object);
/// plain_number() into a number that was 0. False for any other object; the number is undefined then.
bool get_plain_number(nb::handle object, Scalar& number);
/// A number of NumPy's and its dtype; nothing for an object of any other class.
struct NumpysNumber {
  Scalar value;
  Dtype dtype;
};
std::optional<NumpysNumber> numpys_number(nb::handle object);
/// The memory of such a number, which is an element of its dtype; null for any other object.
const void* memory_of_number(nb::handle object, Dtype dtype);
/// The other way round: an element of a dtype that NumPy has as NumPy's own number.
nb::object as_numpys_number(const void* element, Dtype dtype);
/// Arrays, Python numbers, NumPy scalars and arrays, anything numpy.asarray takes;
/// nothing for what is none of them. Host data goes to `device`.
std::optional<Operand> operand_from(nb::handle object, Device& device);
/// The same of an operand beside an array: a number of NumPy's that gives with it what Python's own gives is one of Python's (ops.cpp).
std::optional<Operand> operand_beside(const Array& x, nb::handle object);
/// The value to store in `x`. NumPy makes an element of the dtype of objects that are no operands, as None or a text,
/// or refuses.
Operand value_from(nb::handle value, const Array& x);
/// The value to store in `x`, as an array. Python's numbers must fit, also those of a list: a complex one becomes no real element.
Array array_for(nb::handle value, const Array& x);
/// The object as an array on `device`.
Array array_from(nb::handle object, Device& device);
/// The mask that where= was given. A list may have numbers for truth values, as in NumPy.
Array mask_from(nb::handle where, Device& device);

/// Of numbers of Python's, float64 and int64 of NumPy's among them, in lists of one length; null for any other object, and for
/// dtypes that take more than a look.
Array array_of_numbers(nb::handle object, std::optional<Dtype> dtype, Device& device);
/// Copies a NumPy array (or what numpy.asarray makes one of) to `device`;
/// without a copy if asked for and the memory can be shown as it is.
Array import_host(nb::handle object, std::optional<Dtype> dtype, Device& device, bool copy);

nb::handle numpy();
/// Whether it is an array of NumPy's own class and of no subclass.
bool is_plain_numpys(nb::handle object);
/// The head of such an array, as numpy/ndarraytypes.h has it.
struct NumpysArray {
  PyObject object;
  char* data;
  int rank;
  const int64_t *lengths, *strides;
  PyObject *base, *dtype;
  int flags;

  bool is_c_contiguous() const { return flags & 1; }
};
inline const NumpysArray& numpys_array(nb::handle object) { return *reinterpret_cast<const NumpysArray*>(object.ptr()); }

}  // namespace kasoku
