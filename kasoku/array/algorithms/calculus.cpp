#include "kasoku/array/algorithms/calculus.h"

#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/algorithms/run_text.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/matmul.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/base/rounding.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

namespace {

Array minus(const Operand& a, const Operand& b) { return apply(Op::subtract, {a, b}); }
Array plus(const Operand& a, const Operand& b) { return apply(Op::add, {a, b}); }
Array times(const Operand& a, const Operand& b) { return apply(Op::multiply, {a, b}); }
Array over(const Operand& a, const Operand& b) { return apply(Op::divide, {a, b}); }

/// TYPE is an element's and what sums are held in. y[k] is the sum over j of a[k + first - j] * v[j].
constexpr const char* convolve_text = R"(
extern "C" __global__ void ks_algorithm(TYPE* y, const TYPE* a, const TYPE* v, long long n, long long m, long long first, long long count) {
#ifdef KS_SIMT
  for (long long k = (long long)blockIdx.x * blockDim.x + threadIdx.x; k < count; k += (long long)gridDim.x * blockDim.x) {
    const long long at = k + first, low = at - n + 1 > 0 ? at - n + 1 : 0, high = at < m - 1 ? at : m - 1;
    TYPE sum = (TYPE)0;
    for (long long j = low; j <= high; ++j) sum = ADD(sum, TIMES(a[at - j], v[j]));
    y[k] = sum;
  }
#else
  // A tile of sums stays in the first cache while it meets all of v.
  TYPE sums[512];
  const long long begin = blockIdx.x * 512ll;
  const int width = (int)(count - begin < 512 ? count - begin : 512);
  for (int t = 0; t < 512; ++t) sums[t] = (TYPE)0;
  for (long long j = 0; j < m; ++j) {
    const long long from = j - first - begin;
    const int low = (int)(from < 0 ? 0 : from > width ? width : from), high = (int)(from + n < 0 ? 0 : from + n > width ? width : from + n);
    const TYPE factor = v[j];
    const TYPE* const row = a - from;
#pragma clang loop vectorize(assume_safety)
    for (int t = low; t < high; ++t) sums[t] = ADD(sums[t], TIMES(row[t], factor));
  }
  for (int t = 0; t < width; ++t) y[begin + t] = sums[t];
#endif
}
)";

/// Places [first, first + count) of the whole convolution.
Array convolved(const Array& a, const Array& v, int64_t first, int64_t count, Dtype dtype) {
  Device& device = a.device();
  const Dtype held = dtype == Dtype::float16 || dtype == Dtype::bfloat16 ? Dtype::float32 : dtype;
  const auto prepared = [&](const Array& x) { return contiguous(as_dtype(x, held)); };
  const Array x = prepared(a), y = prepared(v), result = Array::empty({count}, held, device);
  const bool is_simt = takes_gpu_form(device);
  const std::string_view times = is_complex(held) ? "ks_times(a, b)" : held == Dtype::bool_ ? "((a) && (b))" : "((TYPE)((a) * (b)))";
  const std::string text = fmt::format("#define TYPE {}\n#define TIMES(a, b) {}\n#define ADD(a, b) {}", held == Dtype::bool_ ? info(Dtype::uint8).text : info(held).text, times, held == Dtype::bool_ ? "((a) || (b))" : "((TYPE)((a) + (b)))") + convolve_text;
  const TextParameter parameters[] = {result.data(), x.data_for_read(), y.data_for_read(), a.size(), v.size(), first, count};
  run_text(text, device, is_simt ? std::min<int64_t>(divide_up<int64_t>(count, 256), 1 << 20) : divide_up<int64_t>(count, 512), is_simt ? 256 : 1, parameters);
  return held == dtype ? result : astype(result, dtype);
}

/// `start`: of the whole convolution's places, the first that mode "same" has.
Array overlap(const Array& a, const Array& v, Overlap mode, int64_t start) {
  const int64_t longer = std::max(a.size(), v.size()), shorter = std::min(a.size(), v.size());
  must_be_together("convolve", a.device(), v.device());
  const Dtype dtype = promote(a.dtype(), v.dtype());
  const Array &row = a.size() >= v.size() ? a : v, &window = a.size() >= v.size() ? v : a;
  switch (mode) {
    case Overlap::full: return convolved(row, window, 0, longer + shorter - 1, dtype);
    case Overlap::same: return convolved(row, window, start, longer, dtype);
    default: return convolved(row, window, shorter - 1, longer - shorter + 1, dtype);
  }
}

