/// \file creation.cpp
/// New arrays: of one value, of ranges, with ones on a diagonal.
#include "kasoku/array/creation.h"
#include "arguments.h"
#include "given.h"
#include "kasoku/array/basic_index.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "memory_order.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace kasoku {

namespace {

using namespace nb::literals;

Array filled(const Shape& shape, Scalar value, Dtype dtype, Device& device) {
  const GilUntilBlocked keep;
  return full(shape, value, dtype, device);
}

/// Of Python's numbers, integers must fit; a float is cast, NumPy says.
Array filled(const Shape& shape, nb::handle value, Dtype dtype, Device& device) {
  if (!PyLong_CheckExact(value.ptr())) return filled(shape, scalar_from(value), dtype, device);
  const bool is_fraction = info(dtype).kind == DtypeKind::floating || info(dtype).kind == DtypeKind::complex_;
  return filled(shape, is_fraction ? scalar_from(nb::float_(value)) : number_for(value, dtype), dtype, device);
}

/// What make(lengths, dtype, device) gives in the shape of an array, or in another one.
template <class F>
Array made_like(nb::handle x, nb::handle shape, nb::handle order, nb::handle dtype, nb::handle device, F make) {
  const Array like = array_from(x, default_device());
  const Dtype wanted = optional_dtype(dtype).value_or(like.dtype());
  Device& where = device.is_none() ? like.device() : device_from(device);
  return made_in_order(shape.is_none() ? like.shape() : shape_from(shape), order, &like,
                       [&](const Shape& lengths) { return make(lengths, wanted, where); });
}

/// The new array with the elements of a row that is stretched.
Array stretched_into(const Array& made, nb::handle row) {
  const Array values = array_from(row, made.device());
  return without_lock([&] {
    made.assign(broadcast_to(astype(values, made.dtype()), made.shape()));
    return made;
  });
}

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
  if (is_integer(wanted) && n > 0) must_fit(from, wanted);
  if (is_integer(wanted) && n > 1) must_fit(from.kind == DtypeKind::unsigned_ ? Scalar::of(from.u + by.u) : Scalar::of(from.i + by.i), wanted);
  if (wanted == Dtype::bool_ && n > 2)
    throw Error(ErrorKind::type, "arange() is only supported for booleans when the result has at most length 2.");
  return without_lock_of(n, [&] { return arange(from, by, n, wanted, where); });
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
      return without_lock_of(num, [&] { return spaced(a, b, num, endpoint, where); });
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
  return without_lock_of(num, [&] { return as_dtype(is_integer(wanted) ? apply(Op::floor, {x}) : x, wanted); });
}

Array make_eye(int64_t n, std::optional<int64_t> columns, int64_t k, nb::handle dtype, nb::handle device) {
  const int64_t m = columns.value_or(n);
  const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
  Device& where = device_from(device);
  const bool are_few = 0 < n && n <= few_elements && 0 < m && m <= few_elements && -n <= k && k <= m;
  if (std::optional<Array> few = are_few ? count_directly({n, m}, Scalar::of(0), Scalar::of(0), wanted, where) : std::nullopt) {
    set_few(diagonal_view(*few, k), std::span<const BasicIndex>(), Scalar::of(1));
    return *std::move(few);
  }
  const GilReleased release;
  const Array rows = arange(Scalar::of(k), Scalar::of(1), n, Dtype::int64, where);
  const Array cols = arange(Scalar::of(0), Scalar::of(1), m, Dtype::int64, where);
  return astype(apply(Op::equal, {expand_dims(rows, {1}), expand_dims(cols, {0})}), wanted);
}

}  // namespace

Array new_filled(nb::handle shape, double value, nb::handle dtype) {
  const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
  return filled(shape_from(shape), Scalar::of(value), wanted, default_device());
}

Array new_empty(nb::handle shape) { return Array::empty(shape_from(shape), Dtype::float64, default_device()); }

Array new_range(nb::handle stop) { return make_range(stop, nb::none(), nb::none(), nb::none(), nb::none()); }

