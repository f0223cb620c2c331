#include "kasoku/array/algorithms/quantile.h"

#include "kasoku/array/algorithms/sort.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/axis_error.h"
#include "kasoku/base/error.h"

#include <cmath>
#include <limits>

namespace kasoku {

namespace {

constexpr std::string_view method_names[] = {"inverted_cdf", "averaged_inverted_cdf", "closest_observation", "interpolated_inverted_cdf", "hazen",
                                             "weibull",      "linear",                "median_unbiased",     "normal_unbiased",           "lower",
                                             "higher",       "midpoint",              "nearest"};

/// A number that is known, or one for each row that is not yet: what is written for one serves both.
struct RowNumber {
  std::optional<Array> rows;
  double known = 0;

  RowNumber(double known) : known(known) {}
  RowNumber(Array rows) : rows(std::move(rows)) {}
  Operand operand() const { return rows ? Operand(*rows) : Operand(known); }
};

template <class F>
RowNumber both(Op op, F known, const RowNumber& a, const RowNumber& b) {
  if (a.rows || b.rows) return RowNumber(apply(op, {a.operand(), b.operand()}));
  return RowNumber(static_cast<double>(known(a.known, b.known)));
}
template <class F>
RowNumber of(Op op, F known, const RowNumber& a) {
  return a.rows ? RowNumber(apply(op, {*a.rows})) : RowNumber(known(a.known));
}
RowNumber operator+(const RowNumber& a, const RowNumber& b) { return both(Op::add, std::plus<>(), a, b); }
RowNumber operator-(const RowNumber& a, const RowNumber& b) { return both(Op::subtract, std::minus<>(), a, b); }
RowNumber operator*(const RowNumber& a, const RowNumber& b) { return both(Op::multiply, std::multiplies<>(), a, b); }
RowNumber least(const RowNumber& a, const RowNumber& b) { return both(Op::minimum, [](double x, double y) { return std::min(x, y); }, a, b); }
RowNumber greatest(const RowNumber& a, const RowNumber& b) { return both(Op::maximum, [](double x, double y) { return std::max(x, y); }, a, b); }
RowNumber is_equal(const RowNumber& a, const RowNumber& b) {
  if (a.rows || b.rows) return RowNumber(astype(apply(Op::equal, {a.operand(), b.operand()}), Dtype::float64));
  return RowNumber(a.known == b.known);
}
RowNumber down(const RowNumber& a) { return of(Op::floor, [](double x) { return std::floor(x); }, a); }
RowNumber up(const RowNumber& a) { return of(Op::ceil, [](double x) { return std::ceil(x); }, a); }
RowNumber even(const RowNumber& a) { return of(Op::rint, [](double x) { return std::nearbyint(x); }, a); }

/// Between which elements a quantile lies, and how near to the second one.
struct QuantilePlace {
  RowNumber first, second, part;
  bool is_element = false;  ///< it is the first one
};

/// `n`: how many elements there are, at least 1.
QuantilePlace place_of(QuantileMethod method, const RowNumber& n, double q) {
  using M = QuantileMethod;
  const RowNumber last = n - 1;
  const auto element = [&](const RowNumber& at) { return QuantilePlace{least(greatest(at, 0), last), 0, 0, true}; };
  const RowNumber along = last * q, plain = n * q - 1;
  const auto with = [&](double alpha, double beta) { return n * q + (alpha + q * (1 - alpha - beta)) - 1; };
  const auto between = [&](const RowNumber& at) {
    const RowNumber inside = least(greatest(at, 0), last), first = down(inside);
    return QuantilePlace{first, least(greatest(down(at) + 1, 0), last), inside - first};
  };
  switch (method) {
    case M::lower: return element(down(along));
    case M::higher: return element(up(along));
    case M::nearest: return element(even(along));
    case M::inverted_cdf: return element(up(plain));
    case M::closest_observation: {
      // Of two that are as near the one with an even number, counted from 1.
      const RowNumber at = plain - 0.5, whole = down(at), half = whole * 0.5;
      const RowNumber is_odd = 1 - is_equal(half, down(half));
      return element(whole + 1 - is_equal(at, whole) * is_odd);
    }
    case M::averaged_inverted_cdf: {
      QuantilePlace place = between(plain);
      place.part = 1 - 0.5 * is_equal(down(plain), plain);
      return place;
    }
    case M::midpoint: {
      QuantilePlace place = between(along);
      place.part = 0.5 * (1 - is_equal(down(along), along));
      return place;
    }
    case M::linear: return between(along);
    case M::interpolated_inverted_cdf: return between(with(0, 1));
    case M::hazen: return between(with(0.5, 0.5));
    case M::weibull: return between(with(0, 0));
    case M::median_unbiased: return between(with(1 / 3.0, 1 / 3.0));
    case M::normal_unbiased: return between(with(3 / 8.0, 3 / 8.0));
  }
  return between(along);
}

/// The elements of each result along a last axis, and those at places in their order.
class Ordered {
 public:
  Ordered(const Array& array, const Over& over, bool leaves_nan_out) {
    const int64_t ndim = array.ndim();
    std::vector<uint8_t> goes(static_cast<size_t>(ndim), !over.axes);
    if (over.axes)
      for (int64_t axis : *over.axes) {
        const size_t d = normal_axis(axis, ndim);
        if (goes[d]) throw Error(ErrorKind::value, "repeated axis");
        goes[d] = 1;
      }
    Extents order;
    Shape shape;
    for (size_t d = 0; d < goes.size(); ++d) {
      if (!goes[d]) {
        order.push_back(static_cast<int64_t>(d));
        shape.push_back(array.shape()[d]);
      }
      if (!goes[d] || over.keepdims) shape_.push_back(goes[d] ? 1 : array.shape()[d]);
    }
    for (size_t d = 0; d < goes.size(); ++d)
      if (goes[d]) order.push_back(static_cast<int64_t>(d));
    length_ = 1;
    for (size_t d = 0; d < goes.size(); ++d)
      if (goes[d]) length_ *= array.shape()[d];
    shape.push_back(length_);
    const Array rows = reshape(ndim == 0 ? array : transpose(array, order), shape);
    is_sorted_ = length_ == 0 || !has_selection(rows);
    rows_ = is_sorted_ && length_ > 0 ? sort(rows, -1) : rows;
    if (!is_floating(array.dtype()) && !is_complex(array.dtype())) return;
    if (!leaves_nan_out) {
      is_nan_if_last_is_ = true;
      return;
    }
    const Array are_numbers = apply(Op::equal, {rows_, rows_});
    count_ = astype(reduce(ReduceOp::sum, are_numbers, {Extents{-1}, false}), Dtype::float64);
  }