void must_be_rows(const Array& a, const Array& v) {
  if (a.ndim() != 1 || v.ndim() != 1) throw Error(ErrorKind::value, fmt::format("object {} for desired array", std::min(a.ndim(), v.ndim()) == 0 ? "of too small depth" : "too deep")).why("shapes " + str(a.shape()) + " and " + str(v.shape()) + " are not of one axis");
  if (a.size() == 0) throw Error(ErrorKind::value, "a cannot be empty");
  if (v.size() == 0) throw Error(ErrorKind::value, "v cannot be empty");
}

}  // namespace

Array diff(const Array& array, int64_t n, int64_t axis) {
  if (n < 0) throw Error(ErrorKind::value, "order must be non-negative but got " + std::to_string(n));
  if (array.ndim() == 0) throw Error(ErrorKind::value, "diff requires input that is at least one dimensional");
  const size_t d = normal_axis(axis, array.ndim());
  Array result = array;
  for (; n > 0; --n) {
    const int64_t length = result.shape()[d];
    const Array after = sliced(result, axis, 1, std::max<int64_t>(length, 1)), before = sliced(result, axis, 0, std::max<int64_t>(length - 1, 0));
    result = apply(array.dtype() == Dtype::bool_ ? Op::not_equal : Op::subtract, {after, before});
  }
  return result;
}

Array ediff1d(const Array& array, const std::optional<Array>& to_end, const std::optional<Array>& to_begin) {
  if (array.dtype() == Dtype::bool_) throw Error(ErrorKind::type, "ediff1d: bools have no differences").fix("ks.diff(x)");
  const Array row = ravel(array), between = row.size() ? diff(row, 1, 0) : row;
  std::vector<Array> parts;
  for (const auto& [part, name] : {std::pair(&to_begin, "to_begin"), std::pair(&to_end, "to_end")})
    if (*part && !can_cast_same_kind((*part)->dtype(), array.dtype()))
      throw Error(ErrorKind::type, fmt::format("dtype of `{}` must be compatible with input `ary` under the `same_kind` rule.", name));
  if (to_begin) parts.push_back(ravel(*to_begin));
  parts.push_back(between);
  if (to_end) parts.push_back(ravel(*to_end));
  return parts.size() == 1 ? between : concatenate(parts, 0, array.dtype());
}

Array gradient(const Array& given, const Array& spacing, int64_t axis, int edge_order) {
  const size_t d = normal_axis(axis, given.ndim());
  const int64_t n = given.shape()[d];
  if (edge_order != 1 && edge_order != 2) throw Error(ErrorKind::value, "'edge_order' greater than 2 not supported");
  if (n < edge_order + 1)
    throw Error(ErrorKind::value, "Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required.");
  if (given.dtype() == Dtype::bool_) throw Error(ErrorKind::type, "gradient: bools have no differences").fix("x.astype(\"float64\")");
  const Array f = is_floating(given.dtype()) || is_complex(given.dtype()) ? given : astype(given, Dtype::float64);
  const auto part = [&](int64_t start, int64_t stop) { return sliced(f, axis, start, stop); };
  const auto at = [&](int64_t i) { return part(i, i + 1); };
  if (spacing.ndim() == 0) {
    const Array h = astype(spacing, real_part(f.dtype()));
    const Array middle = over(minus(part(2, n), part(0, n - 2)), times(h, 2.0));
    Array first = over(minus(at(1), at(0)), h), last = over(minus(at(n - 1), at(n - 2)), h);
    if (edge_order == 2) {
      const auto edge = [&](int64_t i, int64_t j, int64_t k, double a, double b, double c) { return plus(plus(times(over(a, h), at(i)), times(over(b, h), at(j))), times(over(c, h), at(k))); };
      first = edge(0, 1, 2, -1.5, 2.0, -0.5);
      last = edge(n - 3, n - 2, n - 1, 0.5, -2.0, 1.5);
    }
    const Array parts[] = {first, middle, last};
    return concatenate(parts, static_cast<int64_t>(d), f.dtype());
  }
  if (spacing.ndim() != 1) throw Error(ErrorKind::value, "distances must be either scalars or 1d");
  if (spacing.size() != n) throw Error(ErrorKind::value, "when 1d, distances must match the length of the corresponding dimension");
  Shape shape(given.shape().size(), 1);
  shape[d] = n - 1;
  const Array steps = reshape(diff(astype(spacing, is_floating(spacing.dtype()) ? spacing.dtype() : Dtype::float64), 1, 0), shape);
  const auto step = [&](int64_t start, int64_t stop) { return sliced(steps, axis, start, stop); };
  const Array h0 = step(0, n - 2), h1 = step(1, n - 1), sum = plus(h0, h1);
  const Array a = over(apply(Op::negative, {h1}), times(h0, sum)), b = over(minus(h1, h0), times(h0, h1)), c = over(h0, times(h1, sum));
  const Array middle = plus(plus(times(a, part(0, n - 2)), times(b, part(1, n - 1))), times(c, part(2, n)));
  Array first = over(minus(at(1), at(0)), step(0, 1)), last = over(minus(at(n - 1), at(n - 2)), step(n - 2, n - 1));
  if (edge_order == 2) {
    const auto edge = [&](int64_t i, bool is_first) {
      const Array near = step(is_first ? i : i + 1, is_first ? i + 1 : i + 2), far = step(is_first ? i + 1 : i, is_first ? i + 2 : i + 1), both = plus(near, far);
      const double sign = is_first ? 1 : -1;
      const Array outer = over(times(plus(times(near, 2.0), far), -sign), times(near, both)), inner = over(times(both, sign), times(near, far)), third = over(times(near, -sign), times(far, both));
      return plus(plus(times(outer, at(is_first ? i : i + 2)), times(inner, at(i + 1))), times(third, at(is_first ? i + 2 : i)));
    };
    first = edge(0, true);
    last = edge(n - 3, false);
  }
  const Array parts[] = {first, middle, last};
  return concatenate(parts, static_cast<int64_t>(d), f.dtype());
}

