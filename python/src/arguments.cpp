#include "arguments.h"

#include "array_object.h"
#include "convert.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "to_python.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string>

namespace kasoku {

namespace {

std::optional<int64_t> optional_int(nb::handle object) {
  if (object.is_none()) return std::nullopt;
  return integer_from(object);
}

/// An array of NumPy's, if only of no axes; its numbers are none.
bool is_array_of_numpys(nb::handle key) { return nb::isinstance(key, numpy().attr("ndarray")); }

bool is_bool_array(nb::handle key) { return nb::object(key.attr("dtype")).equal(numpy_dtype(Dtype::bool_)); }

/// With the axes in the order in which they lie in its memory, which decides how what it chooses lies.
Array indices_in_their_order(nb::handle key, Device& device) {
  if (!is_array_of_numpys(key) || nb::cast<int>(key.attr("ndim")) < 2 || nb::cast<bool>(key.attr("flags").attr("c_contiguous"))) return array_from(key, device);
  const auto shape = nb::cast<std::vector<int64_t>>(key.attr("shape")), strides = nb::cast<std::vector<int64_t>>(key.attr("strides"));
  nb::list once;  // what is repeated along an axis stays without steps there
  for (size_t d = 0; d < shape.size(); ++d) {
    once.append(nb::slice(nb::none(), strides[d] == 0 && shape[d] > 1 ? nb::object(nb::int_(1)) : nb::none(), nb::none()));
  }
  const Extents order = axes_of_memory(shape, strides);
  Extents back(order.size());
  for (size_t d = 0; d < order.size(); ++d) back[static_cast<size_t>(order[d])] = static_cast<int64_t>(d);
  const nb::object in_order = key[nb::tuple(once)].attr("transpose")(tuple_from(order));
  return broadcast_to(transpose(array_from(in_order, device), back), Shape(shape.begin(), shape.end()));
}

Index one_index(nb::handle key, Device& device) {
  Index x;
  if (key.is_none()) {
    x.kind = Index::newaxis;
  } else if (key.ptr() == Py_Ellipsis) {
    x.kind = Index::ellipsis;
  } else if (PySlice_Check(key.ptr())) {
    x.kind = Index::slice;
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key.ptr(), &start, &stop, &step) != 0) throw nb::python_error();
    x.start = start;
    x.stop = stop;
    x.step = step;
  } else if (nb::isinstance<Array>(key) || PyBool_Check(key.ptr()) || !PyIndex_Check(key.ptr()) ||
             (nb::hasattr(key, "ndim") && (is_array_of_numpys(key) || nb::cast<int>(key.attr("ndim")) > 0 || is_bool_array(key)))) {
    const auto no_index = [&] {
      return Error(
          ErrorKind::index,
          "an index is an integer, a slice, ..., None or an array of integers or bools, not a " + class_name(key));
    };
    if (PyUnicode_Check(key.ptr())) throw no_index();
    x.kind = Index::array;
    try {
      x.array_value = indices_in_their_order(key, device);
    } catch (const Error& error) {  // of texts, of objects
      if (error.kind != ErrorKind::type) throw;
      throw no_index();
    }
    // Lists that hold no number have no dtype of their own.
    if (nb::isinstance<nb::list>(key) && x.array_value->size() == 0)
      x.array_value = Array::empty(x.array_value->shape(), Dtype::int64, device);
    // What an element that was read is, and what is computed of such, is a number, as NumPy's are.
    if (nb::isinstance<Array>(key) && x.array_value->ndim() == 0 && (x.array_value->is_read_only() || x.array_value->state().stands_for_number) && is_integer(x.array_value->dtype())) {
      x.kind = Index::number;
      x.number_value = nb::cast<int64_t>(item_of(*x.array_value));
      x.array_value.reset();
    }
  } else {
    x.number_value = PyNumber_AsSsize_t(key.ptr(), PyExc_IndexError);
    if (x.number_value == -1 && PyErr_Occurred()) throw nb::python_error();
  }
  return x;
}

}  // namespace

Extents axes_of_memory(std::span<const int64_t> shape, std::span<const int64_t> strides) {
  Extents axes;  // from the innermost one
  const auto step = [&](int64_t axis) { return shape[static_cast<size_t>(axis)] == 1 ? 0 : std::abs(strides[static_cast<size_t>(axis)]); };
  for (auto axis = static_cast<int64_t>(strides.size()) - 1; axis >= 0; --axis) {
    auto place = axes.end();
    for (auto inner = axes.end(); inner != axes.begin();) {
      --inner;
      if (step(axis) == 0 || step(*inner) == 0) continue;
      if (step(axis) >= step(*inner)) break;
      place = inner;
    }
    axes.insert(place, axis);
  }
  std::ranges::reverse(axes);
  return axes;
}

std::optional<Extents> axes_from(nb::handle axis) {
  if (axis.is_none()) return std::nullopt;
  if (PyIndex_Check(axis.ptr()) && !has_length(axis)) return Extents{integer_from(axis)};  // arrays may be an index too
  if (!PySequence_Check(axis.ptr())) throw Error(ErrorKind::type, "axis is an integer or a tuple of them, got a " + class_name(axis));
  Extents axes;
  for (nb::handle one : nb::iter(axis)) axes.push_back(integer_from(one));
  return axes;
}

