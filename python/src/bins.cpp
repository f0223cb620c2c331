/// \file bins.cpp
/// Places among what is sorted, counts and histograms.
#include "kasoku/array/algorithms/bins.h"

#include "given.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

namespace kasoku {

namespace {

using namespace nb::literals;

bool is_right_side(nb::handle side) {
  const std::string name = nb::isinstance<nb::str>(side) ? nb::cast<std::string>(side) : "";
  if (name != "left" && name != "right") throw Error(ErrorKind::value, "search side must be 'left' or 'right' (got '" + nb::cast<std::string>(nb::str(side)) + "')");
  return name == "right";
}

Array searched(nb::handle sorted, nb::handle values, nb::handle side, nb::handle sorter) {
  Device& device = device_among({sorted, values});
  Array among = array_from(sorted, device);
  std::optional<Operand> operand = operand_from(values, device);
  if (!operand) throw Error(ErrorKind::type, "searchsorted looks for numbers and arrays");
  const bool is_right = is_right_side(side);
  const std::optional<Array> order = optional_array(sorter, device);
  return without_lock([&] {
    if (order) {
      if (!is_integer(order->dtype())) throw Error(ErrorKind::type, "sorter must only contain integers");
      if (order->size() != among.size()) throw Error(ErrorKind::value, "sorter.size must equal a.size");
      among = take(among, *order, 0);
    }
    return searchsorted(among, operand->array ? *operand->array : full({}, operand->scalar, operand->dtype(), device), is_right);
  });
}

using Range = std::optional<std::pair<double, double>>;

Range range_from(nb::handle range) {
  if (range.is_none()) return std::nullopt;
  if (!has_length(range) || nb::len(range) != 2) throw Error(ErrorKind::value, "range is (low, high)");
  return std::pair(scalar_from(nb::object(range[0])).as_double(), scalar_from(nb::object(range[1])).as_double());
}

/// How many bins, if that is said by a number, or by the name of a rule for values that all count alike.
std::optional<int64_t> number_of_bins(nb::handle bins, const Array& values, const Range& range, bool has_weights = false) {
  if (nb::isinstance<nb::str>(bins)) {
    if (has_weights) throw Error(ErrorKind::type, "Automated estimation of the number of bins is not supported for weighted data");
    const auto rule = nb::cast<std::string>(bins);
    return without_lock([&] { return bins_by_rule(rule, values, range); });
  }
  if (has_length(bins)) return std::nullopt;
  if (nb::isinstance<Array>(bins)) return nb::cast<Array&>(bins).ndim() == 0 ? std::optional(scalar_from(bins).as_int()) : std::nullopt;
  if (!PyIndex_Check(bins.ptr())) throw Error(ErrorKind::type, "`bins` must be an integer, a string, or an array");
  return shape_from(bins)[0];
}

Array numbers_from(nb::handle object, Device& device) {
  const Array x = array_from(object, device);
  return x.dtype() == Dtype::bool_ ? astype(x, Dtype::uint8) : x;
}

/// Values whose dtype is at least that of a range of NumPy's numbers: edges have it, and values are held against them.
Array numbers_from(nb::handle object, Device& device, nb::handle range) {
  Array x = numbers_from(object, device);
  if (range.is_none() || !is_floating(x.dtype())) return x;
  for (nb::handle end : nb::iter(range))
    if (nb::hasattr(end, "dtype")) x = astype(x, promote(x.dtype(), dtype_from(end.attr("dtype"))));
  return x;
}

nb::object histogram_of(nb::handle given, nb::handle bins, nb::handle range, nb::handle density, nb::handle weights) {
  Device& device = device_among({given, bins, weights});
  const Array x = numbers_from(given, device, range);
  const std::optional<Array> w = optional_array(weights, device);
  const Range ends = range_from(range);
  const std::optional<int64_t> n = number_of_bins(bins, x, ends, w.has_value());
  std::optional<Array> edges;
  if (!n) edges = array_from(bins, device);
  const bool is_density = !density.is_none() && nb::cast<bool>(nb::bool_(density));
  Histogram result = without_lock([&] {
    Histogram h = n ? histogram(x, *n, ends, w) : histogram(x, *edges, w);
    if (is_density) h.counts = as_density(h);
    return h;
  });
  return nb::make_tuple(nb::cast(result.counts), nb::cast(result.edges[0]));
}

/// One entry for each of so many axes: of a sequence its entries, else the object itself.
std::vector<nb::object> for_each_axis(nb::handle object, size_t n, bool is_list) {
  std::vector<nb::object> all;
  if (is_list) {
    for (nb::handle x : nb::iter(object)) all.push_back(nb::borrow(x));
    if (all.size() != n) throw Error(ErrorKind::value, "The dimension of bins must be equal to the dimension of the sample x.");
  } else {
    all.assign(n, nb::borrow(object));
  }
  return all;
}

Histogram histogram_of_points(std::vector<Array> axes, nb::handle bins, nb::handle range, nb::handle density,
                              const std::optional<Array>& w) {
  const std::vector<nb::object> of_axes = for_each_axis(bins, axes.size(), has_length(bins));
  const std::vector<nb::object> ranges = for_each_axis(range, axes.size(), !range.is_none());
  if (!axes.empty()) {  // the sample is one array in NumPy
    Dtype dtype = axes[0].dtype();
    for (const Array& x : axes) dtype = promote(dtype, x.dtype());
    for (Array& x : axes) x = as_dtype(x, dtype);
  }
  std::vector<Array> edges;
  for (size_t d = 0; d < axes.size(); ++d) {
    const Range ends = range_from(ranges[d]);
    if (nb::isinstance<nb::str>(of_axes[d])) throw Error(ErrorKind::type, "`bins[" + std::to_string(d) + "]` must be an integer, when a scalar");
    const auto n = number_of_bins(of_axes[d], axes[d], ends);
    const Array given = n ? Array() : array_from(of_axes[d], axes[d].device());
    // Between ends that a program gave they are float64, and where there is no sample; between the sample's own of its
    // dtype.
    edges.push_back(without_lock([&] {
      return n ? even_edges(ends || !axes[d].size() ? astype(axes[d], Dtype::float64) : axes[d], *n, ends) : given;
    }));
  }
  const bool is_density = !density.is_none() && nb::cast<bool>(nb::bool_(density));
  return without_lock([&] {
    Histogram h = histogramdd(axes, edges, w);
    if (is_density) h.counts = as_density(h);
    return h;
  });
}

Array interpolated(nb::handle given, nb::handle xs, nb::handle ys, nb::handle left, nb::handle right, nb::handle period) {
  Device& device = device_among({given, xs, ys});
  const Array x = array_from(given, device), xp = array_from(xs, device), fp = array_from(ys, device);
  const std::optional<double> repeats = period.is_none() ? std::nullopt : std::optional(nb::cast<double>(nb::float_(period)));
  const std::optional<Array> low = optional_array(left, device), high = optional_array(right, device);
  return without_lock([&] { return interp(x, xp, fp, low, high, repeats); });
}

}  // namespace

void bind_bins(nb::module_& m) {
  const auto none = nb::none();
  bind_algorithm(m, Algorithm::searchsorted, &searched, "a"_a, "v"_a, "side"_a = "left", "sorter"_a = none);
  bind_algorithm_method(m, Algorithm::searchsorted, &searched, "v"_a, "side"_a = "left", "sorter"_a = none);
  bind_algorithm(m, Algorithm::digitize, [](nb::handle x, nb::handle bins, bool right) {
    Device& device = device_among({x, bins});
    const Array values = array_from(x, device), edges = array_from(bins, device);
    return without_lock([&] { return digitize(values, edges, right); });
  }, "x"_a, "bins"_a, "right"_a = false);
  bind_algorithm(m, Algorithm::bincount, [](nb::handle x, nb::handle weights, nb::handle minlength) {
    Device& device = device_among({x, weights});
    Array numbers = array_from(x, device);
    if (numbers.size() == 0 && !nb::isinstance<Array>(x)) numbers = astype(numbers, Dtype::int64);
    const std::optional<Array> w = optional_array(weights, device);
    const int64_t least = axis_from(minlength).value_or(0);
    return without_lock([&] { return bincount(numbers, w, least); });
  }, "x"_a, "weights"_a = none, "minlength"_a = 0);
  bind_algorithm(m, Algorithm::histogram, &histogram_of, "a"_a, "bins"_a = 10, "range"_a = none, "density"_a = none, "weights"_a = none);
  bind_algorithm(m, Algorithm::histogram_bin_edges, [](nb::handle x, nb::handle bins, nb::handle range, nb::handle weights) {
    Device& device = device_among({x, bins});
    const Array values = numbers_from(x, device, range);
    const Range ends = range_from(range);
    const auto n = number_of_bins(bins, values, ends, !weights.is_none());
    if (!n) return array_from(bins, device);
    return without_lock([&] { return even_edges(values, *n, ends); });
  }, "a"_a, "bins"_a = 10, "range"_a = none, "weights"_a = none);
  bind_algorithm(m, Algorithm::histogram2d, [](nb::handle x, nb::handle y, nb::handle bins, nb::handle range, nb::handle density, nb::handle weights) {
    Device& device = device_among({x, y, bins, weights});
    const std::vector<Array> axes{numbers_from(x, device), numbers_from(y, device)};
    if (axes[0].size() != axes[1].size()) throw Error(ErrorKind::value, "x and y must have the same length.");
    nb::object edges = nb::borrow(bins);
    if (has_length(bins) && nb::len(bins) != 2) edges = nb::make_tuple(bins, bins);
    const Histogram h = histogram_of_points(axes, edges, range, density, optional_array(weights, device));
    return nb::make_tuple(nb::cast(h.counts), nb::cast(h.edges[0]), nb::cast(h.edges[1]));
  }, "x"_a, "y"_a, "bins"_a = 10, "range"_a = none, "density"_a = none, "weights"_a = none);
  bind_algorithm(m, Algorithm::histogramdd, [](nb::handle sample, nb::handle bins, nb::handle range, nb::handle density, nb::handle weights) {
    Device& device = device_among({sample, bins, weights});
    std::vector<Array> axes;
    if (nb::isinstance<nb::list>(sample) || nb::isinstance<nb::tuple>(sample)) {
      for (nb::handle x : nb::iter(sample)) axes.push_back(numbers_from(x, device));
    } else {
      const Array points = numbers_from(sample, device);
      if (points.ndim() == 1) axes.push_back(points);
      else if (points.ndim() == 2)
        for (int64_t d = 0; d < points.shape()[1]; ++d) axes.push_back(copy(squeeze(sliced(points, 1, d, d + 1), Extents{1})));
      else throw Error(ErrorKind::value, "histogramdd takes points as rows, not an array of shape " + str(points.shape()));
    }
    const Histogram h = histogram_of_points(axes, bins, range, density, optional_array(weights, device));
    nb::list edges;
    for (const Array& x : h.edges) edges.append(nb::cast(x));
    return nb::make_tuple(nb::cast(h.counts), edges);
  }, "sample"_a, "bins"_a = 10, "range"_a = none, "density"_a = none, "weights"_a = none);
  bind_algorithm(m, Algorithm::interp, &interpolated, "x"_a, "xp"_a, "fp"_a, "left"_a = none, "right"_a = none, "period"_a = none);
}

}  // namespace kasoku
