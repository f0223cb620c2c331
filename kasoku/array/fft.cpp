#include "kasoku/fft/fft.h"

#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fft.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/device/replay.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace kasoku {
namespace {

/// What is computed in: float32 of numbers with so few bits.
Dtype real_of(const Array& x) {
  if (x.dtype() == Dtype::opaque) throw Error(ErrorKind::type, "records have no Fourier transform");
  const Dtype part = real_part(x.dtype());
  return is_floating(part) && part != Dtype::float64 ? Dtype::float32 : Dtype::float64;
}

Index part(int64_t start, int64_t stop, int64_t step = 1) {
  Index x;
  x.kind = Index::slice;
  x.start = start, x.stop = stop, x.step = step;
  return x;
}

/// Elements start … stop of one axis.
Array along(const Array& x, int64_t axis, int64_t start, int64_t stop, int64_t step = 1) {
  std::vector<Index> index(x.shape().size(), part(0, std::numeric_limits<int64_t>::max()));
  index[static_cast<size_t>(axis)] = part(start, stop, step);
  return get_item(x, index);
}

/// With these lengths: cut, or filled up with zeros.
Array fitted(const Array& x, const Shape& lengths) {
  if (x.shape() == lengths) return x;
  std::vector<Index> index;
  bool grows = false;
  for (size_t d = 0; d < lengths.size(); ++d) {
    index.push_back(part(0, std::min(lengths[d], x.shape()[d])));
    grows |= lengths[d] > x.shape()[d];
  }
  const Array own = get_item(x, index);
  if (!grows) return own;
  const Array whole = Array::zeros(lengths, x.dtype(), x.device());
  set_item(whole, index, own);
  return whole;
}

/// One call of the library. lengths: of the larger array.
void call(fft::Kind kind, bool is_forward, const Array& from, const Array& to, const Shape& lengths, const Extents& axes, double factor) {
  fft::Transform problem;
  problem.kind = kind;
  problem.is_forward = is_forward;
  problem.real = real_part(to.dtype());
  problem.lengths = lengths;
  problem.axes = axes;
  problem.from = from.data_for_call();
  problem.to = to.data();
  problem.from_strides = from.strides(), problem.to_strides = to.strides();
  problem.factor = factor;
  call_library(to.device(), {problem.from, problem.to},
               [problem, &device = to.device()](Stream& stream) { fft::transform(problem, device, stream); });
}

/// The transform of an array that has its lengths and its dtype.
Array transformed(fft::Kind kind, bool is_forward, const Array& x, const Shape& shape, Dtype dtype, const Shape& lengths, const Extents& axes, double factor) {
  Device& device = x.device();
  if (product(shape) == 0) return Array::empty(shape, dtype, device);
  if (!fft::limits(device).is_plain) {
    const Array result = Array::empty(shape, dtype, device);
    call(kind, is_forward, x, result, lengths, axes, factor);
    return result;
  }
  // The axes become the last ones, and go back in a view.
  Extents last, order;
  for (size_t i = 0; i < axes.size(); ++i) last.push_back(static_cast<int64_t>(i) - static_cast<int64_t>(axes.size()));
  for (int64_t d = 0; d < x.ndim(); ++d)
    if (std::find(axes.begin(), axes.end(), d) == axes.end()) order.push_back(d);
  for (const int64_t axis : axes) order.push_back(axis);
  const bool is_turned = !std::is_sorted(order.begin(), order.end());
  const auto moved = [&](const Shape& from) {
    if (!is_turned) return from;
    Shape out;
    for (const int64_t d : order) out.push_back(from[static_cast<size_t>(d)]);
    return out;
  };
  const Array turned = is_turned ? transpose(x, order) : x;
  // What is used up is a copy, which has the factor at once.
  const bool is_copied = kind == fft::Kind::from_half;
  const Array from = !is_copied ? contiguous(turned) : factor == 1 ? copy(turned) : contiguous(apply(Op::multiply, {turned, std::exchange(factor, 1)}));
  const Array result = Array::empty(moved(shape), dtype, device);
  Extents places;
  for (const int64_t axis : last) places.push_back(axis + x.ndim());
  call(kind, is_forward, from, result, moved(lengths), places, 1);
  const Array back = is_turned ? moveaxis(result, last, axes) : result;
  return factor == 1 ? back : apply(Op::multiply, {back, factor});
}

/// Of real numbers along one axis: the first half, and what follows from it.
Array from_real(const Array& x, bool is_forward, int64_t axis, double factor) {
  const int64_t n = x.shape()[static_cast<size_t>(axis)], first = n / 2 + 1;
  const Dtype dtype = complex_of_parts(x.dtype());
  const bool is_plain = fft::limits(x.device()).is_plain;
  const Array from = is_plain ? contiguous(moveaxis(factor == 1 ? x : apply(Op::multiply, {x, factor}), {axis}, {-1})) : x;
  const int64_t last = is_plain ? x.ndim() - 1 : axis;
  const Array whole = Array::empty(from.shape(), dtype, x.device());
  if (x.size()) call(fft::Kind::to_half, true, from, along(whole, last, 0, first), from.shape(), {last}, is_plain ? 1 : factor);
  const Array result = is_plain ? moveaxis(whole, {-1}, {axis}) : whole;
  if (n > 2) along(result, axis, first, n).assign(conjugate(along(result, axis, (n - 1) / 2, 0, -1)));
  return is_forward ? result : conjugate(result);
}

bool is_twice_in(Extents axes) {
  std::sort(axes.begin(), axes.end());
  return std::adjacent_find(axes.begin(), axes.end()) != axes.end();
}

/// An axis that is there twice is transformed twice. Real numbers go in first and come out last, along the last axis
/// named; the lengths are those that the array had.
Array one_by_one(Fourier kind, const Array& given, const std::optional<Extents>& lengths, const Extents& axes,
                 FftNorm norm) {
  const bool is_back = kind == Fourier::half_inverse;
  const size_t n = axes.size();
  Array x = given;
  for (size_t step = 0; step < n; ++step) {
    const size_t i = is_back ? step : n - 1 - step;
    const Fourier of_one = i + 1 == n              ? kind
                           : is_back               ? Fourier::inverse
                           : kind == Fourier::half ? Fourier::forward
                                                   : kind;
    const int64_t own = given.shape()[static_cast<size_t>(axes[i])],
                  usual = is_back && i + 1 == n ? 2 * (own - 1) : own;
    x = fourier(of_one, x, Extents{lengths && (*lengths)[i] != -1 ? (*lengths)[i] : usual}, Extents{axes[i]}, norm);
  }
  return x;
}

}  // namespace

