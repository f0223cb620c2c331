/// Products of several arrays, and the parts of matrices.
#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/matmul.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/linalg_error.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace kasoku {
namespace {

/// Element i along the last axis.
Array component(const Array& x, int64_t i) {
  Index whole, one;
  whole.kind = Index::ellipsis;
  one.number_value = i;
  return get_view(x, {whole, one});
}

/// The real parts of complex numbers, or the imaginary ones, which are behind them.
Array part_of(const Array& x, bool is_imaginary) {
  const Dtype part = real_part(x.dtype());
  const Array seen = Array::view(x.buffer(), x.offset() + (is_imaginary ? static_cast<int64_t>(info(part).size) : 0), x.shape(), x.strides(), part);
  return x.is_read_only() ? seen.read_only() : seen;
}

}  // namespace

Array conjugate(const Array& x) { return is_complex(x.dtype()) ? apply(Op::conjugate, {x}) : x; }

Array real(const Array& x) { return is_complex(x.dtype()) ? part_of(x, false) : x; }
Array imaginary(const Array& x) { return is_complex(x.dtype()) ? part_of(x, true) : Array::zeros(x.shape(), x.dtype(), x.device()); }

Array triangle(const Array& x, bool lower, int64_t offset) {
  must_be_matrices(x);
  const Shape& shape = x.shape();
  const Array mask = lower_triangle(shape[shape.size() - 2], shape.back(), lower ? offset : offset - 1, x.device());
  const Array none = full({}, Scalar::of(0), x.dtype(), x.device());
  return lower ? apply(Op::where, {mask, x, none}) : apply(Op::where, {mask, none, x});
}

Array diagonal(const Array& x, int64_t offset, int64_t axis1, int64_t axis2) { return diagonal_view(x, offset, axis1, axis2).read_only(); }

Array trace(const Array& x, int64_t offset, int64_t axis1, int64_t axis2, std::optional<Dtype> dtype) {
  return reduce(ReduceOp::sum, diagonal(x, offset, axis1, axis2), {Extents{-1}}, dtype);
}

Array matrix_power(const Array& a, int64_t n) {
  must_be_matrices(a, true);
  if (n < 0) {
    if (n == std::numeric_limits<int64_t>::min()) throw Error(ErrorKind::value, "matrix_power: the exponent is too small");
    return matrix_power(inv(a), -n);
  }
  if (n == 0) {
    const int64_t side = a.shape().back();
    const Array i = arange(Scalar::of(0), Scalar::of(1), side, Dtype::int64, a.device());
    return copy(broadcast_to(astype(apply(Op::equal, {expand_dims(i, {1}), i}), a.dtype()), a.shape()));
  }
  if (n == 1) return copy(a);
  std::optional<Array> result;
  for (Array power = a;; power = matmul(power, power)) {
    if (n & 1) result = result ? matmul(*result, power) : power;
    if ((n >>= 1) == 0) return *result;
  }
}

Array multi_dot(std::span<const Array> given) {
  const size_t n = given.size();
  if (n < 2) throw Error(ErrorKind::value, "Expecting at least two arrays.");
  std::vector<Array> arrays(given.begin(), given.end());
  const bool starts_with_vector = arrays[0].ndim() == 1, ends_with_vector = arrays[n - 1].ndim() == 1;
  if (starts_with_vector) arrays[0] = expand_dims(arrays[0], {0});
  if (ends_with_vector) arrays[n - 1] = expand_dims(arrays[n - 1], {1});
  for (const Array& a : arrays)
    if (a.ndim() != 2) throw LinAlgError(std::to_string(a.ndim()) + "-dimensional array given. Array must be two-dimensional");
  // The least cost of each run of factors, and where it is cut.
  std::vector<double> cost(n * n, 0);
  std::vector<size_t> cut(n * n, 0);
  const auto side = [&](size_t i) { return static_cast<double>(i < n ? arrays[i].shape()[0] : arrays[n - 1].shape()[1]); };
  for (size_t length = 1; length < n; ++length)
    for (size_t i = 0; i + length < n; ++i) {
      const size_t j = i + length;
      cost[i * n + j] = std::numeric_limits<double>::infinity();
      for (size_t k = i; k < j; ++k) {
        const double here = cost[i * n + k] + cost[(k + 1) * n + j] + side(i) * side(k + 1) * side(j + 1);
        if (here < cost[i * n + j]) cost[i * n + j] = here, cut[i * n + j] = k;
      }
    }
  const std::function<Array(size_t, size_t)> run = [&](size_t i, size_t j) {
    return i == j ? arrays[i] : matmul(run(i, cut[i * n + j]), run(cut[i * n + j] + 1, j));
  };
  Array result = run(0, n - 1);
  if (starts_with_vector) result = squeeze(result, Extents{0});
  return ends_with_vector ? squeeze(result, Extents{-1}) : result;
}