std::optional<int64_t> axis_from(nb::handle axis) { return optional_int(axis); }

Shape shape_from_args(const nb::args& args) {
  const bool is_row = args.size() == 1 && (!PyIndex_Check(args[0].ptr()) || has_length(args[0]));
  return is_row ? shape_from(args[0]) : shape_from(args);
}

std::vector<Index> index_from(nb::handle key, Device& device) {
  std::vector<Index> result;
  if (nb::isinstance<nb::tuple>(key)) {
    for (nb::handle one : nb::borrow<nb::tuple>(key)) result.push_back(one_index(one, device));
  } else {
    result.push_back(one_index(key, device));
  }
  return result;
}

std::vector<Array> arrays_from(nb::handle sequence) {
  std::vector<Array> result;
  Device* device = nullptr;
  for (nb::handle one : nb::iter(sequence))
    if (const Array* const array = array_of(one)) device = &array->device();
  for (nb::handle one : nb::iter(sequence)) result.push_back(array_from(one, device ? *device : default_device()));
  return result;
}

Scalar number_for(nb::handle object, Dtype dtype) {
  const Scalar number = scalar_from(object);
  if (PyLong_CheckExact(object.ptr()) || PyFloat_CheckExact(object.ptr()) || PyComplex_CheckExact(object.ptr())) must_fit(number, dtype);
  return number;
}

std::optional<Array> out_from(nb::handle out) {
  nb::object target = nb::borrow(out);
  if (nb::isinstance<nb::tuple>(out) && nb::len(out) == 1) target = out[0];
  if (target.is_none()) return std::nullopt;
  // Python's own TypeError, as of any argument that the function does not take: a face then looks at them itself.
  if (!nb::isinstance<Array>(target)) throw nb::type_error(("out is an array, not a " + class_name(target)).c_str());
  return nb::cast<Array&>(target);
}

Scalar scalar_from(nb::handle object) {
  if (const std::optional<Scalar> plain = plain_number(object)) return *plain;
  if (nb::isinstance<Array>(object)) return scalar_from(item_of(nb::cast<Array&>(object)));
  if (nb::hasattr(object, "item") && !PyFloat_CheckExact(object.ptr())) {
    const nb::object item = object.attr("item")();
    if (item.type().is(object.type()))
      static_cast<void>(dtype_from(object.attr("dtype")));  // of 80 bits: no number of Python's, which it says
    return scalar_from(item);
  }
  PyObject* p = object.ptr();
  if (PyBool_Check(p)) return Scalar::of(p == Py_True);
  if (PyLong_Check(p)) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(p, &overflow);
    if (!overflow) return Scalar::of(int64_t{value});
    const unsigned long long large = PyLong_AsUnsignedLongLong(p);
    if (PyErr_Occurred()) throw nb::python_error();
    return Scalar::of(uint64_t{large});
  }
  if (PyComplex_Check(p)) return Scalar::of(std::complex<double>(PyComplex_RealAsDouble(p), PyComplex_ImagAsDouble(p)));
  const double value = PyFloat_AsDouble(p);
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return Scalar::of(value);
}

nb::object stored(const char* name, Array result, nb::handle out) {
  const std::optional<Array> into = out_from(out);
  if (!into) {
    if (result.ndim() == 0) result.state().stands_for_number = true;
    return nb::cast(std::move(result));
  }
  if (into->shape() != result.shape())
    throw Error(ErrorKind::value, std::string(name) + ": the output has shape " + str(into->shape()) + ", the result " + str(result.shape()));
  {
    const GilReleased release;
    into->assign(result.dtype() == into->dtype() ? result : astype(result, into->dtype()));  // any dtype, NumPy says
  }
  return nb::isinstance<nb::tuple>(out) ? nb::object(out[0]) : nb::borrow(out);
}

nb::object stored(const char* name, Array result, nb::handle out, nb::handle dtype, const std::string& casting) {
  if (!out.is_none() && !dtype.is_none()) throw Error(ErrorKind::type, std::string(name) + " takes out= or dtype=, not both");
  const std::optional<Array> into = out_from(out);
  const Dtype wanted = into ? into->dtype() : optional_dtype(dtype).value_or(result.dtype());
  must_cast(name, result.dtype(), wanted, casting);
  return stored(name, wanted == result.dtype() || into ? std::move(result) : astype(result, wanted), out);
}

void must_cast(std::string_view name, Dtype from, Dtype to, const std::string& casting) {
  if (!can_cast(from, to, casting))
    throw Error(ErrorKind::type, fmt::format("{}: {} cannot be cast to {} by the rule '{}'", name, info(from).name,
                                             info(to).name, casting));
}

bool can_cast(Dtype from, Dtype to, const std::string& casting) {
  if (casting == "safe") return promote(from, to) == to;
  if (casting == "same_kind") return can_cast_same_kind(from, to);
  if (casting == "unsafe") return true;
  if (casting == "no" || casting == "equiv" || casting == "same_value") return from == to;
  throw Error(ErrorKind::value, "casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '" + casting + "')");
}

}  // namespace kasoku