  bool is_empty() const { return length_ == 0; }
  Dtype result_dtype() const { return is_floating(rows_.dtype()) || is_complex(rows_.dtype()) ? rows_.dtype() : Dtype::float64; }
  /// How many elements each result is of, at least 1.
  RowNumber count() const { return count_ ? greatest(RowNumber(*count_), 1) : RowNumber(static_cast<double>(length_)); }

  /// Elements at places in the order, by place.
  std::vector<Array> at(std::span<const RowNumber> places) {
    std::vector<Array> result;
    if (is_sorted_) {
      for (const RowNumber& place : places)
        result.push_back(place.rows ? squeeze(take_along(rows_, expand_dims(astype(*place.rows, Dtype::int64), {-1}), -1), Extents{-1})
                                    : component(rows_, static_cast<int64_t>(place.known)));
      last_ = component(rows_, length_ - 1);
      return result;
    }
    const auto n = static_cast<int64_t>(places.size());
    const bool is_of_each_row = count_.has_value();
    std::vector<int64_t> ranks;
    if (is_of_each_row) {
      std::vector<Array> of_rows;
      const Shape shape = count_->shape();
      for (const RowNumber& place : places)
        of_rows.push_back(place.rows ? astype(*place.rows, Dtype::int64) : full(shape, Scalar::of(static_cast<int64_t>(place.known)), Dtype::int64, rows_.device()));
      const Array all = contiguous(stack(of_rows, -1));
      const auto* const first = static_cast<const int64_t*>(all.data_for_read());
      ranks.assign(first, first + all.size());
    } else {
      for (const RowNumber& place : places) ranks.push_back(static_cast<int64_t>(place.known));
      if (is_nan_if_last_is_) ranks.push_back(length_ - 1);
    }
    const Array found = elements_in_order(rows_, ranks, is_of_each_row);
    for (int64_t i = 0; i < n; ++i) result.push_back(component(found, i));
    if (is_nan_if_last_is_) last_ = component(found, n);
    return result;
  }

