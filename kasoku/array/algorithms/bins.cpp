#include "kasoku/array/algorithms/bins.h"

#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/algorithms/run_text.h"
#include "kasoku/array/algorithms/sort.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/places.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/base/rounding.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <span>

namespace kasoku {

namespace {

/// TYPE is an element's, BEFORE(x, key) whether x stands before the key. All keys take the same steps, and a CPU takes them for
/// sixteen at once, so that it waits for memory once. Comparisons have no branches, which keys would make it guess.
constexpr const char* search_text = R"(
#ifdef KS_SIMT
#define LANES 1
#else
#define LANES 16
#endif
struct ks_parts { PART re, im; };
ks_helper bool ks_less(PART x, PART y) { return (x < y) | ((y != y) & (x == x)); }
ks_helper bool ks_less(ks_parts x, ks_parts y) {  // with NaN in a part after those without, as they are sorted
  const bool x_last = (x.re != x.re) | (x.im != x.im), y_last = (y.re != y.re) | (y.im != y.im);
  if (x_last != y_last) return y_last;
  return ks_less(x.re, y.re) | (!ks_less(y.re, x.re) & ks_less(x.im, y.im));
}
extern "C" __global__ void ks_algorithm(long long* y, const TYPE* sorted, const TYPE* keys, long long n, long long count, long long per_block) {
#ifdef KS_SIMT
  const long long first = (long long)blockIdx.x * blockDim.x + threadIdx.x, last = count, step = (long long)gridDim.x * blockDim.x;
#else
  const long long first = blockIdx.x * per_block, last = first + per_block < count ? first + per_block : count, step = LANES;
#endif
  for (long long i = first; i < last; i += step) {
    const int lanes = last - i < LANES ? (int)(last - i) : LANES;
    TYPE key[LANES];
    long long at[LANES];
    for (int j = 0; j < LANES; ++j) {
      key[j] = keys[i + (j < lanes ? j : 0)];
      at[j] = 0;
    }
    for (long long length = n; length > 1;) {
      const long long half = length >> 1;
      for (int j = 0; j < LANES; ++j) at[j] += BEFORE(sorted[at[j] + half - 1], key[j]) ? half : 0;
      length -= half;
    }
    for (int j = 0; j < lanes; ++j) y[i + j] = at[j] + (BEFORE(sorted[at[j]], key[j]) ? 1 : 0);
  }
}
)";

Dtype dtype_of_search(Dtype dtype) {
  if (dtype == Dtype::bool_) return Dtype::uint8;
  if (dtype == Dtype::float16 || dtype == Dtype::bfloat16) return Dtype::float32;
  if (dtype == Dtype::opaque) throw Error(ErrorKind::type, "searchsorted: records have no order");
  return dtype;
}

Array number_in(double value, Dtype dtype, Device& device) { return full({}, Scalar::of(value), dtype, device); }

/// A NaN is greater than all numbers, as in what is sorted.
bool rises(const Array& row, bool is_falling = false) {
  if (row.size() < 2) return true;
  const Array before = sliced(row, 0, 0, row.size() - 1), after = sliced(row, 0, 1, row.size());
  const Array& greater = is_falling ? before : after;
  const Array in_order = apply(is_falling ? Op::greater_equal : Op::less_equal, {before, after});
  return is_true(reduce(ReduceOp::all, is_floating(row.dtype()) ? apply(Op::logical_or, {in_order, apply(Op::not_equal, {greater, greater})}) : in_order));
}

void must_be_row(const Array& array, const char* what) {
  if (array.ndim() != 1) throw Error(ErrorKind::value, std::string(what) + " must be 1d").why("the array has shape " + str(array.shape()));
}

/// Adds to zeros that lie as (parts, bins): each part of the numbers has a row of its own.
void add_in_parts(const Array& sums, const Array& numbers, const Array& values) {
  Device& device = sums.device();
  const int64_t parts = sums.shape()[0], bins = sums.shape()[1], length = numbers.size() / parts;
  const Array in_parts = reshape(numbers, {parts, length}), added = reshape(values, {parts, length});
  if (takes_gpu_form(device) && parts > 1) {  // a place is a part's and a bin's
    const Array part = reshape(arange(Scalar::of(0), Scalar::of(bins), parts, Dtype::int64, device), {parts, 1});
    const Places to{{{apply(Op::add, {in_parts, part}), parts * bins, 8}}, false, {parts, length}, 0, {{parts, length}, {0, 0}, sums.offset()}};
    return scatter(sums, to, added, Op::add);
  }
  const Places to{{{in_parts, bins, 8}}, false, {parts, length}, 0, {{parts, length}, {8 * bins, 0}, sums.offset()}};
  scatter(sums, to, added, Op::add);
}

/// On a host so few numbers are counted by the time that a kernel needs to be found.
bool are_few(const Array& numbers) {
  constexpr int64_t few = 16384;
  return numbers.size() <= few && (numbers.size() <= few_elements || !numbers.is_pending()) && runs_at_once(numbers.device());
}

template <class T>
std::span<const T> elements(const Array& in_c_order) {
  return {static_cast<const T*>(in_c_order.data_for_read()), static_cast<size_t>(in_c_order.size())};
}

/// searchsorted() of few values on a host: the time that a kernel needs to be found is worth more than a thread.
template <class T>
void search_few(const Array& sorted, const Array& values, bool is_right, int64_t* to) {
  const auto comes_before = [](T a, T b) { return a < b || (b != b && a == a); };  // NaN last
  const std::span among = elements<T>(sorted), keys = elements<T>(values);
  for (const T key : keys) *to++ = (is_right ? std::ranges::upper_bound(among, key, comes_before) : std::ranges::lower_bound(among, key, comes_before)) - among.begin();
}

}  // namespace