Array fourier(Fourier kind, const Array& given, const std::optional<Extents>& lengths_given, const std::optional<Extents>& axes_given, FftNorm norm) {
  Extents axes;
  if (axes_given) {
    for (const int64_t axis : *axes_given) axes.push_back(static_cast<int64_t>(normal_axis(axis, given.ndim())));
  } else {
    const int64_t n = lengths_given ? static_cast<int64_t>(lengths_given->size()) : given.ndim();
    for (int64_t i = 0; i < n; ++i) axes.push_back(static_cast<int64_t>(normal_axis(i - n, given.ndim())));
  }
  if (lengths_given && lengths_given->size() != axes.size()) throw Error(ErrorKind::value, "Shape and axes have different lengths.");
  if (axes.empty() && (kind == Fourier::half || kind == Fourier::half_inverse)) throw Error(ErrorKind::index, "at least 1 axis must be transformed");
  if (axes.empty()) return given;  // in its own dtype, as NumPy gives it
  if (is_twice_in(axes)) return one_by_one(kind, given, lengths_given, axes, norm);
  const bool is_inverse = kind == Fourier::inverse || kind == Fourier::half_inverse;
  if (kind == Fourier::half && is_complex(given.dtype())) throw Error(ErrorKind::type, "a transform of real numbers takes no array of " + std::string(info(given.dtype()).name)).fix("fft, which takes complex numbers");

  // The shapes of what goes in, and of the larger of the two arrays.
  Shape in = given.shape(), whole = given.shape();
  double count = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    const auto axis = static_cast<size_t>(axes[i]);
    const bool halves = kind == Fourier::half_inverse && i + 1 == axes.size();
    int64_t n = lengths_given ? (*lengths_given)[i] : -1;
    if (n == -1) n = halves ? 2 * (given.shape()[axis] - 1) : given.shape()[axis];
    if (n < 1) throw Error(ErrorKind::value, "Invalid number of FFT data points (" + std::to_string(n) + ") specified.");
    whole[axis] = n, in[axis] = halves ? n / 2 + 1 : n;
    count *= static_cast<double>(n);
  }
  const double factor = norm == FftNorm::ortho ? 1 / std::sqrt(count) : (norm == FftNorm::forward) != is_inverse ? 1 / count : 1;
  const Dtype real = real_of(given), dtype = complex_of_parts(real);
  const Dtype gives = axes.size() == 1 && given.dtype() == Dtype::float16 ? Dtype::float16 : real;  // real numbers, NumPy says
  const bool is_real = !is_complex(given.dtype()) && kind != Fourier::half_inverse;
  const Dtype wanted = is_real ? real : dtype;
  Array x = fitted(as_dtype(given, wanted), in);
  if (axes.empty()) return astype(x, dtype);
  const size_t most = fft::limits(x.device()).axes;
  // What the library takes at once: the first or last of some axes.
  const auto split = [most](Extents& from, bool last) {
    const auto n = static_cast<int64_t>(std::min(most, from.size()));
    const Extents taken = last ? Extents(from.end() - n, from.end()) : Extents(from.begin(), from.begin() + n);
    from = last ? Extents(from.begin(), from.end() - n) : Extents(from.begin() + n, from.end());
    return taken;
  };
  double left = factor;
  // One element is its own transform, and cuFFT takes an innermost axis of one for none.
  const bool is_one = (kind == Fourier::half || kind == Fourier::half_inverse) && whole[static_cast<size_t>(axes[axes.size() - 1])] == 1;
  if (is_one) axes.resize(axes.size() - 1);
  if (kind == Fourier::half_inverse && !is_one) {
    const Extents last = split(axes, true);
    while (!axes.empty()) x = transformed(fft::Kind::complex, false, x, x.shape(), dtype, x.shape(), split(axes, false), std::exchange(left, 1));
    return as_dtype(transformed(fft::Kind::from_half, false, x, whole, real, whole, last, left), gives);
  }
  if (is_one) {
    x = astype(x, dtype);
  } else if (kind == Fourier::half) {
    Shape shape = whole;
    int64_t& length = shape[static_cast<size_t>(axes[axes.size() - 1])];
    length = length / 2 + 1;
    x = transformed(fft::Kind::to_half, true, x, shape, dtype, whole, split(axes, true), std::exchange(left, 1));
  } else if (is_real) {
    x = from_real(x, kind == Fourier::forward, axes[axes.size() - 1], std::exchange(left, 1));
    axes.resize(axes.size() - 1);
  }
  while (!axes.empty())
    x = transformed(fft::Kind::complex, !is_inverse, x, x.shape(), dtype, x.shape(), split(axes, false),
                    std::exchange(left, 1));
  if (left != 1) x = apply(Op::multiply, {x, left});  // no axis was left
  return kind == Fourier::half_inverse ? copy(as_dtype(kasoku::real(x), gives)) : x;
}

Array frequencies(int64_t n, double d, bool half, Device& device) {
  if (n < 1) throw Error(ErrorKind::value, "frequencies are of at least one element, not of " + std::to_string(n));
  const int64_t positive = half ? n / 2 + 1 : (n - 1) / 2 + 1;
  const Array k = arange(Scalar::of(0), Scalar::of(1), half ? positive : n, Dtype::int64, device);
  const Array order = half ? k : apply(Op::where, {apply(Op::less, {k, positive}), k, apply(Op::subtract, {k, n})});
  return apply(Op::multiply, {order, 1.0 / (static_cast<double>(n) * d)});
}

Array shifted(const Array& x, const std::optional<Extents>& axes, bool back) {
  Extents all(static_cast<size_t>(x.ndim()));
  std::iota(all.begin(), all.end(), 0);
  const Extents& moved = axes ? *axes : all;
  Extents shifts;
  for (const int64_t axis : moved) {
    const int64_t n = x.shape()[normal_axis(axis, x.ndim())];
    shifts.push_back(back ? -(n / 2) : n / 2);
  }
  if (moved.empty()) return copy(x);
  return roll(x, {shifts.begin(), shifts.end()}, moved);
}

}  // namespace kasoku