  /// NaN where the rule says so, in the shape of the results.
  Array finished(Array value) const {
    if (is_nan_if_last_is_ && length_ > 0) value = apply(Op::where, {apply(Op::equal, {last_, last_}), value, last_});
    // Of no numbers the first is NaN.
    return reshape(value, shape_);
  }
  Array nan() const { return full(shape_, Scalar::of(std::numeric_limits<double>::quiet_NaN()), result_dtype(), rows_.device()); }

 private:
  /// Element i along the last axis.
  static Array component(const Array& x, int64_t i) {
    View view{x.shape(), x.strides(), x.input().view.offset + i * x.strides().back()};
    view.shape.pop_back();
    view.strides.pop_back();
    return x.with_view(view);
  }

  Array rows_;
  bool is_sorted_;
  Shape shape_;
  int64_t length_;
  bool is_nan_if_last_is_ = false;
  std::optional<Array> count_;  ///< of numbers, where NaN are left out
  Array last_;
};

/// What quantiles between two elements are computed in.
Dtype wide(Dtype dtype) { return dtype == Dtype::float16 || dtype == Dtype::bfloat16 ? Dtype::float32 : dtype; }

}  // namespace

QuantileMethod quantile_method(std::string_view name) {
  for (size_t i = 0; i < std::size(method_names); ++i)
    if (method_names[i] == name) return static_cast<QuantileMethod>(i);
  std::string all;
  for (std::string_view known : method_names) all.append(all.empty() ? "" : ", ").append(known);
  throw Error(ErrorKind::value, "'" + std::string(name) + "' is not a valid method; there are: " + all);
}

Array median(const Array& array, const Over& over, bool leaves_nan_out) {
  Ordered ordered(array, over, leaves_nan_out);
  if (ordered.is_empty()) return ordered.nan();
  const RowNumber half = 0.5 * (ordered.count() - 1), places[] = {down(half), up(half)};
  const Dtype dtype = ordered.result_dtype();
  const std::vector<Array> middle = ordered.at(places);
  const Array a = astype(middle[0], wide(dtype)), b = astype(middle[1], wide(dtype));
  return ordered.finished(astype(apply(Op::divide, {apply(Op::add, {a, b}), 2.0}), dtype));
}

std::vector<Array> quantiles(const Array& array, std::span<const double> q, QuantileMethod method, const Over& over,
                             bool leaves_nan_out, Dtype q_dtype) {
  if (is_complex(array.dtype())) throw Error(ErrorKind::type, "a must be an array of real numbers");
  for (double x : q)
    if (!(x >= 0 && x <= 1)) throw Error(ErrorKind::value, "Quantiles must be in the range [0, 1]");
  Ordered ordered(array, over, leaves_nan_out);
  if (ordered.is_empty()) return std::vector<Array>(q.size(), ordered.nan());
  std::vector<QuantilePlace> places;
  std::vector<RowNumber> ranks;
  for (double x : q) {
    const QuantilePlace& place = places.emplace_back(place_of(method, ordered.count(), x));
    ranks.push_back(place.first);
    if (!place.is_element) ranks.push_back(place.second);
  }
  const std::vector<Array> elements = ordered.at(ranks);
  std::vector<Array> results;
  for (auto element = elements.begin(); const QuantilePlace& place : places) {
    if (place.is_element) {
      results.push_back(ordered.finished(copy(*element++)));
      continue;
    }
    const Dtype dtype = promote(ordered.result_dtype(), q_dtype), compute = wide(dtype);
    const Array a = astype(*element++, compute), b = astype(*element++, compute);
    const Array distance = apply(Op::subtract, {b, a});
    // From the nearer one, so that the second is reached exactly.
    const auto in_type = [&](const RowNumber& x) { return x.rows ? Operand(astype(*x.rows, compute)) : Operand(x.known); };
    const Array from_first = apply(Op::add, {a, apply(Op::multiply, {distance, in_type(place.part)})});
    const Array from_second = apply(Op::subtract, {b, apply(Op::multiply, {distance, in_type(1 - place.part)})});
    const Array value = !place.part.rows ? (place.part.known >= 0.5 ? from_second : from_first)
                                         : apply(Op::where, {apply(Op::greater_equal, {*place.part.rows, 0.5}), from_second, from_first});
    results.push_back(ordered.finished(astype(value, dtype)));
  }
  return results;
}

}  // namespace kasoku