Array searchsorted(const Array& sorted, const Array& values, bool is_right) {
  if (sorted.ndim() != 1) throw Error(ErrorKind::value, "object too deep for desired array").why("searchsorted looks among elements of one axis, not of shape " + str(sorted.shape()));
  must_be_together("searchsorted", sorted.device(), values.device());
  Device& device = sorted.device();
  const Dtype dtype = dtype_of_search(promote(sorted.dtype(), values.dtype()));
  const auto prepared = [&](const Array& x) { return contiguous(as_dtype(x, dtype)); };
  const int64_t n = sorted.size(), count = values.size();
  if (n == 0 || count == 0) return full(values.shape(), Scalar::of(int64_t{0}), Dtype::int64, device);
  const Array among = prepared(sorted), keys = prepared(values);
  const Array result = Array::empty(values.shape(), Dtype::int64, device);
  if (count <= few_elements && are_few(keys) && (dtype == Dtype::float64 || dtype == Dtype::int64)) {
    auto* const to = static_cast<int64_t*>(result.data());
    dtype == Dtype::float64 ? search_few<double>(among, keys, is_right, to) : search_few<int64_t>(among, keys, is_right, to);
    return result;
  }
  const std::string text = fmt::format("#define PART {}\n#define TYPE {}\n#define BEFORE(x, key) {}", info(real_part(dtype)).text,
                                       is_complex(dtype) ? std::string_view("ks_parts") : info(dtype).text, is_right ? "!ks_less(key, x)" : "ks_less(x, key)") +
                           search_text;
  const bool is_simt = takes_gpu_form(device);
  const int64_t threads = is_simt ? 256 : 1, blocks = is_simt ? std::min<int64_t>(divide_up<int64_t>(count, threads), 1 << 20) : blocks_for(device, count, 4096);
  const TextParameter parameters[] = {result.data(), among.data_for_read(), keys.data_for_read(), n, count, round_up<int64_t>(divide_up(count, blocks), 16)};
  run_text(text, device, blocks, static_cast<uint32_t>(threads), parameters);
  return result;
}

