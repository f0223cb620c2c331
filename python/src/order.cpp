/// \file order.cpp
/// Sorting and order.
#include "algorithm.h"
#include "array_object.h"
#include "given.h"
#include "kasoku/array/algorithms/order.h"
#include "kasoku/array/algorithms/quantile.h"
#include "kasoku/array/algorithms/sets.h"
#include "kasoku/array/algorithms/sort.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "to_python.h"

#include <algorithm>

namespace kasoku {

namespace {

using namespace nb::literals;
using nb::handle;


/// Of two operands the second one goes where the first is, if that is an array.
std::pair<Array, Array> two_given(handle a, handle b) {
  const Array* const there = array_of(a) ? array_of(a) : array_of(b);
  Device& device = there ? there->device() : default_device();
  return {array_from(a, device), array_from(b, device)};
}

/// NumPy's ways to sort give the same here: equal elements keep their order in all of them.
void must_be_kind(handle kind, handle order) {  // their first letters say which
  if (!order.is_none()) throw Error(ErrorKind::value, "Cannot specify order when the array has no fields.");
  if (kind.is_none()) return;
  const std::string name = nb::isinstance<nb::str>(kind) ? nb::cast<std::string>(kind) : "";
  if (name.empty() || std::string_view("qhmsQHMS").find(name[0]) == std::string_view::npos)
    throw Error(ErrorKind::value, "sort kind must be one of 'quick', 'heap', or 'stable' (got " + nb::cast<std::string>(nb::repr(kind)) + ")");
}

void must_be_introselect(handle kind, handle order) {
  if (!order.is_none()) throw Error(ErrorKind::value, "Cannot specify order when the array has no fields.");
  if (!nb::isinstance<nb::str>(kind) || nb::cast<std::string>(kind) != "introselect")
    throw Error(ErrorKind::value, "partition kind must be 'introselect' (got " + nb::cast<std::string>(nb::repr(kind)) + ")");
}

Array sorted(const Array& x, handle axis, handle kind, handle order, bool is_descending) {
  must_be_kind(kind, order);
  const std::optional<int64_t> along = axis_from(axis);
  return without_lock_of(x.size(), [&] {
    if (!is_descending) return sort(x, along);
    const Array row = along ? x : ravel(x);
    const int64_t axis_of_row = along.value_or(0);
    return copy(flip(sort(row, axis_of_row), Extents{axis_of_row}));
  });
}

Array arg_sorted(const Array& x, handle axis, handle kind, handle order, bool is_descending) {
  must_be_kind(kind, order);
  const std::optional<int64_t> along = axis_from(axis);
  return without_lock_of(x.size(), [&] { return argsort(x, along, is_descending); });
}

using Partition = Array (*)(const Array&, std::span<const int64_t>, std::optional<int64_t>);

template <Partition f>
Array partitioned(const Array& x, handle kth, handle axis, handle kind, handle order) {
  must_be_introselect(kind, order);
  const std::optional<int64_t> along = axis_from(axis);
  if (PyLong_CheckExact(kth.ptr())) {
    const int64_t one = nb::cast<int64_t>(kth);
    return without_lock_of(x.size(), [&] { return f(x, {&one, 1}, along); });
  }
  const nb::object places = numpy().attr("asarray")(array_of(kth) ? to_numpy(*array_of(kth)) : nb::object(nb::borrow(kth)));
  const std::string code = nb::cast<std::string>(places.attr("dtype").attr("kind"));
  if (code != "i" && code != "u") throw Error(ErrorKind::type, "Partition index must be integer");
  std::vector<int64_t> all;
  for (nb::handle k : nb::list(places.attr("ravel")().attr("tolist")())) all.push_back(nb::cast<int64_t>(k));
  return without_lock_of(x.size(), [&] { return f(x, all, along); });
}

/// Replaces the elements of `x` by those of `f(x)`, which has their shape because there is an axis.
template <class F>
void in_place(const Array& x, handle axis, F&& f) {
  if (axis.is_none())
    throw Error(ErrorKind::type, "an array is put in order in its place along an axis, which is an integer, not None")
        .fix("y = ks.sort(x, axis=None)");
  must_be_writable(x);
  Array result = f();
  without_lock_of(x.size(), [&] { x.assign(std::move(result)); });
}

nb::object ordered_by_keys(handle keys, handle axis) {
  std::vector<Array> all;
  if (array_of(keys) || nb::isinstance(keys, numpy().attr("ndarray"))) {
    const Array rows = given_array(keys);
    if (rows.ndim() == 0) throw Error(ErrorKind::type, "need sequence of keys with len > 0 in lexsort");
    Index row;
    for (; row.number_value < rows.shape()[0]; ++row.number_value) all.push_back(get_view(rows, {row}));
  } else {
    all = arrays_from(keys);
  }
  const int64_t along = axis.is_none() ? -1 : *axis_from(axis);
  if (!all.empty() && all[0].ndim() == 0) return nb::cast(Array::zeros({}, Dtype::int64, all[0].device()));
  return nb::cast(without_lock_of(all.empty() ? 0 : all[0].size(), [&] { return lexsort(all, along); }));
}

nb::object median_of(const char* name, handle a, handle axis, handle out, bool keepdims, bool leaves_nan_out) {
  const Array x = given_array(a);
  const Over over{axes_from(axis), keepdims};
  return stored(name, without_lock_of(x.size(), [&] { return median(x, over, leaves_nan_out); }), out);
}

nb::object quantile_of(const char* name, double whole, bool leaves_nan_out, handle a, handle q, handle axis, handle out, const std::string& method, bool keepdims, handle weights,
                       handle interpolation) {
  if (!weights.is_none()) throw Error(ErrorKind::unsupported, std::string(name) + " takes no weights");
  const QuantileMethod way = quantile_method(interpolation.is_none() ? method : nb::cast<std::string>(interpolation));
  const Array x = given_array(a);
  const nb::object given = numpy().attr("asarray")(array_of(q) ? to_numpy(*array_of(q)) : nb::object(nb::borrow(q))),
                   parts = given.attr("astype")("float64");
  // A number of Python's takes the array's dtype; percentages are divided, which makes floats of integers.
  const bool is_number = PyFloat_CheckExact(q.ptr()) || PyLong_CheckExact(q.ptr());
  const Dtype of_q = dtype_from(given.attr("dtype"));
  const Dtype q_dtype = is_number                                       ? Dtype::bool_
                        : is_floating(of_q)                             ? of_q
                        : whole == 100 || way != QuantileMethod::linear ? Dtype::float64
                                                                        : Dtype::bool_;
  std::vector<double> values;
  for (nb::handle part : nb::list(parts.attr("ravel")().attr("tolist")())) values.push_back(nb::cast<double>(part) / whole);
  if (whole == 100)
    for (double value : values)
      if (!(value >= 0 && value <= 1)) throw Error(ErrorKind::value, "Percentiles must be in the range [0, 100]");
  const Over over{axes_from(axis), keepdims};
  Shape shape = shape_from(parts.attr("shape"));
  const bool is_one = shape.empty();
  // An integer from 0 to 1 is the first or the last place, between which nothing is divided.
  const bool has_element = whole == 1 && way == QuantileMethod::linear && x.size() > 0 &&
                           (is_integer(x.dtype()) || x.dtype() == Dtype::bool_) && is_integer(of_q);
  Array result;
  {
    const GilReleased release;
    std::vector<Array> all = quantiles(x, values, way, over, leaves_nan_out, q_dtype);
    if (is_one) {
      result = std::move(all[0]);
    } else if (all.empty()) {  // one says of which shape and dtype none are
      const Array one = quantiles(x, std::vector{0.0}, way, over, leaves_nan_out, q_dtype)[0];
      for (int64_t length : one.shape()) shape.push_back(length);
      result = Array::empty(shape, one.dtype(), one.device());
    } else {
      for (int64_t length : all[0].shape()) shape.push_back(length);
      result = reshape(stack(all, 0), shape);
    }
    if (has_element) result = astype(result, x.dtype());
  }
  if (const std::optional<Array> into = out_from(out); into && into->ndim() > result.ndim())
    result = broadcast_to(result, into->shape());  // as ufuncs do, by which NumPy joins the neighbours
  return stored(name, std::move(result), out);
}

nb::object unique_of(handle ar, bool return_index, bool return_inverse, bool return_counts, handle axis, bool equal_nan, bool) {
  const Array x = given_array(ar);
  const std::optional<int64_t> along = axis_from(axis);
  Unique result = without_lock_of(x.size(), [&] { return unique(x, {return_index, return_inverse, return_counts, equal_nan}, along); });
  if (!return_index && !return_inverse && !return_counts) return nb::cast(std::move(result.values));
  nb::list all;
  all.append(std::move(result.values));
  if (return_index) all.append(std::move(result.index));
  if (return_inverse) all.append(std::move(result.inverse));
  if (return_counts) all.append(std::move(result.counts));
  return nb::tuple(all);
}

nb::object intersection_of(handle ar1, handle ar2, bool assume_unique, bool return_indices) {
  const auto [a, b] = two_given(ar1, ar2);
  Intersection result = without_lock_of(a.size() + b.size(), [&, &a = a, &b = b] { return intersect1d(a, b, assume_unique, return_indices); });
  if (!return_indices) return nb::cast(std::move(result.values));
  return nb::make_tuple(std::move(result.values), std::move(result.index_a), std::move(result.index_b));
}

Array is_in(handle element, handle test_elements, bool, bool invert, handle kind) {
  const auto [a, b] = two_given(element, test_elements);
  if (!kind.is_none()) {
    const std::string name = nb::cast<std::string>(nb::str(kind));
    if (name != "sort" && name != "table") throw Error(ErrorKind::value, "Invalid kind: '" + name + "'. Please use None, 'sort' or 'table'.");
  }
  return without_lock_of(a.size() + b.size(), [&, &a = a, &b = b] { return isin(a, b, invert); });
}

Ties ties_from(handle method) {
  constexpr std::pair<const char*, Ties> all[] = {{"average", Ties::average}, {"min", Ties::min}, {"max", Ties::max}, {"dense", Ties::dense}, {"ordinal", Ties::ordinal}};
  const std::string name = nb::isinstance<nb::str>(method) ? nb::cast<std::string>(method) : nb::cast<std::string>(nb::repr(method));
  for (const auto& [known, ties] : all)
    if (name == known) return ties;
  throw Error(ErrorKind::value, "rankdata: equal elements are ranked by \"average\", \"min\", \"max\", \"dense\" or \"ordinal\", not \"" + name + "\"");
}

nb::dict algorithms_by_name() {
  nb::dict rows;
  for (const AlgorithmInfo& row : algorithm_table)
    rows[row.name.data()] = nb::make_tuple(nb::str(algorithm_axes[row.axis].data()), nb::str(algorithm_results[row.result].data()));
  return rows;
}

void bind_sorts(nb::module_& m) {
  const auto axis = "axis"_a.none() = -1;
  const auto kind = "kind"_a = nb::none(), order = "order"_a = nb::none(), stable = "stable"_a = nb::none();
  const auto descending = "descending"_a = false;
  const auto by_choice = "kind"_a = "introselect";
  bind_algorithm(m, Algorithm::sort, [](handle a, handle along, handle way, handle by, handle, bool down) { return sorted(given_array(a), along, way, by, down); }, "a"_a, axis, kind, order,
                 nb::kw_only(), stable, descending);
  bind_algorithm(m, Algorithm::argsort, [](handle a, handle along, handle way, handle by, handle, bool down) { return arg_sorted(given_array(a), along, way, by, down); }, "a"_a, axis, kind, order,
                 nb::kw_only(), stable, descending);
  bind_algorithm_method(
      m, Algorithm::sort,
      [](const Array& x, handle along, handle way, handle by, handle, bool down) {
        must_be_kind(way, by);
        if (!down && !along.is_none() && sort_few(x, *axis_from(along))) return;
        in_place(x, along, [&] { return sorted(x, along, way, by, down); });
      },
      axis, kind, order, nb::kw_only(), stable, descending);
  bind_algorithm_method(m, Algorithm::argsort, [](const Array& x, handle along, handle way, handle by, handle, bool down) { return arg_sorted(x, along, way, by, down); }, axis, kind, order,
                        nb::kw_only(), stable, descending);
  bind_algorithm(m, Algorithm::partition, [](handle a, handle kth, handle along, handle way, handle by) { return partitioned<partition>(given_array(a), kth, along, way, by); },
                 "a"_a, "kth"_a, axis, by_choice, order);
  bind_algorithm(m, Algorithm::argpartition, [](handle a, handle kth, handle along, handle way, handle by) { return partitioned<argpartition>(given_array(a), kth, along, way, by); },
                 "a"_a, "kth"_a, axis, by_choice, order);
  bind_algorithm_method(
      m, Algorithm::partition,
      [](const Array& x, handle kth, handle along, handle way, handle by) {
        in_place(x, along, [&] { return partitioned<partition>(x, kth, along, way, by); });
      },
      "kth"_a, axis, by_choice, order);
  bind_algorithm_method(m, Algorithm::argpartition, [](const Array& x, handle kth, handle along, handle way, handle by) { return partitioned<argpartition>(x, kth, along, way, by); },
                        "kth"_a, axis, by_choice, order);
  bind_algorithm(m, Algorithm::topk, [](handle a, int64_t k, int64_t along, bool largest) {
    const Array x = given_array(a);
    return without_lock_of(x.size(), [&] { return topk(x, k, along, largest); });
  }, "a"_a, "k"_a, "axis"_a = -1, "largest"_a = true);
  bind_algorithm(m, Algorithm::lexsort, &ordered_by_keys, "keys"_a, axis);
  bind_algorithm(m, Algorithm::rankdata, [](handle a, handle method, handle along) {
    const Array x = given_array(a);
    const Ties ties = ties_from(method);
    const std::optional<int64_t> of_axis = axis_from(along);
    return without_lock_of(x.size(), [&] { return rankdata(x, ties, of_axis); });
  }, "a"_a, "method"_a = "average", nb::kw_only(), "axis"_a = nb::none());
  bind_algorithm(m, Algorithm::sort_complex, [](handle a) {
    const Array x = given_array(a);
    const GilReleased release;
    return sort_complex(x);
  }, "a"_a);
}

void bind_quantiles(nb::module_& m) {
  const auto axis = "axis"_a = nb::none(), out = "out"_a = nb::none(), weights = "weights"_a = nb::none(), interpolation = "interpolation"_a = nb::none();
  const auto overwrite = "overwrite_input"_a = false, keepdims = "keepdims"_a = false;
  for (const bool leaves_nan_out : {false, true}) {
    const Algorithm row = leaves_nan_out ? Algorithm::nanmedian : Algorithm::median;
    bind_algorithm(m, row, [=](handle a, handle along, handle into, bool, bool keep) { return median_of(info(row).name.data(), a, along, into, keep, leaves_nan_out); }, "a"_a, axis,
                   out, overwrite, keepdims);
    for (const double whole : {1.0, 100.0}) {
      const Algorithm by = whole == 1 ? leaves_nan_out ? Algorithm::nanquantile : Algorithm::quantile : leaves_nan_out ? Algorithm::nanpercentile : Algorithm::percentile;
      bind_algorithm(m, by, [=](handle a, handle q, handle along, handle into, bool, const std::string& method, bool keep, handle by_weight, handle old_name) {
        return quantile_of(info(by).name.data(), whole, leaves_nan_out, a, q, along, into, method, keep, by_weight, old_name);
      }, "a"_a, "q"_a, axis, out, overwrite, "method"_a = "linear", keepdims, nb::kw_only(), weights, interpolation);
    }
  }
}

void bind_sets(nb::module_& m) {
  const auto assume_unique = "assume_unique"_a = false;
  bind_algorithm(m, Algorithm::unique, &unique_of, "ar"_a, "return_index"_a = false, "return_inverse"_a = false, "return_counts"_a = false, "axis"_a = nb::none(), nb::kw_only(),
                 "equal_nan"_a = true, "sorted"_a = true);
  bind_algorithm(m, Algorithm::union1d, [](handle ar1, handle ar2) {
    const auto [a, b] = two_given(ar1, ar2);
    return without_lock_of(a.size() + b.size(), [&a = a, &b = b] { return union1d(a, b); });
  }, "ar1"_a, "ar2"_a);
  bind_algorithm(m, Algorithm::intersect1d, &intersection_of, "ar1"_a, "ar2"_a, assume_unique, "return_indices"_a = false);
  const auto bind_difference = [&](Algorithm row, Array (*f)(const Array&, const Array&, bool)) {
    bind_algorithm(m, row, [f](handle ar1, handle ar2, bool are_unique) {
      const auto [a, b] = two_given(ar1, ar2);
      return without_lock_of(a.size() + b.size(), [=, &a = a, &b = b] { return f(a, b, are_unique); });
    }, "ar1"_a, "ar2"_a, assume_unique);
  };
  bind_difference(Algorithm::setdiff1d, &setdiff1d);
  bind_difference(Algorithm::setxor1d, &setxor1d);
  bind_algorithm(m, Algorithm::isin, &is_in, "element"_a, "test_elements"_a, assume_unique, "invert"_a = false, nb::kw_only(), "kind"_a = nb::none());
}

}  // namespace

void bind_order(nb::module_& m) {
  bind_sorts(m);
  bind_quantiles(m);
  bind_sets(m);
  m.def("_algorithms", &algorithms_by_name, "The table of algorithms: by their names, their rules for axes and for results.");
}

}  // namespace kasoku
