/// \file rearrange.cpp
/// Elements in other places, and parts of matrices.
#include "given.h"
#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <algorithm>

namespace kasoku {

namespace {

using namespace nb::literals;

nb::object repeated(nb::handle given, nb::handle repeats, nb::handle axis) {
  const Array x = given_array(given);
  const std::optional<int64_t> along = axis_from(axis);
  if (PyIndex_Check(repeats.ptr()) && !has_length(repeats)) {
    const int64_t n = shape_from(repeats)[0];
    return nb::cast(without_lock([&] { return repeat(x, n, along); }));
  }
  Array counts = array_from(repeats, x.device());
  if (is_floating(counts.dtype()) && !nb::hasattr(repeats, "dtype"))
    counts = astype(counts, Dtype::int64);  // cut off, as NumPy has Python's numbers
  return nb::cast(without_lock([&] { return repeat(x, counts, along); }));
}

/// One number, (before, after) or a pair for each axis, as numpy.pad takes them; an axis may be named in a dictionary.
template <class T, class Read>
std::vector<std::pair<T, T>> pairs_from(nb::handle object, size_t ndim, Read&& read, const char* name) {
  const auto pair_from = [&](nb::handle x) -> std::pair<T, T> {
    if (!has_length(x)) return {read(x), read(x)};
    const size_t n = nb::len(x);
    if (n == 1) return {read(nb::object(x[0])), read(nb::object(x[0]))};
    if (n != 2) throw Error(ErrorKind::value, std::string("pad: ") + name + " is a number, (before, after), or that for each axis");
    return {read(nb::object(x[0])), read(nb::object(x[1]))};
  };
  nb::object given = nb::borrow(object);
  if (nb::isinstance<Array>(object)) given = nb::object(object.attr("tolist")());
  else if (nb::hasattr(object, "tolist")) given = nb::object(object.attr("tolist")());
  if (nb::isinstance<nb::dict>(given)) {
    std::vector<std::pair<T, T>> all(ndim, std::pair<T, T>{});
    for (auto [axis, x] : nb::borrow<nb::dict>(given)) all[normal_axis(nb::cast<int64_t>(axis), static_cast<int64_t>(ndim))] = pair_from(x);
    return all;
  }
  if (!has_length(given) || nb::len(given) == 0 || !has_length(nb::object(given[0]))) return std::vector(ndim, pair_from(given));
  if (nb::len(given) == 1) return std::vector(ndim, pair_from(nb::object(given[0])));
  if (nb::len(given) != ndim) throw Error(ErrorKind::value, std::string("operands could not be broadcast together: pad has ") + name + " for " + std::to_string(nb::len(given)) + " axes of " + std::to_string(ndim));
  std::vector<std::pair<T, T>> all;
  for (nb::handle x : nb::iter(given)) all.push_back(pair_from(x));
  return all;
}

PadMode pad_mode_from(nb::handle mode) {
  static constexpr std::pair<const char*, PadMode> modes[] = {{"constant", PadMode::constant}, {"edge", PadMode::edge}, {"reflect", PadMode::reflect},
                                                              {"symmetric", PadMode::symmetric}, {"wrap", PadMode::wrap}, {"empty", PadMode::empty}};
  const std::string name = nb::isinstance<nb::str>(mode) ? nb::cast<std::string>(mode) : "a function";
  for (const auto& [known, value] : modes)
    if (name == known) return value;
  static constexpr const char* others[] = {"linear_ramp", "maximum", "mean", "median", "minimum", "a function"};
  if (std::ranges::find(others, name) != std::end(others)) throw Error(ErrorKind::unsupported, "pad: mode='" + name + "' is not there").fix("mode='constant', 'edge', 'reflect', 'symmetric', 'wrap' or 'empty'");
  throw Error(ErrorKind::value, "mode '" + name + "' is not supported");
}

Array padded(nb::handle given, nb::handle width, nb::handle mode, nb::kwargs options) {
  const Array x = given_array(given);
  const PadMode how = pad_mode_from(mode);
  const size_t ndim = x.shape().size();
  for (auto [key, value] : options) {
    const std::string name = nb::cast<std::string>(key);
    const bool is_known = (name == "constant_values" && how == PadMode::constant) || (name == "reflect_type" && (how == PadMode::reflect || how == PadMode::symmetric));
    if (!is_known) throw Error(ErrorKind::value, "unsupported keyword arguments for mode " + nb::cast<std::string>(nb::repr(mode)) + ": {'" + name + "'}");
    if (name == "reflect_type" && nb::cast<std::string>(nb::str(value)) != "even") throw Error(ErrorKind::unsupported, "pad: reflect_type='odd' is not there");
  }
  const auto widths = pairs_from<int64_t>(width, ndim, [](nb::handle n) {
    if (!PyIndex_Check(n.ptr())) throw Error(ErrorKind::type, "`pad_width` must be of integral type.");
    return shape_from(n)[0];
  }, "pad_width");
  std::vector<Border> borders(ndim);
  for (size_t d = 0; d < ndim; ++d) {
    borders[d].before = widths[d].first;
    borders[d].after = widths[d].second;
    borders[d].value_before = borders[d].value_after = Scalar::of(0);
  }
  if (options.contains("constant_values")) {
    const auto values = pairs_from<Scalar>(options["constant_values"], ndim, [](nb::handle v) { return scalar_from(v); }, "constant_values");
    for (size_t d = 0; d < ndim; ++d) std::tie(borders[d].value_before, borders[d].value_after) = values[d];
  }
  return without_lock([&] { return pad(x, borders, how); });
}

/// Where a slice, a number, a list or a mask says.
Array positions_from(nb::handle object, int64_t length, Device& device) {
  if (PySlice_Check(object.ptr())) {
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(object.ptr(), &start, &stop, &step) != 0) throw nb::python_error();
    const Py_ssize_t n = PySlice_AdjustIndices(length, &start, &stop, step);
    return arange(Scalar::of(int64_t{start}), Scalar::of(int64_t{step}), n, Dtype::int64, device);
  }
  Array at = array_from(object, device);
  if (at.size() == 0 && !nb::isinstance<Array>(object)) at = astype(at, Dtype::int64);
  if (!is_integer(at.dtype()) && at.dtype() != Dtype::bool_) throw Error(ErrorKind::index, "arrays used as indices must be of integer (or boolean) type");
  return at;
}

Array deleted(nb::handle given, nb::handle where, nb::handle axis) {
  Array x = given_array(given);
  std::optional<int64_t> along = axis_from(axis);
  if (!along) x = ravel(x), along = 0;
  const Array at = positions_from(where, x.shape()[normal_axis(*along, x.ndim())], x.device());
  return without_lock([&] { return without(x, at, *along); });
}

Array inserted(nb::handle given, nb::handle where, nb::handle values, nb::handle axis) {
  Array x = given_array(given);
  std::optional<int64_t> along = axis_from(axis);
  if (!along) x = ravel(x), along = 0;
  Array at = positions_from(where, x.shape()[normal_axis(*along, x.ndim())], x.device());
  const Array new_ones = array_for(values, x);
  return without_lock([&] {
    if (at.dtype() == Dtype::bool_ && at.ndim() == 1) at = flatnonzero(at);
    return with_inserted(x, at, at.ndim() == 0, new_ones, *along);
  });
}

Array appended(nb::handle given, nb::handle values, nb::handle axis) {
  Device& device = device_among({given, values});
  Array x = array_from(given, device), y = array_from(values, device);
  const std::optional<int64_t> along = axis_from(axis);
  return without_lock([&] {
    if (along) return concatenate(std::vector{x, y}, along);
    return concatenate(std::vector{ravel(x), ravel(y)}, 0);
  });
}

Array diag_of(nb::handle given, int64_t k) {
  const Array x = given_array(given);
  if (x.ndim() != 1 && x.ndim() != 2) throw Error(ErrorKind::value, "Input must be 1- or 2-d.");
  return without_lock([&] { return x.ndim() == 1 ? diagflat(x, k) : diagonal(x, k); });
}

nb::object trace_of(nb::handle given, int64_t offset, int64_t axis1, int64_t axis2, nb::handle dtype, nb::handle out) {
  const Array x = given_array(given);
  const std::optional<Dtype> wanted = optional_dtype(dtype);
  return stored("trace", without_lock([&] { return trace(x, offset, axis1, axis2, wanted); }), out);
}

Array triangle_mask(int64_t n, int64_t m, int64_t k, bool is_lower, Device& device) {
  return is_lower ? lower_triangle(n, m, k, device) : apply(Op::logical_not, {lower_triangle(n, m, k - 1, device)});
}

/// Numbers along each axis of a shape.
std::vector<Array> indices_of(const Shape& shape, Dtype dtype, Device& device) {
  std::vector<Array> axes;
  for (size_t d = 0; d < shape.size(); ++d) {
    Shape open(shape.size(), 1);
    open[d] = shape[d];
    axes.push_back(reshape(arange(Scalar::of(0), Scalar::of(1), shape[d], dtype, device), open));
  }
  return axes;
}

nb::object index_grid(nb::handle dimensions, nb::handle dtype, bool sparse, nb::handle device) {
  const Shape shape = shape_from(dimensions);
  const Dtype wanted = optional_dtype(dtype).value_or(Dtype::int64);
  if (wanted == Dtype::bool_ && std::ranges::any_of(shape, [](int64_t n) { return n > 2; })) throw Error(ErrorKind::type, "indices: bools count to 2");
  std::vector<Array> axes = indices_of(shape, wanted, device_from(device));
  if (sparse) return tuple_of(axes);
  return nb::cast(without_lock([&] {
    if (axes.empty()) return Array::empty({0}, wanted, device_from(device));
    for (Array& x : axes) x = broadcast_to(x, shape);
    return stack(axes, 0);
  }));
}

nb::object grid(nb::args given, bool copies, bool sparse, const std::string& indexing) {
  if (indexing != "xy" && indexing != "ij") throw Error(ErrorKind::value, "Valid values for `indexing` are 'xy' and 'ij'.");
  const std::vector<Array> rows = arrays_from(given);
  const size_t n = rows.size();
  std::vector<Array> axes;
  const auto place = [&](size_t i) { return indexing == "xy" && n > 1 && i < 2 ? 1 - i : i; };
  Shape shape(n, 1);
  for (size_t i = 0; i < n; ++i) shape[place(i)] = rows[i].size();
  for (size_t i = 0; i < n; ++i) {
    Shape open(n, 1);
    open[place(i)] = rows[i].size();
    Array x = reshape(rows[i], open);
    if (!sparse) x = broadcast_to(x, shape);
    axes.push_back(copies ? copy(x) : x);
  }
  return tuple_of(axes);
}

Array resized(nb::handle given, nb::handle new_shape) {
  const Array x = given_array(given);
  const Shape shape = shape_from(new_shape);
  return without_lock([&] {
    if (std::ranges::any_of(shape, [](int64_t n) { return n < 0; })) throw Error(ErrorKind::value, "all elements of `new_shape` must be non-negative");
    if (x.size() == 0) return full(shape, Scalar::of(0), x.dtype(), x.device());
    return copy(recycled(x, shape));
  });
}

std::vector<OutOfRange> modes_from(nb::handle mode, size_t n) {
  if (!nb::isinstance<nb::tuple>(mode)) return std::vector(n, out_of_range_from(mode));
  std::vector<OutOfRange> modes;
  for (nb::handle one : nb::iter(mode)) modes.push_back(out_of_range_from(one));
  if (modes.size() != n) throw Error(ErrorKind::value, "ravel_multi_index has " + std::to_string(modes.size()) + " modes for " + std::to_string(n) + " axes");
  return modes;
}

bool is_by_columns(nb::handle order) {
  if (order.is_none()) return false;
  const std::string name = nb::cast<std::string>(order);
  if (name != "C" && name != "F") throw Error(ErrorKind::value, "only 'C' or 'F' order is permitted");
  return name == "F";
}

}  // namespace