Array digitize(const Array& values, const Array& bins, bool is_right) {
  if (is_complex(values.dtype())) throw Error(ErrorKind::type, "x may not be complex");
  if (bins.ndim() != 1) throw Error(ErrorKind::value, "object of too small depth for desired array").why("bins have one axis, not shape " + str(bins.shape()));
  const Array first = sliced(bins, 0, 0, 1);
  const bool begins_with_nan = is_floating(bins.dtype()) && bins.size() > 1 && is_true(reduce(ReduceOp::all, apply(Op::isnan, {first})));
  if (!begins_with_nan && rises(bins)) return searchsorted(bins, values, !is_right);
  if (!rises(bins, true)) throw Error(ErrorKind::value, "bins must be monotonically increasing or decreasing");
  return apply(Op::subtract, {bins.size(), searchsorted(flip(bins), values, !is_right)});
}

Array count_bins(const Array& given, const std::optional<Array>& weights, int64_t bins) {
  const Array numbers = given.ndim() == 1 ? given : ravel(given);
  Device& device = numbers.device();
  if (weights) must_be_together("weighted counts", numbers.device(), weights->device());
  const int64_t n = numbers.size();
  if (are_few(numbers)) {
    const Array at = contiguous(numbers), sums = Array::zeros({bins}, weights ? Dtype::float64 : Dtype::int64, device);
    std::optional<Array> added;
    if (weights) added = contiguous(weights->dtype() == Dtype::float64 ? *weights : astype(*weights, Dtype::float64));
    const double* next = added ? elements<double>(*added).data() : nullptr;
    auto* const counts = static_cast<int64_t*>(sums.data());
    auto* const totals = static_cast<double*>(sums.data());
    for (const int64_t k : elements<int64_t>(at)) weights ? void(totals[k] += *next++) : void(++counts[k]);
    return sums;
  }
  const Array values = weights ? astype(ravel(*weights), Dtype::float64) : broadcast_to(full({}, Scalar::of(int64_t{1}), Dtype::int64, device), {n});
  // Parts are added up for themselves, as long as their sums are few beside what they are of. How many there are depends on
  // nothing else, so that a sum has one result.
  constexpr int64_t elements_of_part = 65536, most_parts = 64;
  const bool is_in_shared = takes_gpu_form(device) && !weights && bins <= shared_places;  // each block has sums of its own anyway
  const int64_t parts = is_in_shared ? 1 : std::clamp<int64_t>(std::min(n / elements_of_part, n / (4 * std::max<int64_t>(bins, 1))), 1, most_parts);
  const Array sums = full({parts, bins}, Scalar::of(int64_t{0}), values.dtype(), device);
  const int64_t in_parts = n / parts * parts;
  if (in_parts > 0) add_in_parts(sums, sliced(numbers, 0, 0, in_parts), sliced(values, 0, 0, in_parts));
  if (in_parts < n) add_in_parts(sliced(sums, 0, 0, 1), sliced(numbers, 0, in_parts, n), sliced(values, 0, in_parts, n));
  return parts == 1 ? reshape(sums, {bins}) : reduce(ReduceOp::sum, sums, {Extents{0}});
}

Array bincount(const Array& numbers, const std::optional<Array>& weights, int64_t least) {
  if (numbers.ndim() != 1) throw Error(ErrorKind::value, "object " + std::string(numbers.ndim() ? "too deep" : "of too small depth") + " for desired array").why("bincount counts numbers of one axis, not of shape " + str(numbers.shape()));
  if (least < 0) throw Error(ErrorKind::value, "'minlength' must not be negative");
  if (!is_integer(numbers.dtype()) && numbers.dtype() != Dtype::bool_)
    throw Error(ErrorKind::type, "Cannot cast array data from dtype('" + std::string(info(numbers.dtype()).name) + "') to dtype('int64') according to the rule 'safe'");
  if (weights && is_complex(weights->dtype())) throw Error(ErrorKind::type, "bincount: weights are real numbers, not " + std::string(info(weights->dtype()).name));
  if (weights && weights->shape() != numbers.shape()) throw Error(ErrorKind::value, "The weights and list don't have the same length.");
  const Array wide = numbers.dtype() == Dtype::int64 ? numbers : astype(numbers, Dtype::int64);
  int64_t bins = least;
  if (numbers.size() > 0) {
    const uint64_t greatest = are_few(wide) ? std::ranges::max(elements<uint64_t>(contiguous(wide))) : greatest_unsigned(wide);
    if (greatest > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) throw Error(ErrorKind::value, "'list' argument must have no negative elements");
    bins = std::max(bins, static_cast<int64_t>(greatest) + 1);
  }
  return count_bins(wide, numbers.size() > 0 ? weights : std::nullopt, bins);  // of none they are counts, NumPy says
}