Array trapezoid(const Array& y, const std::optional<Array>& x, double dx, int64_t axis) {
  const size_t d = normal_axis(axis, y.ndim());
  const int64_t n = y.shape()[d];
  const Array sums = plus(sliced(y, axis, 1, std::max<int64_t>(n, 1)), sliced(y, axis, 0, std::max<int64_t>(n - 1, 0)));
  Array areas;
  if (x) {
    Array steps = diff(*x, 1, x->ndim() == 1 ? 0 : axis);
    if (x->ndim() == 1) {
      Shape shape(y.shape().size(), 1);
      shape[d] = steps.size();
      steps = reshape(steps, shape);
    }
    areas = over(times(steps, sums), 2.0);
  } else {
    areas = over(times(sums, dx), 2.0);
  }
  return reduce(ReduceOp::sum, areas, {Extents{axis}});
}

Array convolve(const Array& a, const Array& v, Overlap mode) {
  must_be_rows(a, v);
  return overlap(a, v, mode, (std::min(a.size(), v.size()) - 1) / 2);
}

Array correlate(const Array& a, const Array& v, Overlap mode) {
  must_be_rows(a, v);
  const Array turned = flip(is_complex(v.dtype()) ? apply(Op::conjugate, {v}) : v);
  const int64_t shorter = std::min(a.size(), v.size());
  return overlap(a, turned, mode, a.size() >= v.size() ? (shorter - 1) / 2 : shorter / 2);
}

Array cov(const Array& given, int64_t less, const std::optional<Array>& repeats, const std::optional<Array>& weights, std::optional<Dtype> wanted) {
  const Dtype dtype = wanted.value_or(promote(given.dtype(), is_complex(given.dtype()) ? Dtype::complex128 : Dtype::float64));
  const Array x = astype(given, dtype);
  const int64_t n = x.shape()[1];
  Device& device = x.device();
  std::optional<Array> w;
  if (repeats) w = astype(*repeats, Dtype::float64);
  if (weights) w = w ? times(*w, astype(*weights, Dtype::float64)) : astype(*weights, Dtype::float64);
  const Array total = w ? reduce(ReduceOp::sum, *w) : full({}, Scalar::of(static_cast<double>(n)), Dtype::float64, device);
  const Array mean = over(reduce(ReduceOp::sum, w ? times(x, *w) : x, {Extents{1}, true}), total);
  Array share = minus(total, static_cast<double>(less));
  if (weights && less != 0) share = minus(total, over(times(reduce(ReduceOp::sum, times(*w, astype(*weights, Dtype::float64))), static_cast<double>(less)), total));
  share = apply(Op::maximum, {share, 0.0});
  const Array centered = copy(minus(x, mean)), weighted = w ? copy(times(centered, *w)) : centered;  // its own transpose takes half the work
  const Array product = matmul(centered, transpose(is_complex(dtype) ? apply(Op::conjugate, {weighted}) : weighted));
  return astype(over(product, share), dtype);
}

Array corrcoef(const Array& covariances) {
  if (covariances.ndim() == 0) return over(covariances, covariances);
  const Array of_itself = diagonal_view(covariances);
  const Array spread = apply(Op::sqrt, {is_complex(of_itself.dtype()) ? apply(Op::absolute, {of_itself}) : of_itself});
  const Array result = over(over(covariances, expand_dims(spread, {1})), spread);
  return is_complex(result.dtype()) ? result : apply(Op::clip, {result, -1.0, 1.0});
}

}  // namespace kasoku