void bind_rearrange(nb::module_& m) {
  const auto axis = "axis"_a = nb::none();
  bind_algorithm(m, Algorithm::repeat, &repeated, "a"_a, "repeats"_a, axis);
  bind_algorithm_method(m, Algorithm::repeat, &repeated, "repeats"_a, axis);
  bind_algorithm(m, Algorithm::tile, [](nb::handle x, nb::handle times) {
    const Array array = given_array(x);
    const Shape reps = shape_from(times);
    return without_lock([&] { return tile(array, reps); });
  }, "A"_a, "reps"_a);
  bind_algorithm(m, Algorithm::pad, &padded, "array"_a, "pad_width"_a, "mode"_a = "constant", "kwargs"_a);
  bind_algorithm(m, Algorithm::resize, &resized, "a"_a, "new_shape"_a);
  m.def("delete", &deleted, "arr"_a, "obj"_a, axis, R"(A copy without the elements, rows … that a number, a slice, a list or a mask names.

Without axis= arr is ravelled. Returns an array of its dtype. A position outside is an IndexError.

>>> ks.delete([1, 2, 3, 4], [0, 2])
array([2, 4]))");
  bind_algorithm(m, Algorithm::insert, &inserted, "arr"_a, "obj"_a, "values"_a, axis);
  bind_algorithm(m, Algorithm::append, &appended, "arr"_a, "values"_a, axis);
  bind_algorithm(m, Algorithm::rot90, [](nb::handle x, int64_t k, nb::handle axes) {
    const Array array = given_array(x);
    const Shape plane = shape_from(axes);
    if (plane.size() != 2) throw Error(ErrorKind::value, "len(axes) must be 2.");
    return without_lock([&] { return rot90(array, k, plane[0], plane[1]); });
  }, "m"_a, "k"_a = 1, "axes"_a = nb::make_tuple(0, 1));
  bind_algorithm(m, Algorithm::fliplr, [](nb::handle x) {
    const Array array = given_array(x);
    if (array.ndim() < 2) throw Error(ErrorKind::value, "Input must be >= 2-d.");
    return flip(array, Extents{1});
  }, "m"_a);
  bind_algorithm(m, Algorithm::flipud, [](nb::handle x) {
    const Array array = given_array(x);
    if (array.ndim() < 1) throw Error(ErrorKind::value, "Input must be >= 1-d.");
    return flip(array, Extents{0});
  }, "m"_a);

  bind_algorithm(m, Algorithm::diag, &diag_of, "v"_a, "k"_a = 0);
  bind_algorithm(m, Algorithm::diagflat, [](nb::handle x, int64_t k) {
    const Array array = given_array(x);
    return without_lock([&] { return diagflat(array, k); });
  }, "v"_a, "k"_a = 0);
  const auto diagonal_of = [](nb::handle x, int64_t offset, int64_t a, int64_t b) { return diagonal(given_array(x), offset, a, b); };
  bind_algorithm(m, Algorithm::diagonal, diagonal_of, "a"_a, "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1);
  bind_algorithm_method(m, Algorithm::diagonal, diagonal_of, "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1);
  const auto none = nb::none();
  bind_algorithm(m, Algorithm::trace, &trace_of, "a"_a, "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, "dtype"_a = none, "out"_a = none);
  bind_algorithm_method(m, Algorithm::trace, &trace_of, "offset"_a = 0, "axis1"_a = 0, "axis2"_a = 1, "dtype"_a = none, "out"_a = none);
  bind_algorithm(m, Algorithm::fill_diagonal, [](nb::handle x, nb::handle value, bool wrap) {
    if (!nb::isinstance<Array>(x)) throw Error(ErrorKind::type, "fill_diagonal changes an array of kasoku, not a " + class_name(x));
    const Array& array = nb::cast<Array&>(x);
    const Array given = array_for(value, array);
    without_lock([&] { fill_diagonal(array, given, wrap); });
  }, "a"_a, "val"_a, "wrap"_a = false);
  bind_algorithm(m, Algorithm::tri, [](int64_t n, nb::handle columns, int64_t k, nb::handle dtype, nb::handle device) {
    const int64_t width = axis_from(columns).value_or(n);
    const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
    Device& where = device_from(device);
    return without_lock([&] { return astype(lower_triangle(std::max<int64_t>(n, 0), std::max<int64_t>(width, 0), k, where), wanted); });
  }, "N"_a, "M"_a = none, "k"_a = 0, "dtype"_a = none, "device"_a = none);
  bind_algorithm(m, Algorithm::tril, [](nb::handle x, int64_t k) {
    const Array array = given_array(x);
    return without_lock([&] { return tril(array, k); });
  }, "m"_a, "k"_a = 0);
  bind_algorithm(m, Algorithm::triu, [](nb::handle x, int64_t k) {
    const Array array = given_array(x);
    return without_lock([&] { return triu(array, k); });
  }, "m"_a, "k"_a = 0);
  for (const bool is_lower : {true, false}) {
    const std::string name = is_lower ? "tril_indices" : "triu_indices";
    const char* const doc = is_lower ? R"(The indices of the elements on and below a diagonal of a matrix of n rows and m columns.

k= counts diagonals up from the main one; m is n unless given. device= is a Device or its name.
Returns a pair of rows of int64, which index such a matrix.

>>> ks.tril_indices(2)
(array([0, 1, 1]), array([0, 0, 1])))" : R"(The indices of the elements on and above a diagonal of a matrix of n rows and m columns.

k= counts diagonals up from the main one; m is n unless given. device= is a Device or its name.
Returns a pair of rows of int64, which index such a matrix.

>>> ks.triu_indices(2)
(array([0, 0, 1]), array([0, 1, 1])))";
    const char* const doc_of_from = is_lower ? R"(The indices of the elements on and below a diagonal of a matrix.

k= counts diagonals up from the main one. An array that has not two axes is a ValueError.
Returns a pair of rows of int64, which index such a matrix.

>>> ks.tril_indices_from(ks.zeros((2, 2)))
(array([0, 1, 1]), array([0, 0, 1])))" : R"(The indices of the elements on and above a diagonal of a matrix.

k= counts diagonals up from the main one. An array that has not two axes is a ValueError.
Returns a pair of rows of int64, which index such a matrix.

>>> ks.triu_indices_from(ks.zeros((2, 2)))
(array([0, 0, 1]), array([0, 1, 1])))";
    m.def(name.c_str(), [is_lower](int64_t n, int64_t k, nb::handle columns, nb::handle device) {
      const int64_t width = axis_from(columns).value_or(n);
      Device& where = device_from(device);
      return tuple_of(without_lock([&] { return nonzero(triangle_mask(n, width, k, is_lower, where)); }));
    }, "n"_a, "k"_a = 0, "m"_a = none, "device"_a = none, doc);
    m.def((name + "_from").c_str(), [is_lower](nb::handle x, int64_t k) {
      const Array array = given_array(x);
      if (array.ndim() != 2) throw Error(ErrorKind::value, "input array must be 2-d");
      return tuple_of(without_lock([&] { return nonzero(triangle_mask(array.shape()[0], array.shape()[1], k, is_lower, array.device())); }));
    }, "arr"_a, "k"_a = 0, doc_of_from);
  }
  bind_algorithm(m, Algorithm::diag_indices, [](int64_t n, int64_t ndim, nb::handle device) {
    const Array at = arange(Scalar::of(0), Scalar::of(1), std::max<int64_t>(n, 0), Dtype::int64, device_from(device));
    return tuple_of(std::vector<Array>(static_cast<size_t>(std::max<int64_t>(ndim, 0)), at));
  }, "n"_a, "ndim"_a = 2, "device"_a = none);
  bind_algorithm(m, Algorithm::diag_indices_from, [](nb::handle x) {
    const Array array = given_array(x);
    if (array.ndim() < 2) throw Error(ErrorKind::value, "input array must be at least 2-d");
    if (std::ranges::any_of(array.shape(), [&](int64_t n) { return n != array.shape()[0]; })) throw Error(ErrorKind::value, "All dimensions of input must be of equal length");
    return tuple_of(std::vector<Array>(array.shape().size(), arange(Scalar::of(0), Scalar::of(1), array.shape()[0], Dtype::int64, array.device())));
  }, "arr"_a);
  bind_algorithm(m, Algorithm::indices, &index_grid, "dimensions"_a, "dtype"_a = none, "sparse"_a = false, "device"_a = none);
  bind_algorithm(m, Algorithm::meshgrid, &grid, "xi"_a, "copy"_a = true, "sparse"_a = false, "indexing"_a = "xy");
  bind_algorithm(m, Algorithm::unravel_index, [](nb::handle indices, nb::handle shape, nb::handle order) {
    const Array at = given_array(indices);
    Shape lengths = shape_from(shape);
    const bool by_columns = is_by_columns(order);
    if (by_columns) std::ranges::reverse(lengths);
    std::vector<Array> axes = without_lock([&] { return unravel_index(at, lengths); });
    if (by_columns) std::ranges::reverse(axes);
    return tuple_of(axes);
  }, "indices"_a, "shape"_a, "order"_a = "C");
  bind_algorithm(
      m, Algorithm::ravel_multi_index,
      [](nb::handle indices, nb::handle shape, nb::handle mode, nb::handle order) {
        std::vector<Array> at;
        Device& device = device_among({indices});
        for (nb::handle x : nb::iter(indices)) at.push_back(array_from(x, device));
        Shape lengths = shape_from(shape);
        std::vector<OutOfRange> modes = modes_from(mode, lengths.size());
        if (is_by_columns(order)) {
          std::ranges::reverse(at);
          std::ranges::reverse(lengths);
          std::ranges::reverse(modes);
        }
        return without_lock([&] { return ravel_multi_index(at, lengths, modes); });
      },
      "multi_index"_a, "dims"_a, "mode"_a = "raise", "order"_a.none() = "C");
}

}  // namespace kasoku