namespace {

struct Ends {
  Array first, last;
};

/// The outer edges that a range gives; apart where they were one.
std::pair<double, double> outer_edges(const std::pair<double, double>& range) {
  const auto [low, high] = range;
  if (low > high) throw Error(ErrorKind::value, "max must be larger than min in range parameter.");
  const double infinity = std::numeric_limits<double>::infinity();
  if (!(low > -infinity && high < infinity)) throw Error(ErrorKind::value, fmt::format("supplied range of [{}, {}] is not finite", low, high));
  return low == high ? std::pair(low - 0.5, high + 0.5) : range;
}

/// Those of an array's values, as 0-d arrays where it lies.
Ends outer_edges(const Array& array, Dtype dtype) {
  Device& device = array.device();
  const Ends ends{astype(reduce(ReduceOp::min, array), dtype), astype(reduce(ReduceOp::max, array), dtype)};
  if (is_floating(array.dtype()) && !is_true(apply(Op::logical_and, {apply(Op::isfinite, {ends.first}), apply(Op::isfinite, {ends.last})})))
    throw Error(ErrorKind::value, "autodetected range of the values is not finite").fix("range=(low, high)");
  const Array are_one = apply(Op::equal, {ends.first, ends.last}), half = number_in(0.5, dtype, device);
  return {apply(Op::where, {are_one, apply(Op::subtract, {ends.first, half}), ends.first}),
          apply(Op::where, {are_one, apply(Op::add, {ends.last, half}), ends.last})};
}

Dtype dtype_of_edges(Dtype dtype) { return is_floating(dtype) ? dtype : Dtype::float64; }

Array edges_between(const Ends& ends, int64_t bins, Dtype dtype, Device& device) {
  const Array step = apply(Op::divide, {apply(Op::subtract, {ends.last, ends.first}), static_cast<double>(bins)});
  const Array edges = apply(Op::add, {apply(Op::multiply, {arange(Scalar::of(0), Scalar::of(1), bins + 1, dtype, device), step}), ends.first});
  const Array is_last = apply(Op::equal, {arange(Scalar::of(0), Scalar::of(1), bins + 1, Dtype::int64, device), bins});
  return copy(apply(Op::where, {is_last, ends.last, edges}));
}

void must_rise(const Array& edges, int64_t bins) {
  if (!is_true(reduce(ReduceOp::all, apply(Op::less, {sliced(edges, 0, 0, bins), sliced(edges, 0, 1, bins + 1)}))))
    throw Error(ErrorKind::value, "Too many bins for data range. Cannot create " + std::to_string(bins) + " finite-sized bins.");
}

/// Those of a range are float64's, which are rounded then. An edge is off by less than 8 roundings of the greatest: steps of more
/// than twice that rise, and nobody waits for a look at them.
Array edges_in(const std::pair<double, double>& range, int64_t bins, Dtype dtype, Device& device) {
  const auto [low, high] = outer_edges(range);
  const Array edges = edges_between({number_in(low, Dtype::float64, device), number_in(high, Dtype::float64, device)}, bins, Dtype::float64, device);
  const double step = (high - low) / static_cast<double>(bins);
  const double rounding = std::max({std::abs(low), std::abs(high), std::numeric_limits<double>::min()}) * std::numeric_limits<double>::epsilon();
  if (!(step > 16 * rounding && std::isfinite(step))) must_rise(edges, bins);
  return astype(edges, dtype);
}

const Array& checked_values(const Array& array, const std::optional<Array>& weights) {
  if (is_complex(array.dtype())) throw Error(ErrorKind::type, "complex numbers have no bins");
  if (weights && weights->shape() != array.shape()) throw Error(ErrorKind::value, "weights should have the same shape as a.");
  return array;
}

/// Counts of bins that are numbered; number `bins` is that of what is in none. Sums have the weights' dtype, as NumPy's.
Array counted(const Array& numbers, const std::optional<Array>& weights, int64_t bins) {
  const auto within = [&](const Array& all) { return sliced(all, 0, 0, bins); };
  if (!weights) return within(count_bins(numbers, std::nullopt, bins + 1));
  if (is_complex(weights->dtype())) throw Error(ErrorKind::unsupported, "histogram: weights are real numbers").fix("weights.real and weights.imag, one after the other");
  const Array sums = within(count_bins(numbers, *weights, bins + 1));
  return astype(sums, weights->dtype() == Dtype::bool_ ? Dtype::int64 : weights->dtype());
}

/// Number of the bin of equal width; that of `bins` for what is in none. A quotient says which bin it is, or its neighbour: edges
/// decide, which are rounded too. All of it is one expression, of which no array is held when it is computed.
Array numbers_of_even(const Array& x, const Array& edges) {
  edges.data_for_read();  // whose expression would be counted with each use
  const int64_t bins = edges.size() - 1;
  const Array first = sliced(edges, 0, 0, 1), last = sliced(edges, 0, bins, bins + 1);
  const Array share = apply(Op::divide, {apply(Op::subtract, {x, first}), apply(Op::subtract, {last, first})});
  const Array guess = apply(Op::clip, {astype(apply(Op::multiply, {share, static_cast<double>(bins)}), Dtype::int64), int64_t{0}, bins - 1});
  const Array is_below = apply(Op::less, {x, gather_along(edges, 0, guess)}), is_above = apply(Op::greater_equal, {x, gather_along(sliced(edges, 0, 1, bins + 1), 0, guess)});
  const Array number = apply(Op::minimum, {apply(Op::add, {apply(Op::subtract, {guess, astype(is_below, Dtype::int64)}), astype(is_above, Dtype::int64)}), bins - 1});
  const Array is_inside = apply(Op::logical_and, {apply(Op::greater_equal, {x, first}), apply(Op::less_equal, {x, last})});
  return apply(Op::where, {is_inside, number, full({}, Scalar::of(bins), Dtype::int64, x.device())});
}

}  // namespace