Array tensorsolve(const Array& given, const Array& b, const std::optional<Extents>& axes) {
  Array a = given;
  if (axes) {
    Extents order;
    const auto moved = [&](int64_t axis) { return std::find(axes->begin(), axes->end(), axis) != axes->end(); };
    for (int64_t axis : *axes) normal_axis(axis, a.ndim());
    for (int64_t d = 0; d < a.ndim(); ++d)
      if (!moved(d) && !moved(d - a.ndim())) order.push_back(d);
    for (int64_t axis : *axes) order.push_back(static_cast<int64_t>(normal_axis(axis, a.ndim())));
    a = transpose(a, order);
  }
  if (a.ndim() < b.ndim()) throw LinAlgError("tensorsolve: the first array has fewer axes than the second");
  const Shape shape(a.shape().begin() + b.ndim(), a.shape().end());
  const int64_t side = product(shape);
  if (a.size() != side * side) throw LinAlgError("Input arrays must satisfy the requirement prod(a.shape[b.ndim:]) == prod(a.shape[:b.ndim])");
  return reshape(solve(reshape(a, {side, side}), ravel(b)), shape);
}

Array tensorinv(const Array& a, int64_t ind) {
  if (ind <= 0) throw Error(ErrorKind::value, "Invalid ind argument.").fix("ind=1 or more");
  const auto first = std::min<size_t>(static_cast<size_t>(ind), a.shape().size());
  Shape shape(a.shape().begin() + static_cast<int64_t>(first), a.shape().end());
  const int64_t columns = product(shape);
  for (size_t d = 0; d < first; ++d) shape.push_back(a.shape()[d]);
  return reshape(inv(reshape(a, {a.size() / std::max<int64_t>(columns, 1), columns})), shape);
}

Array outer(const Array& a, const Array& b) { return apply(Op::multiply, {expand_dims(ravel(a), {1}), ravel(b)}); }

Array vecdot(const Array& a, const Array& b, int64_t axis) {
  if (a.ndim() == 0 || b.ndim() == 0) throw Error(ErrorKind::value, "vecdot: an operand has no axes");
  const Array x = moveaxis(a, {axis}, {-1}), y = moveaxis(b, {axis}, {-1});
  if (x.shape().back() != y.shape().back())
    throw Error(ErrorKind::value, "vecdot: vectors of " + std::to_string(x.shape().back()) + " and of " + std::to_string(y.shape().back()) + " elements do not match");
  const Array products = apply(Op::multiply, {conjugate(x), y});
  return reduce(ReduceOp::sum, products, {Extents{-1}}, products.dtype());
}

Array cross(const Array& a, const Array& b, int64_t axis_a, int64_t axis_b, int64_t axis_c) {
  const Array x = moveaxis(a, {axis_a}, {-1}), y = moveaxis(b, {axis_b}, {-1});
  const int64_t nx = x.shape().back(), ny = y.shape().back();
  if ((nx != 2 && nx != 3) || (ny != 2 && ny != 3))
    throw Error(ErrorKind::value, "incompatible dimensions for cross product\n(dimension must be 2 or 3)");
  const auto difference = [&](int64_t i, int64_t j) -> std::optional<Array> {
    const auto part = [&](int64_t p, int64_t q) { return p < nx && q < ny ? std::optional(apply(Op::multiply, {component(x, p), component(y, q)})) : std::nullopt; };
    const std::optional<Array> first = part(i, j), second = part(j, i);
    return first && second ? apply(Op::subtract, {*first, *second}) : first ? *first : second ? std::optional(apply(Op::negative, {*second})) : std::nullopt;
  };
  const Array z = *difference(0, 1);
  if (nx == 2 && ny == 2) return z;
  const std::vector<Array> parts{*difference(1, 2), *difference(2, 0), z};
  const auto to = static_cast<int64_t>(normal_axis(axis_c, z.ndim() + 1));
  return stack(parts, to);
}

}  // namespace kasoku
