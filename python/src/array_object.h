/// \file python/src/array_object.h
/// Array as Python's object: seen (and made, by object_of()) without nanobind's table of C++ types, which costs as
/// much as a small operation.
#pragma once

#include "bindings.h"
#include "guarded.h"
#include "kasoku/codegen/ops.h"

#include <span>
#include <utility>
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

/// Where an object of the class, or of one derived from it, has its array: at one place, as nanobind has it of objects that it
/// allocates itself, which all of these are. To ask it each time takes a call through its table.
extern ptrdiff_t array_place;

inline Array* array_inside(nb::handle object) { return reinterpret_cast<Array*>(reinterpret_cast<char*>(object.ptr()) + array_place); }

/// The array of an object that is one; null for any other.
inline const Array* array_of(nb::handle object) { return is_array(object) ? array_inside(object) : nullptr; }

/// Whether somebody has a weak reference to an array of the class itself, or gave it attributes.
bool has_more(nb::handle array);

/// The class of CuPy's face, a subclass (compat/cupy/_arrays.py); null where nobody imports it.
extern PyTypeObject* face_array_type;

inline bool is_of_face(nb::handle object) {
  PyTypeObject* const type = Py_TYPE(object.ptr());
  return face_array_type && type != array_type() && (type == face_array_type || PyType_IsSubtype(type, face_array_type));
}

/// While a thread is in a function, a method or an operator of that face: what becomes Python's is of its class, and an
/// element is a view, as in CuPy: programs write to it and give kernels its address.
class InFace {
 public:
  InFace() : before_(std::exchange(current(), true)) {}
  ~InFace() { current() = before_; }
  InFace(const InFace&) = delete;
  InFace& operator=(const InFace&) = delete;
  /// Most processes have no face, and ask no thread.
  static bool is_in() { return face_array_type && current(); }

 private:
  static bool& current();
  const bool before_;
};

/// Has an array of the face's class, or those in a list or tuple, know that it shows the memory of what it was made of, which its
/// `base` is; `also_whole`: even if it shows all of it as it is.
void know_view(nb::handle result, nb::handle of, bool also_whole);

/// The result as an object of the class of the first operand whose class a program derived from a face's.
PyObject* as_derived(nb::handle x, nb::handle y, PyObject* result);

/// guarded(f), in the face if one of the operands is of its class.
template <class F>
PyObject* guarded_as(nb::handle x, nb::handle y, const F& f) {
  const bool is_x = is_of_face(x), is_y = is_of_face(y);
  if (!is_x && !is_y) return guarded(f);
  const InFace scope;
  PyObject* const result = guarded(f);
  const bool is_derived = (is_x && Py_TYPE(x.ptr()) != face_array_type) || (is_y && Py_TYPE(y.ptr()) != face_array_type);
  return is_derived && result && Py_TYPE(result) == face_array_type ? as_derived(x, y, result) : result;
}

/// A new object, settled.
inline nb::object settled_object_of(Array&& array) {
  if (is_to_settle(array)) settle(array);
  return object_of(std::move(array));
}

struct Value;
/// A number that was computed or read, as a Python object (ops.cpp).
nb::object object_of(const Value& value);

/// The result of an operation that was computed for such operands before (kasoku/array/direct.h). None if it has to go
/// through apply(). The lock stays held, and there is nothing to settle (ops.cpp).
nb::object again(Op op, std::span<const nb::handle> objects);
/// The same as again(), stored in `out`.
bool again_into(nb::handle out, Op op, std::span<const nb::handle> objects);

/// x.item(key) for a key with a number for each axis, if the element is at hand; else none (subscript.cpp).
nb::object item_by_key(const Array& x, nb::handle key);

/// ks.array(object, dtype), and what Array(...) makes (asarray.cpp).
Array new_array(nb::handle object, nb::handle dtype);
Array constructed(nb::handle shape, nb::handle dtype, nb::handle buffer, nb::handle offset, nb::handle strides, nb::handle order, nb::handle device);
/// ks.zeros(shape, dtype) and its like for another value, ks.empty(shape) and ks.arange(stop) (creation.cpp).
Array new_filled(nb::handle shape, double value, nb::handle dtype);
Array new_empty(nb::handle shape);
Array new_range(nb::handle stop);

/// What `compute` gives, matmul or dot. A small product takes less time than the lock takes to change hands (ops.cpp).
nb::object product_of_arrays(const Array& x, const Array& y, Array (*compute)(const Array&, const Array&));
/// ks.dot(x, y) (ops.cpp).
nb::object dot_product(const Array& x, const Array& y);
/// ks.nonzero(x) (selection.cpp).
nb::object nonzero_of(const Array& x);
/// ks.round(), and of what is not complex (round.cpp).
nb::object round_of(nb::handle object, int decimals, nb::handle out);
Array rounded(const Array& x, int decimals);

/// Slots of the class for Python's operators (operators.cpp).
std::vector<PyType_Slot> operator_slots();

}  // namespace kasoku