Array even_edges(const Array& array, int64_t bins, std::optional<std::pair<double, double>> range) {
  if (bins < 1) throw Error(ErrorKind::value, "`bins` must be positive, when an integer");
  const Dtype dtype = dtype_of_edges(array.dtype());
  if (!range && array.size() == 0) range = {0, 1};
  if (range) return edges_in(*range, bins, dtype, array.device());
  const Array edges = edges_between(outer_edges(array, dtype), bins, dtype, array.device());
  must_rise(edges, bins);
  return edges;
}

Histogram histogram(const Array& given, int64_t bins, std::optional<std::pair<double, double>> range, const std::optional<Array>& weights) {
  const Array array = ravel(checked_values(given, weights)), edges = even_edges(array, bins, range);
  return {counted(numbers_of_even(as_dtype(array, edges.dtype()), edges), weights, bins), {edges}};
}

namespace {

/// Number of the bin between edges that rise; that of `bins` for what is in none.
Array numbers_between(const Array& x, const Array& edges) {
  const int64_t bins = edges.size() - 1;
  const Array found = searchsorted(edges, x, true), last = sliced(edges, 0, bins, bins + 1);
  const Array numbers = apply(Op::where, {apply(Op::equal, {x, last}), apply(Op::subtract, {found, 2}), apply(Op::subtract, {found, 1})});
  const Array is_inside = apply(Op::logical_and, {apply(Op::greater_equal, {x, sliced(edges, 0, 0, 1)}), apply(Op::less_equal, {x, last})});
  return apply(Op::where, {is_inside, apply(Op::clip, {numbers, int64_t{0}, bins - 1}), full({}, Scalar::of(bins), Dtype::int64, x.device())});
}

}  // namespace