void bind_creation(nb::module_& m) {
  const auto order = "order"_a.none() = "C";
  const auto constant = [&](const char* name, double value, const char* doc, const char* doc_of_like) {
    m.def(
        name,
        [value](nb::handle shape, nb::handle dtype, nb::handle device, nb::handle order) {
          const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
          Device& where = device_from(device);
          return made_in_order(shape_from(shape), order, nullptr,
                               [&](const Shape& lengths) { return filled(lengths, Scalar::of(value), wanted, where); });
        },
        "shape"_a, "dtype"_a = nb::none(), "device"_a = nb::none(), nb::kw_only(), order, doc);
    m.def((std::string(name) + "_like").c_str(),
          [value](nb::handle x, nb::handle dtype, nb::handle shape, nb::handle device, nb::handle order) {
            return made_like(x, shape, order, dtype, device, [&](const Shape& lengths, Dtype wanted, Device& where) {
              return filled(lengths, Scalar::of(value), wanted, where);
            });
          },
          "x"_a, "dtype"_a = nb::none(), "shape"_a = nb::none(), "device"_a = nb::none(), nb::kw_only(), order,
          doc_of_like);
  };
  constant("zeros", 0, R"(A new array of zeros.

shape is a length or a tuple of them; a negative one is a ValueError. device= is a Device or its
name, the default one unless given. order="F" has the elements lie by columns.
Returns an Array of float64, or of dtype=.

>>> ks.zeros((2, 3))
array([[0., 0., 0.],
       [0., 0., 0.]]))",
           R"(A new array of zeros.

Its shape, dtype and device are those of x, unless shape=, dtype= or device= is given. order= says how its
elements lie: by rows ("C") or columns ("F"), or as those of x do ("A", "K").
Returns an Array.

>>> ks.zeros_like([1, 2])
array([0, 0]))");
  constant("ones", 1, R"(A new array of ones.

shape is a length or a tuple of them; a negative one is a ValueError. device= is a Device or its
name, the default one unless given. order="F" has the elements lie by columns.
Returns an Array of float64, or of dtype=.

>>> ks.ones(3, dtype="int32")
array([1, 1, 1], dtype=int32))",
           R"(A new array of ones.

Its shape, dtype and device are those of x, unless shape=, dtype= or device= is given. order= says how its
elements lie: by rows ("C") or columns ("F"), or as those of x do ("A", "K").
Returns an Array.

