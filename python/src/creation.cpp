/// \file creation.cpp
/// New arrays, arrays put together, and functions that give views.
#include "arguments.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>

namespace kasoku {

namespace {

using namespace nb::literals;

/// The block of `with ks.eager():`; the call alone sets the process.
struct Eager {
  Eager(bool value, bool before) : value(value), before(before) {}
  Eager(const Eager&) = delete;
  bool value, before;
  std::vector<std::unique_ptr<EagerScope>> scopes;
};

Array filled(const Shape& shape, Scalar value, Dtype dtype, Device& device) {
  const GilReleased release;
  return full(shape, value, dtype, device);
}

/// Of Python's numbers, integers must fit; a float is cast, NumPy says.
Array filled(const Shape& shape, nb::handle value, Dtype dtype, Device& device) {
  return filled(shape, PyLong_CheckExact(value.ptr()) ? number_for(value, dtype) : scalar_from(value), dtype, device);
}

/// Where the array lies, unless another device is named.
Device& device_like(const Array& array, nb::handle device) { return device.is_none() ? array.device() : device_from(device); }

Dtype natural_dtype(const Scalar& value) {
  switch (value.kind) {
    case DtypeKind::boolean: return Dtype::bool_;
    case DtypeKind::signed_: return Dtype::int64;
    case DtypeKind::unsigned_: return Dtype::uint64;
    case DtypeKind::complex_: return Dtype::complex128;
    default: return Dtype::float64;
  }
}

/// How many numbers there are from `from` below `to`; of floats the quotient rounded up, as NumPy counts.
int64_t range_length(const Scalar& from, const Scalar& to, const Scalar& by, bool is_float) {
  if (by.as_double() == 0) {
    PyErr_SetString(PyExc_ZeroDivisionError, "arange: the step must not be 0");
    throw nb::python_error();
  }
  const Error too_many(ErrorKind::value, "arange: Maximum allowed size exceeded");
  if (!is_float) {
    const auto wide = [](const Scalar& x) { return x.kind == DtypeKind::unsigned_ ? __int128{x.u} : __int128{x.as_int()}; };
    const __int128 span = wide(to) - wide(from), step = wide(by);
    if (span == 0 || (step > 0) != (span > 0)) return 0;
    const __int128 n = (span + step - (step > 0 ? 1 : -1)) / step;
    if (n > std::numeric_limits<int64_t>::max()) throw too_many;
    return static_cast<int64_t>(n);
  }
  const double span = to.as_double() - from.as_double(), n = span / by.as_double();
  if (n != n) throw Error(ErrorKind::value, "arange: cannot compute length");
  if (n == 0 && span != 0) return !std::signbit(n);  // a step beyond the stop
  if (std::ceil(n) >= 0x1p63) throw too_many;
  return static_cast<int64_t>(std::max(0.0, std::ceil(n)));
}

Array make_range(nb::handle start, nb::handle stop, nb::handle step, nb::handle dtype, nb::handle device) {
  Scalar from = scalar_from(stop.is_none() ? nb::int_(0) : nb::borrow(start));
  const Scalar to = scalar_from(stop.is_none() ? start : stop);
  Scalar by = step.is_none() ? Scalar::of(1) : scalar_from(step);
  for (const Scalar& x : {from, to, by})
    if (x.kind == DtypeKind::complex_) throw Error(ErrorKind::type, "arange: complex numbers have no order");
  const auto any = [&](DtypeKind kind) { return from.kind == kind || to.kind == kind || by.kind == kind; };
  const int64_t n = range_length(from, to, by, any(DtypeKind::floating));
  const bool is_beyond_int64 = any(DtypeKind::unsigned_) && dtype.is_none();
  const bool is_float = any(DtypeKind::floating) || is_beyond_int64;
  const Dtype wanted = optional_dtype(dtype).value_or(is_float ? Dtype::float64 : Dtype::int64);
  if (n < 2) by = Scalar::of(0);  // no second one, and an infinite step is nothing to count with
  if (is_float && is_integer(wanted)) {  // the first two are cast and say how it goes on, in NumPy
    const int64_t first = from.as_int(), second = Scalar::of(from.as_double() + by.as_double()).as_int();
    from = Scalar::of(first);
    by = Scalar::of(second - first);
  } else if (is_float) {
    from = Scalar::of(from.as_double());
  }
  Device& where = device_from(device);
  const GilReleased release;
  if (is_integer(wanted) && n > 0) must_fit(from, wanted);
  if (is_integer(wanted) && n > 1) must_fit(from.kind == DtypeKind::unsigned_ ? Scalar::of(from.u + by.u) : Scalar::of(from.i + by.i), wanted);
  if (wanted == Dtype::bool_ && n > 2)
    throw Error(ErrorKind::type, "arange() is only supported for booleans when the result has at most length 2.");
  return arange(from, by, n, wanted, where);
}

Array spaced(double a, double b, int64_t num, bool endpoint, Device& where) {
  const int64_t steps = endpoint ? num - 1 : num;
  const double step = steps > 0 ? (b - a) / static_cast<double>(steps) : 0;
  Array x = arange(Scalar::of(a), Scalar::of(step), num, Dtype::float64, where);
  if (!endpoint || num <= 1) return x;
  x = copy(x);  // the last one exactly
  x.with_view({{1}, {8}, 8 * (num - 1)}).assign(full({1}, Scalar::of(b), Dtype::float64, where));
  return x;
}

Array make_linspace(nb::handle start, nb::handle stop, int64_t num, bool endpoint, nb::handle dtype, nb::handle device) {
  if (num < 0) throw Error(ErrorKind::value, "Number of samples, " + std::to_string(num) + ", must be non-negative.");
  const bool is_complex = PyComplex_Check(start.ptr()) || PyComplex_Check(stop.ptr());
  const Dtype wanted = optional_dtype(dtype).value_or(is_complex ? Dtype::complex128 : Dtype::float64);
  Device& where = device_from(device);
  Array x = [&] {
    if (!is_complex) {
      const double a = scalar_from(start).as_double(), b = scalar_from(stop).as_double();
      const GilReleased release;
      return spaced(a, b, num, endpoint, where);
    }
    const auto part = [&](nb::handle z, bool imaginary) {
      nb::object whole = nb::module_::import_("builtins").attr("complex")(z);
      return imaginary ? PyComplex_ImagAsDouble(whole.ptr()) : PyComplex_RealAsDouble(whole.ptr());
    };
    const Array real = spaced(part(start, false), part(stop, false), num, endpoint, where);
    const Array imaginary = spaced(part(start, true), part(stop, true), num, endpoint, where);
    return apply(Op::add, {astype(real, Dtype::complex128),
                           apply(Op::multiply, {astype(imaginary, Dtype::complex128),
                                                full({}, Scalar::of(std::complex<double>(0, 1)), Dtype::complex128, where)})});
  }();
  const GilReleased release;
  if (is_integer(wanted)) x = apply(Op::floor, {x});
  return wanted == x.dtype() ? x : astype(x, wanted);
}

Array make_eye(int64_t n, std::optional<int64_t> columns, int64_t k, nb::handle dtype, nb::handle device) {
  const int64_t m = columns.value_or(n);
  const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
  Device& where = device_from(device);
  const GilReleased release;
  const Array rows = arange(Scalar::of(k), Scalar::of(1), n, Dtype::int64, where);
  const Array cols = arange(Scalar::of(0), Scalar::of(1), m, Dtype::int64, where);
  return astype(apply(Op::equal, {expand_dims(rows, {1}), expand_dims(cols, {0})}), wanted);
}

}  // namespace

void bind_creation(nb::module_& m) {
  const auto constant = [&m](const char* name, double value, const char* doc) {
    m.def(name, [value](nb::handle shape, nb::handle dtype, nb::handle device) {
      return filled(shape_from(shape), Scalar::of(value), optional_dtype(dtype).value_or(Dtype::float64), device_from(device));
    }, "shape"_a, "dtype"_a = nb::none(), "device"_a = nb::none(), doc);
    m.def((std::string(name) + "_like").c_str(), [value](nb::handle x, nb::handle dtype, nb::handle shape, nb::handle device) {
      const Array like = array_from(x, default_device());
      return filled(shape.is_none() ? like.shape() : shape_from(shape), Scalar::of(value), optional_dtype(dtype).value_or(like.dtype()), device_like(like, device));
    }, "x"_a, "dtype"_a = nb::none(), "shape"_a = nb::none(), "device"_a = nb::none(), doc);
  };
  constant("zeros", 0, "A new array of zeros.");
  constant("ones", 1, "A new array of ones.");
  m.def("empty", [](nb::handle shape, nb::handle dtype, nb::handle device) {
    return Array::empty(shape_from(shape), optional_dtype(dtype).value_or(Dtype::float64), device_from(device));
  }, "shape"_a, "dtype"_a = nb::none(), "device"_a = nb::none(), "A new array whose values are not defined.");
  m.def("empty_like", [](nb::handle x, nb::handle dtype, nb::handle shape, nb::handle device) {
    const Array like = array_from(x, default_device());
    return Array::empty(shape.is_none() ? like.shape() : shape_from(shape), optional_dtype(dtype).value_or(like.dtype()), device_like(like, device));
  }, "x"_a, "dtype"_a = nb::none(), "shape"_a = nb::none(), "device"_a = nb::none(), "A new array whose values are not defined.");
  m.def("full", [](nb::handle shape, nb::handle value, nb::handle dtype, nb::handle device) {
    Device& where = device_from(device);
    if (has_length(value)) {
      const Array row = array_from(value, where);
      return copy(broadcast_to(astype(row, optional_dtype(dtype).value_or(row.dtype())), shape_from(shape)));
    }
    const Scalar number = scalar_from(value);
    const Dtype natural = nb::hasattr(value, "dtype") ? dtype_from(value.attr("dtype")) : natural_dtype(number);
    return filled(shape_from(shape), value, optional_dtype(dtype).value_or(natural), where);
  }, "shape"_a, "fill_value"_a.none(), "dtype"_a = nb::none(), "device"_a = nb::none(), "A new array of one value.");
  m.def("full_like", [](nb::handle x, nb::handle value, nb::handle dtype, nb::handle shape, nb::handle device) {
    const Array like = array_from(x, default_device());
    return filled(shape.is_none() ? like.shape() : shape_from(shape), value, optional_dtype(dtype).value_or(like.dtype()), device_like(like, device));
  }, "x"_a, "fill_value"_a, "dtype"_a = nb::none(), "shape"_a = nb::none(), "device"_a = nb::none(), "A new array of one value.");
  m.def("arange", &make_range, "start"_a, "stop"_a = nb::none(), "step"_a = nb::none(), "dtype"_a = nb::none(), "device"_a = nb::none(), "start, start + step, … below stop.");
  m.def("linspace", &make_linspace, "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true, "dtype"_a = nb::none(), "device"_a = nb::none(), "Evenly spaced numbers.");
  m.def("eye", &make_eye, "N"_a, "M"_a = nb::none(), "k"_a = 0, "dtype"_a = nb::none(), "device"_a = nb::none(), "Ones on a diagonal.");
  m.def("identity", [](int64_t n, nb::handle dtype, nb::handle device) { return make_eye(n, std::nullopt, 0, dtype, device); }, "n"_a, "dtype"_a = nb::none(), "device"_a = nb::none(), "The identity matrix.");

  m.def("copy", [](const Array& x) { return copy(x); }, "x"_a, no_gil(), "A new array with the same values.");
  m.def("roll", [](nb::handle x, nb::handle shift, nb::handle axis) {
    const Array array = array_from(x, default_device());
    const Shape shifts = shape_from(shift);
    std::optional<Extents> axes;
    if (!axis.is_none()) axes = shape_from(axis);
    const GilReleased release;
    return roll(array, shifts, axes);
  }, "x"_a, "shift"_a, "axis"_a = nb::none(), "Elements moved along axes; what falls out at the end comes in at the start.");
  m.def("concatenate", [](nb::handle arrays, nb::handle axis, nb::handle dtype) {
    const std::vector<Array> parts = arrays_from(arrays);
    const std::optional<Dtype> wanted = optional_dtype(dtype);
    const std::optional<int64_t> along = axis_from(axis);
    const GilReleased release;
    return concatenate(parts, along, wanted);
  }, "arrays"_a, "axis"_a.none() = 0, "dtype"_a = nb::none(), "Arrays in a row along an axis; without axes (None) ravelled.");
  m.attr("concat") = m.attr("concatenate");
  m.def("stack", [](nb::handle arrays, int64_t axis) {
    const std::vector<Array> parts = arrays_from(arrays);
    const GilReleased release;
    return stack(parts, axis);
  }, "arrays"_a, "axis"_a = 0, "Arrays in a row along a new axis.");
  constexpr std::pair<const char*, Stack> stacks[] = {{"_hstack", Stack::horizontal}, {"_vstack", Stack::vertical}, {"_dstack", Stack::deep}, {"_column_stack", Stack::columns}};
  for (const auto& [name, form] : stacks)
    m.def(name, [form = form](nb::handle arrays) {
      const std::vector<Array> parts = arrays_from(arrays);
      const GilReleased release;
      return stack_as(form, parts);
    }, "arrays"_a);
  m.def("broadcast_to", [](nb::handle x, nb::handle shape) { return broadcast_to(array_from(x, default_device()), shape_from(shape)); }, "x"_a, "shape"_a, "A read-only view stretched to a shape.");
  const auto view = [&m](const char* name, const char* word, auto f, const char* doc) {
    m.def(name, [f](nb::handle x, nb::handle axis) { return f(array_from(x, default_device()), axes_from(axis)); }, "x"_a, nb::arg(word) = nb::none(), doc);
  };
  view("transpose", "axes", [](const Array& x, const auto& axes) { return transpose(x, axes); }, "A view with the axes in another order.");
  view("squeeze", "axis", [](const Array& x, const auto& axes) { return squeeze(x, axes); }, "A view without axes of length 1.");
  view("flip", "axis", [](const Array& x, const auto& axes) { return flip(x, axes); }, "A view with axes turned over.");
  m.def("permute_dims", [](const Array& x, nb::handle axes) { return transpose(x, axes_from(axes)); }, "x"_a, "axes"_a, "A view with the axes in another order.");
  m.def("expand_dims", [](nb::handle x, nb::handle axis) { return expand_dims(array_from(x, default_device()), *axes_from(axis)); }, "x"_a, "axis"_a = 0, "A view with new axes of length 1.");
  m.def("reshape", [](nb::handle x, nb::handle shape, nb::handle order, nb::handle copies) {
    const std::string by = nb::cast<std::string>(order);
    if (by != "C" && by != "F" && by != "A") throw Error(ErrorKind::value, "order must be one of 'C', 'F', or 'A' (got '" + by + "')");
    const Array array = array_from(x, default_device());
    Shape lengths = shape_from(shape);
    if (by == "F") {  // the transpose of the transposes
      std::ranges::reverse(lengths);
      return transpose(reshape(transpose(array), lengths));
    }
    const Array result = reshape(array, lengths);
    if (copies.is_none()) return result;
    const bool is_view = array.size() > 0 && result.buffer() == array.buffer();
    if (!nb::cast<bool>(copies)) {
      if (!is_view && array.size() > 0) throw Error(ErrorKind::value, "reshape: copy=False, but the elements do not lie in a row").why("the strides are " + str(array.strides()));
      return result;
    }
    return is_view ? copy(result) : result;
  }, "x"_a, "shape"_a, "order"_a = "C", nb::kw_only(), "copy"_a = nb::none(), "The same elements in another shape: a view where they lie so. copy=True: never a view; copy=False: a view or a ValueError.");
  m.def("ravel", [](nb::handle x, nb::handle order) {
    const Array array = array_from(x, default_device());
    return ravel(nb::cast<std::string>(order) == "F" ? transpose(array) : array);
  }, "x"_a, "order"_a = "C", "The elements in a row.");
  m.def("swapaxes", [](const Array& x, int64_t a, int64_t b) { return swapaxes(x, a, b); }, "x"_a, "axis1"_a, "axis2"_a, "A view with two axes swapped.");
  m.def("moveaxis", [](const Array& x, nb::handle from, nb::handle to) { return moveaxis(x, *axes_from(from), *axes_from(to)); }, "x"_a, "source"_a, "destination"_a, "A view with axes moved.");

  m.def("eval", [](nb::args arrays) {
    for (nb::handle object : arrays) {
      const Array& x = nb::cast<Array&>(object);
      const GilReleased release;
      x.buffer();
    }
  }, "arrays"_a, "Computes the arrays if they are pending.");
  nb::class_<Eager>(m, "_Eager")
      .def("__enter__", [](Eager& self) {
        set_eager(self.before);
        self.scopes.push_back(std::make_unique<EagerScope>(self.value));
      })
      .def("__exit__", [](Eager& self, nb::args) { self.scopes.pop_back(); });
  m.def("eager", [](bool value) {
    return new Eager(value, set_eager(value));
  }, "value"_a = true, nb::rv_policy::take_ownership,
  "eager() runs every array statement at its place from now on, eager(False) no longer;\n"
  "`with eager():` does so in the block, for this thread.");
}

}  // namespace kasoku