Histogram histogram(const Array& given, const Array& edges, const std::optional<Array>& weights) {
  const Array array = ravel(checked_values(given, weights));
  must_be_row(edges, "`bins`");
  if (!rises(edges)) throw Error(ErrorKind::value, "`bins` must increase monotonically, when an array");
  const int64_t bins = edges.size() - 1;
  if (bins < 1) return {full({std::max<int64_t>(bins, 0)}, Scalar::of(0), weights ? weights->dtype() : Dtype::int64, array.device()), {edges}};
  return {counted(numbers_between(array, edges), weights, bins), {edges}};
}

Histogram histogramdd(std::span<const Array> axes, std::span<const Array> edges, const std::optional<Array>& weights) {
  std::optional<Array> numbers, is_inside;
  Shape shape;
  int64_t all = 1;
  for (size_t d = 0; d < axes.size(); ++d) {
    must_be_row(edges[d], "`bins`");
    if (!rises(edges[d])) throw Error(ErrorKind::value, fmt::format("`bins[{}]` must be monotonically increasing, when an array", d));
    const int64_t bins = edges[d].size() - 1;
    if (bins < 1) throw Error(ErrorKind::value, fmt::format("`bins[{}]` has no bin", d));
    const Array own = numbers_between(checked_values(axes[d], weights), edges[d]), inside = apply(Op::less, {own, bins});
    numbers = numbers ? apply(Op::add, {apply(Op::multiply, {*numbers, bins}), own}) : own;
    is_inside = is_inside ? apply(Op::logical_and, {*is_inside, inside}) : inside;
    shape.push_back(bins);
    all *= bins;
  }
  const Array outside = full({}, Scalar::of(all), Dtype::int64, axes[0].device());
  const Array counts = counted(apply(Op::where, {*is_inside, *numbers, outside}), weights, all);
  return {astype(reshape(copy(counts), shape), Dtype::float64), {edges.begin(), edges.end()}};
}

Array as_density(const Histogram& histogram) {
  Array result = histogram.counts;
  for (size_t d = 0; d < histogram.edges.size(); ++d) {
    const Array& edges = histogram.edges[d];
    const Array widths = apply(Op::subtract, {sliced(edges, 0, 1, edges.size()), sliced(edges, 0, 0, edges.size() - 1)});
    Shape shape(histogram.edges.size(), 1);
    shape[d] = widths.size();
    result = apply(Op::divide, {result, reshape(astype(widths, Dtype::float64), shape)});
  }
  return apply(Op::divide, {result, reduce(ReduceOp::sum, histogram.counts)});  // last, so that bits are NumPy's
}

