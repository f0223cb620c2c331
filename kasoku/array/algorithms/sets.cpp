// Everything follows from sorted arrays: an element is new where it differs from the one before it.
#include "kasoku/array/algorithms/sets.h"

#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/algorithms/order.h"
#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/algorithms/sort.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/places.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/scan.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/device/replay.h"

#include <algorithm>
#include <optional>

namespace kasoku {

namespace {

Array numbers(int64_t start, int64_t n, Device& device) { return arange(Scalar::of(start), Scalar::of(int64_t{1}), n, Dtype::int64, device); }

/// Elements of an array of one axis, which may be pending.
Array slice(const Array& array, int64_t start, int64_t stop) {
  Index part;
  part.kind = Index::slice;
  part.start = start;
  part.stop = stop;
  return get_item(array, {part});
}
Array without_first(const Array& array) { return slice(array, 1, array.shape()[0]); }
Array without_last(const Array& array) { return slice(array, 0, array.shape()[0] - 1); }

Array together(std::initializer_list<Array> arrays) { return concatenate({arrays.begin(), arrays.size()}, 0); }

Array at(const Array& array, const Array& places) { return take_along(array, places, 0); }
Array where_true(const Array& mask) { return nonzero(mask)[0]; }
Array those(const Array& array, const Array& mask) { return at(array, where_true(mask)); }

/// The values at places that are all different.
Array put(const Array& places, const Array& values) {
  const Array result = Array::empty(values.shape(), values.dtype(), values.device());
  store_at(result, places, values);
  return result;
}

/// Of a sorted array, for each element but the first whether it differs from the one before.
Array differs(const Array& sorted, bool equal_nan) {
  const Array a = without_first(sorted), b = without_last(sorted), differ = apply(Op::not_equal, {a, b});
  if (!equal_nan || (!is_floating(sorted.dtype()) && !is_complex(sorted.dtype()))) return differ;
  const Array are_numbers = apply(Op::logical_or, {apply(Op::equal, {a, a}), apply(Op::equal, {b, b})});
  return apply(Op::logical_and, {differ, are_numbers});
}

/// grouped() of few elements on a host: to put its steps together costs more than they do.
std::optional<Unique> grouped_directly(const UniqueWanted& wanted, const Array& order, const Array& is_new, Array& starts, const Shape& shape) {
  constexpr int64_t few = 65536;
  Device& device = is_new.device();
  const int64_t n = is_new.size() + 1;
  if (n > few || !runs_at_once(device)) return std::nullopt;
  const Array by = order.is_null() ? order : contiguous(order), flags = contiguous(is_new);
  const auto* const place = by.is_null() ? nullptr : static_cast<const int64_t*>(by.data_for_read());
  const auto* const is_first = static_cast<const uint8_t*>(flags.data_for_read());
  const int64_t count = 1 + (n - 1 - std::count(is_first, is_first + n - 1, uint8_t{0}));
  const auto made = [&](bool is_wanted, const Shape& of) { return is_wanted ? Array::empty(of, Dtype::int64, device) : Array(); };
  starts = made(true, {count});
  const Unique result{{}, made(wanted.index, {count}), made(wanted.inverse, shape), made(wanted.counts, {count})};
  const auto memory = [](const Array& x) { return x.is_null() ? nullptr : static_cast<int64_t*>(x.data()); };
  int64_t *const start = memory(starts), *const index = memory(result.index), *const inverse = memory(result.inverse), *const counts = memory(result.counts);
  for (int64_t i = 0, group = -1; i < n; ++i) {
    if (i == 0 || is_first[i - 1]) start[++group] = i;
    if (inverse) inverse[place[i]] = group;
  }
  for (int64_t k = 0; k < count; ++k) {
    if (index) index[k] = place[start[k]];
    if (counts) counts[k] = (k + 1 < count ? start[k + 1] : n) - start[k];
  }
  return result;
}

/// What is wanted of the groups that `order` puts side by side; `is_new`: of each place but the first.
Unique grouped(const UniqueWanted& wanted, const Array& order, const Array& is_new, Array& starts, const Shape& shape) {
  Device& device = is_new.device();
  const int64_t n = is_new.size() + 1;
  if (std::optional<Unique> few = grouped_directly(wanted, order, is_new, starts, shape)) return *std::move(few);
  const Array first = Array::zeros({1}, Dtype::int64, device);
  starts = together({first, apply(Op::add, {where_true(is_new), int64_t{1}})});
  Unique result;
  if (wanted.index) result.index = at(order, starts);
  if (wanted.inverse) result.inverse = reshape(put(order, together({first, scan(ScanOp::cumsum, is_new, 0)})), shape);
  if (wanted.counts) {
    const Array stops = together({without_first(starts), full({1}, Scalar::of(n), Dtype::int64, device)});
    result.counts = apply(Op::subtract, {stops, starts});
  }
  return result;
}

Unique nothing(const Array& values, Device& device, const Shape& shape) {
  const Array none = Array::empty({0}, Dtype::int64, device);
  return {values, none, Array::empty(shape, Dtype::int64, device), none};
}

Unique unique_parts(const Array& array, const UniqueWanted& wanted, int64_t axis) {
  const auto d = static_cast<int64_t>(normal_axis(axis, array.ndim()));
  const Array moved = moveaxis(array, {d}, {0});
  const int64_t n = moved.shape()[0], width = n ? moved.size() / n : 0;
  if (n == 0) return nothing(array, array.device(), {0});
  const Array parts = reshape(moved, {n, width});
  std::vector<Array> keys;
  for (int64_t k = width - 1; k >= 0; --k) {
    Index all, one;
    all.kind = Index::slice;
    one.number_value = k;
    keys.push_back(get_view(parts, {all, one}));
  }
  const Array order = width ? lexsort(keys) : numbers(0, n, array.device());
  const Array sorted = take(parts, order, 0), is_new = reduce(ReduceOp::any, apply(Op::not_equal, {without_first(sorted), without_last(sorted)}), {Extents{1}});
  Array starts;
  Unique result = grouped(wanted, order, is_new, starts, {n});
  const Array values = take(sorted, starts, 0);
  Shape shape = moved.shape();
  shape[0] = values.shape()[0];
  result.values = moveaxis(reshape(values, shape), {0}, {d});
  return result;
}

Array common(const Array& a, const Array& b) {
  must_be_together("a set", a.device(), b.device());
  const Dtype dtype = promote(a.dtype(), b.dtype());
  const Array x = ravel(a), y = ravel(b);
  return together({as_dtype(x, dtype), as_dtype(y, dtype)});
}

/// Of whole numbers of 64 bits those from the least on, the greatest among them, modulo 2^64; the host reads both.
std::pair<uint64_t, uint64_t> ends_of(const Array& numbers) {
  const Array both = together({reshape(reduce(ReduceOp::min, numbers), {1}), reshape(reduce(ReduceOp::max, numbers), {1})});
  const auto* const at = static_cast<const uint64_t*>(both.data_for_read());
  return {at[0], at[1]};
}

/// isin() of whole numbers that lie close together: a table says of each that lies among them whether it is one.
std::optional<Array> isin_by_table(const Array& array, const Array& other, bool is_inverted) {
  constexpr uint64_t most_for_each = 6;
  const DtypeKind kind = info(promote(array.dtype(), other.dtype())).kind;
  if (kind == DtypeKind::floating || kind == DtypeKind::complex_ || array.dtype() == Dtype::opaque || &array.device() != &other.device()) return std::nullopt;
  if (!array.device().is_host() || Recorder::current()) return std::nullopt;  // elsewhere the ends would be copied to the host
  const Dtype wide = kind == DtypeKind::unsigned_ ? Dtype::uint64 : Dtype::int64;
  const Array numbers = astype(ravel(other), wide);
  const auto [least, greatest] = ends_of(numbers);
  const uint64_t behind = greatest - least + 1;
  if (behind == 0 || behind / most_for_each > static_cast<uint64_t>(array.size() + other.size())) return std::nullopt;
  const auto number = [&](uint64_t value) { return full({}, Scalar::of(value), Dtype::uint64, array.device()); };
  const auto from_least = [&](const Array& x) { return apply(Op::subtract, {astype(astype(x, wide), Dtype::uint64), number(least)}); };
  // Behind the greatest is the place of what is not among them.
  const Array table = full({static_cast<int64_t>(behind) + 1}, Scalar::of(is_inverted), Dtype::bool_, array.device());
  store_at(table, astype(from_least(numbers), Dtype::int64), full({numbers.size()}, Scalar::of(!is_inverted), Dtype::bool_, array.device()));
  return gather_along(table, 0, astype(apply(Op::minimum, {from_least(array), number(behind)}), Dtype::int64));
}

Array different(const Array& array, bool are_unique) { return are_unique ? ravel(array) : unique(array).values; }

}  // namespace

Unique unique(const Array& array, const UniqueWanted& wanted, std::optional<int64_t> axis) {
  const bool is_its_only_axis = axis && array.ndim() == 1 && (*axis == 0 || *axis == -1);
  if (axis && !is_its_only_axis) return unique_parts(array, wanted, *axis);
  const Array flat = ravel(array);
  if (flat.size() == 0) return nothing(flat, array.device(), array.shape());
  Array order, sorted;
  if (wanted.index || wanted.inverse) {
    order = argsort(flat);
    sorted = copy(at(flat, order));
  } else {
    sorted = sort(flat);
  }
  const Array differ = differs(sorted, wanted.equal_nan);
  if (order.is_null() && !wanted.counts) {
    const Array is_new = full({flat.size()}, Scalar::of(true), Dtype::bool_, flat.device());
    without_first(is_new).assign(differ);
    return {compress(is_new, sorted), {}, {}, {}};
  }
  Array starts;
  Unique result = grouped(wanted, order, differ, starts, array.shape());
  result.values = copy(at(sorted, starts));
  return result;
}

Array union1d(const Array& a, const Array& b) { return unique(common(a, b)).values; }

Intersection intersect1d(const Array& a, const Array& b, bool are_unique, bool wants_indices) {
  UniqueWanted wanted;
  wanted.index = wants_indices;
  const auto part = [&](const Array& x) { return are_unique ? Unique{ravel(x), numbers(0, x.size(), x.device()), {}, {}} : unique(x, wanted); };
  const Unique x = part(a), y = part(b);
  const Array both = common(x.values, y.values);
  if (both.size() == 0) return {both, numbers(0, 0, a.device()), numbers(0, 0, a.device())};
  if (!wants_indices) {
    const Array sorted = sort(both);
    return {copy(those(sorted, apply(Op::equal, {without_first(sorted), without_last(sorted)}))), {}, {}};
  }
  const Array order = argsort(both), sorted = copy(at(both, order));
  const Array places = where_true(apply(Op::equal, {without_first(sorted), without_last(sorted)}));
  const Array in_a = at(order, places), in_b = apply(Op::subtract, {at(order, apply(Op::add, {places, int64_t{1}})), x.values.size()});
  // Two equal elements of one array, which is said to have none (or got them by the common dtype), are places outside
  // of the other.
  return {copy(at(sorted, places)), copy(take(x.index, in_a, 0)), copy(take(y.index, in_b, 0))};
}

Array setdiff1d(const Array& a, const Array& b, bool are_unique) {
  const Array x = different(a, are_unique);
  return copy(those(x, isin(x, b, true)));
}

Array setxor1d(const Array& a, const Array& b, bool are_unique) {
  const Array both = common(different(a, are_unique), different(b, are_unique));
  if (both.size() == 0) return both;
  const Array sorted = sort(both), edge = full({1}, Scalar::of(true), Dtype::bool_, both.device());
  const Array differ = together({edge, apply(Op::not_equal, {without_first(sorted), without_last(sorted)}), edge});
  return copy(those(sorted, apply(Op::logical_and, {without_first(differ), without_last(differ)})));
}

Array isin(const Array& array, const Array& other, bool is_inverted) {
  constexpr int64_t few = 16;
  const int64_t n = array.size(), k = other.size();
  if (n == 0 || k == 0) return full(array.shape(), Scalar::of(is_inverted), Dtype::bool_, array.device());
  if (k <= few) {
    const Array same = apply(Op::equal, {expand_dims(array, {-1}), ravel(other)});
    const Array is_in = reduce(ReduceOp::any, same, {Extents{-1}});
    return is_inverted ? apply(Op::logical_not, {is_in}) : is_in;
  }
  if (std::optional<Array> known = isin_by_table(array, other, is_inverted)) return *known;
  // Equal elements stand side by side, those of `other` first: an element is in it if the first of its equals is of it.
  const Array both = common(other, array), order = argsort(both), sorted = copy(at(both, order));
  const Array none = Array::zeros({1}, Dtype::int64, array.device());
  const Array place = apply(Op::where, {differs(sorted, false), numbers(1, n + k - 1, array.device()), int64_t{0}});
  const Array first = scan(ScanOp::cummax, together({none, place}), 0);
  const Array is_in = apply(is_inverted ? Op::greater_equal : Op::less, {at(order, first), k});
  return reshape(slice(put(order, is_in), k, n + k), array.shape());
}

}  // namespace kasoku