>>> ks.ones_like([[1.5, 2.5]])
array([[1., 1.]]))");
  m.def(
      "empty",
      [](nb::handle shape, nb::handle dtype, nb::handle device, nb::handle order) {
        const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
        Device& where = device_from(device);
        return made_in_order(shape_from(shape), order, nullptr,
                             [&](const Shape& lengths) { return Array::empty(lengths, wanted, where); });
      },
      "shape"_a, "dtype"_a = nb::none(), "device"_a = nb::none(), nb::kw_only(), order,
      R"(A new array whose values are not defined.

shape is a length or a tuple of them; a negative one is a ValueError. device= is a Device or its
name, the default one unless given. order="F" has the elements lie by columns.
Returns an Array of float64, or of dtype=.

>>> ks.empty((2, 3)).shape
(2, 3))");
  m.def(
      "empty_like",
      [](nb::handle x, nb::handle dtype, nb::handle shape, nb::handle device, nb::handle order) {
        return made_like(x, shape, order, dtype, device, [](const Shape& lengths, Dtype wanted, Device& where) {
          return Array::empty(lengths, wanted, where);
        });
      },
      "x"_a, "dtype"_a = nb::none(), "shape"_a = nb::none(), "device"_a = nb::none(), nb::kw_only(), order,
      R"(A new array whose values are not defined.

Its shape, dtype and device are those of x, unless shape=, dtype= or device= is given. order= says how its
elements lie: by rows ("C") or columns ("F"), or as those of x do ("A", "K").
Returns an Array.

>>> ks.empty_like([1, 2]).dtype
dtype('int64'))");
  m.def(
      "full",
      [](nb::handle shape, nb::handle value, nb::handle dtype, nb::handle device, nb::handle order) {
        Device& where = device_from(device);
        const bool is_row = has_length(value);
        const std::optional<Dtype> asked = optional_dtype(dtype);  // first: objects are refused, whatever the value
        const Dtype wanted = asked                         ? *asked
                             : is_row                        ? array_from(value, where).dtype()
                              : nb::hasattr(value, "dtype") ? dtype_from(value.attr("dtype"))
                                                            : natural_dtype(scalar_from(value));
        const Array made = made_in_order(shape_from(shape), order, nullptr, [&](const Shape& lengths) {
          return is_row ? Array::empty(lengths, wanted, where) : filled(lengths, value, wanted, where);
        });
        return is_row ? stretched_into(made, value) : made;
      },
      "shape"_a, "fill_value"_a.none(), "dtype"_a = nb::none(), "device"_a = nb::none(), nb::kw_only(), order,
      R"(A new array of one value, or of a row that is stretched.

shape is a length or a tuple of them; a negative one is a ValueError. device= is a Device or its
name, the default one unless given. order="F" has the elements lie by columns.
fill_value is a number, or an array that broadcasts to the shape. Returns an Array of its dtype, or of dtype=.

>>> ks.full((2, 2), 7)
array([[7, 7],
       [7, 7]]))");
  m.def(
      "full_like",
      [](nb::handle x, nb::handle value, nb::handle dtype, nb::handle shape, nb::handle device, nb::handle order) {
        const bool is_row = has_length(value);
        const Array made =
            made_like(x, shape, order, dtype, device, [&](const Shape& lengths, Dtype wanted, Device& where) {
              return is_row ? Array::empty(lengths, wanted, where) : filled(lengths, value, wanted, where);
            });
        return is_row ? stretched_into(made, value) : made;
      },
      "x"_a, "fill_value"_a, "dtype"_a = nb::none(), "shape"_a = nb::none(), "device"_a = nb::none(), nb::kw_only(),
      order, R"(A new array of one value.

Its shape, dtype and device are those of x, unless shape=, dtype= or device= is given. order= says how its
elements lie: by rows ("C") or columns ("F"), or as those of x do ("A", "K").
fill_value is a number that the dtype can hold, else it is an OverflowError, or an array that broadcasts to the shape.
Returns an Array.

>>> ks.full_like([1, 2, 3], 7)
array([7, 7, 7]))");
  m.def("arange", &make_range, "start"_a, "stop"_a = nb::none(), "step"_a = nb::none(), "dtype"_a = nb::none(), "device"_a = nb::none(), R"(The numbers start, start + step, … below stop; with one number from 0 up to it.

Returns a row of int64 if all numbers are ints, else of float64, or of dtype=.
With floats the length is ceil((stop - start) / step), so the last number may come close to stop.
A step of 0 is a ZeroDivisionError. device= is a Device or its name, the default one unless given.

>>> ks.arange(1, 2, 0.25)
array([1.  , 1.25, 1.5 , 1.75]))");
  m.def("linspace", &make_linspace, "start"_a, "stop"_a, "num"_a = 50, "endpoint"_a = true, "dtype"_a = nb::none(), "device"_a = nb::none(), R"(The num evenly spaced numbers from start to stop.

endpoint=False leaves stop out, and the spacing is (stop - start) / num then.
Returns a row of float64, or of dtype=. A negative num is a ValueError.
device= is a Device or its name, the default one unless given.

>>> ks.linspace(0, 1, 5)
array([0.  , 0.25, 0.5 , 0.75, 1.  ]))");
  m.def(
      "eye",
      [](int64_t n, std::optional<int64_t> columns, int64_t k, nb::handle dtype, nb::handle device, nb::handle order) {
        const bool by_columns = !is_rows(order) && memory_order_from(order, "CF") == 'F';
        return by_columns ? transpose(make_eye(columns.value_or(n), n, -k, dtype, device))
                          : make_eye(n, columns, k, dtype, device);
      },
      "N"_a, "M"_a = nb::none(), "k"_a = 0, "dtype"_a = nb::none(), "device"_a = nb::none(), nb::kw_only(), order,
      R"(A matrix of N rows and M columns (N unless given) with ones on a diagonal.

k= counts diagonals up from the main one.
Returns a matrix of float64, or of dtype=. device= is a Device or its name. order="F" has the elements lie by columns.

>>> ks.eye(2, 3, k=1)
array([[0., 1., 0.],
       [0., 0., 1.]]))");
  m.def("identity", [](int64_t n, nb::handle dtype, nb::handle device) { return make_eye(n, std::nullopt, 0, dtype, device); }, "n"_a, "dtype"_a = nb::none(), "device"_a = nb::none(), R"(The identity matrix of n rows.

Returns a matrix of float64, or of dtype=. device= is a Device or its name.

>>> ks.identity(2)
array([[1., 0.],
       [0., 1.]]))");
}

}  // namespace kasoku