namespace {

/// One period of the points in ascending order, between the last one of that before and the first of the next.
Array interp_in_period(const Array& x, const Array& xp, const Array& fp, double period) {
  if (period == 0) throw Error(ErrorKind::value, "period must be a non-zero value");
  const auto placed = [&](const Array& a) { return apply(Op::remainder, {astype(a, Dtype::float64), period}); };
  const Array points = placed(xp), order = argsort(points, 0);
  const Array places = gather_along(points, 0, order), values = gather_along(fp, 0, order);
  const int64_t n = xp.size();
  const auto around = [&](const Array& before, const Array& row, const Array& after) { return concatenate(std::vector{before, row, after}, 0); };
  return interp(placed(x),
                around(apply(Op::subtract, {sliced(places, 0, n - 1, n), period}), places, apply(Op::add, {sliced(places, 0, 0, 1), period})),
                around(sliced(values, 0, n - 1, n), values, sliced(values, 0, 0, 1)), std::nullopt, std::nullopt);
}

/// How many of the points, which are in order with NaN last, are not beyond x, which is a number: without a branch, as nobody can guess it.
int64_t points_up_to(double x, std::span<const double> points) {
  const double* first = points.data();
  for (size_t left = points.size(); left > 1;) {
    const size_t half = left / 2;
    first = first[half - 1] <= x ? first + half : first;
    left -= half;
  }
  return first - points.data() + (*first <= x);
}

/// One value of interp(), by its rules in their order. Values that lie side by side are mostly between the same points, or the next
/// ones: `found` is where the one before was.
double value_between(double x, std::span<const double> points, std::span<const double> values, double left, double right, int64_t& found) {
  const int64_t last = std::ssize(points) - 1;
  if (x != x && last > 0) return x;
  if (x < points[0]) return left;
  if (x > points[static_cast<size_t>(last)]) return right;
  const auto is_found = [&] { return found >= 0 && found < last && points[static_cast<size_t>(found)] <= x && x < points[static_cast<size_t>(found) + 1]; };
  if (!is_found()) ++found;
  if (!is_found()) found = points_up_to(x, points) - 1;
  const auto at = static_cast<size_t>(std::clamp<int64_t>(found, 0, std::max<int64_t>(last - 1, 0))), end = static_cast<size_t>(last), next = std::min(at + 1, end);
  if (x >= points[end]) return values[end];
  if (x == points[at]) return values[at];
  const double slope = (values[next] - values[at]) / (points[next] - points[at]);
  const double forth = slope * (x - points[at]) + values[at], back = slope * (x - points[next]) + values[next];
  return forth == forth ? forth : back == back ? back : values[at] == values[next] ? values[at] : back;
}

/// interp() at once, where all of it is at hand: of values for one thread, because to put its steps together costs more than they do,
/// of values between few points, and of values in order, which find their points beside those of the one before.
std::optional<Array> interp_directly(const Array& x, const Array& points, const Array& values, const std::optional<Array>& left, const std::optional<Array>& right) {
  constexpr size_t few_points = 16;
  if (!runs_at_once(x.device())) return std::nullopt;
  if (x.size() <= most_alone || static_cast<size_t>(points.size()) <= few_points)  // numbers of another dtype are pending
    for (const Array* each : {&x, &points, &values})
      if (&each->device() == &x.device()) each->data_for_read();
  const std::shared_ptr<Buffer> buffers[] = {x.buffer_if_computed(), points.buffer_if_computed(), values.buffer_if_computed()};
  if (std::ranges::any_of(buffers, std::logical_not())) return std::nullopt;
  const auto elements = [&](const Array& array, size_t i) {
    return std::span(reinterpret_cast<const double*>(static_cast<const char*>(buffers[i]->memory()) + array.offset()), static_cast<size_t>(array.size()));
  };
  const std::span xs = elements(x, 0), at = elements(points, 1), of = elements(values, 2);
  if (x.size() > most_alone && at.size() > few_points && !std::ranges::is_sorted(xs)) return std::nullopt;
  double ends[] = {of.front(), of.back()};
  for (size_t i = 0; i < 2; ++i)
    if (const std::optional<Array>& given = i == 0 ? left : right) {
      const std::optional<Scalar> number = given->number();
      if (!number || number->kind == DtypeKind::complex_) return std::nullopt;
      ends[i] = number->as_double();
    }
  Array result = Array::empty(x.shape(), Dtype::float64, x.device());
  auto* to = static_cast<double*>(result.data());
  constexpr uint64_t grain = 16384;
  cpu::parallel_blocks(xs.size(), grain, [&](uint64_t begin, uint64_t end) {
    int64_t found = -1;
    for (uint64_t i = begin; i < end; ++i) to[i] = value_between(xs[i], at, of, ends[0], ends[1], found);
  });
  return result;
}

/// interp() of complex values: each part by itself, so that an infinite one leaves the other as it is.
Array interp_parts(const Array& x, const Array& xp, const Array& fp, const std::optional<Array>& left, const std::optional<Array>& right,
                   std::optional<double> period) {
  const auto of_parts = [&](Array (*part)(const Array&)) {
    const auto end = [&](const std::optional<Array>& of) { return of ? std::optional(part(astype(*of, Dtype::complex128))) : std::nullopt; };
    return interp(x, xp, part(astype(fp, Dtype::complex128)), end(left), end(right), period);
  };
  const Array imaginaries = of_parts(imaginary);
  const Array parts[] = {of_parts(real), xp.size() == 1 ? imaginaries : apply(Op::where, {apply(Op::isnan, {x}), 0.0, imaginaries})};  // NumPy's rule
  const Array pairs = contiguous(stack(parts, -1));
  return Array::view(pairs.buffer(), pairs.offset(), x.shape(), contiguous_strides(x.shape(), 16), Dtype::complex128);
}

}  // namespace

Array interp(const Array& given, const Array& xp, const Array& given_fp, const std::optional<Array>& left, const std::optional<Array>& right,
             std::optional<double> period) {
  must_be_row(xp, "xp");
  must_be_row(given_fp, "fp");
  if (xp.size() != given_fp.size()) throw Error(ErrorKind::value, "fp and xp are not of the same length.");
  if (xp.size() == 0) throw Error(ErrorKind::value, "array of sample points is empty");
  for (const Array* each : {&given, &xp})
    if (is_complex(each->dtype())) throw Error(ErrorKind::type, "interp: points are real numbers, not " + std::string(info(each->dtype()).name));
  if (is_complex(given_fp.dtype())) return interp_parts(given, xp, given_fp, left, right, period);
  if (period) return interp_in_period(given, xp, given_fp, std::abs(*period));
  const auto in_a_row = [](const Array& array, Dtype dtype) { return contiguous(as_dtype(array, dtype)); };
  const Array x = in_a_row(given, Dtype::float64), points = in_a_row(xp, Dtype::float64);
  const Array values = in_a_row(given_fp, Dtype::float64);
  if (std::optional<Array> few = interp_directly(x, points, values, left, right)) return *std::move(few);
  const int64_t last = xp.size() - 1;
  const Array found = apply(Op::subtract, {searchsorted(points, x, true), 1});
  const Array at = apply(Op::clip, {found, int64_t{0}, std::max<int64_t>(last - 1, 0)}), next = apply(Op::minimum, {apply(Op::add, {at, 1}), last});
  const Array x0 = gather_along(points, 0, at), x1 = gather_along(points, 0, next), y0 = gather_along(values, 0, at), y1 = gather_along(values, 0, next);
  const Array slope = apply(Op::divide, {apply(Op::subtract, {y1, y0}), apply(Op::subtract, {x1, x0})});
  const auto line = [&](const Array& from, const Array& value) { return apply(Op::add, {apply(Op::multiply, {slope, apply(Op::subtract, {x, from})}), value}); };
  const Array forth = line(x0, y0), back = line(x1, y1);
  const auto is_nan = [](const Array& y) { return apply(Op::isnan, {y}); };
  const Array flat = apply(Op::where, {apply(Op::equal, {y0, y1}), y0, back});
  Array result = apply(Op::where, {is_nan(forth), apply(Op::where, {is_nan(back), flat, back}), forth});
  const auto end = [&](int64_t i) { return sliced(values, 0, i, i + 1); };
  const auto given_or = [&](const std::optional<Array>& value, int64_t i) { return value ? astype(reshape(*value, {}), values.dtype()) : reshape(end(i), {}); };
  result = apply(Op::where, {apply(Op::equal, {x, x0}), y0, result});
  result = apply(Op::where, {apply(Op::greater_equal, {x, reshape(sliced(points, 0, last, last + 1), {})}), reshape(end(last), {}), result});
  result = apply(Op::where, {apply(Op::greater, {x, reshape(sliced(points, 0, last, last + 1), {})}), given_or(right, last), result});
  result = apply(Op::where, {apply(Op::less, {x, reshape(sliced(points, 0, 0, 1), {})}), given_or(left, 0), result});
  return last == 0 ? result : apply(Op::where, {is_nan(x), astype(x, values.dtype()), result});  // NumPy's rule
}

}  // namespace kasoku
