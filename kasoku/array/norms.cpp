/// Norms of vectors and matrices, and what says how near to singular a matrix is.
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/linalg_error.h"

#include <cmath>
#include <limits>

namespace kasoku {
namespace {

Array floats(const Array& x) { return is_floating(x.dtype()) || is_complex(x.dtype()) ? x : astype(x, Dtype::float64); }

Array root_of_squares(const Array& x, const Over& over) {
  const Array size = is_complex(x.dtype()) ? apply(Op::absolute, {x}) : x;
  return apply(Op::sqrt, {reduce(ReduceOp::sum, apply(Op::multiply, {size, size}), over)});
}

/// The first or last of the elements along the last axis.
Array at_end(const Array& x, bool last) {
  Index whole, one;
  whole.kind = Index::ellipsis;
  one.number_value = last ? -1 : 0;
  return get_view(x, {whole, one});
}

}  // namespace

Array vector_norm(const Array& given, double order, const std::optional<Extents>& axes, bool keepdims) {
  const Array x = floats(given);
  const Over over{axes, keepdims};
  const auto size = [&] { return apply(Op::absolute, {x}); };
  if (order == 2) return root_of_squares(x, over);
  if (std::isinf(order)) return order < 0 ? reduce(ReduceOp::min, size(), over) : reduce(ReduceOp::max, size(), {axes, keepdims, std::nullopt, Scalar::of(0.0)});
  if (order == 0) return reduce(ReduceOp::sum, astype(apply(Op::not_equal, {x, 0}), real_part(x.dtype())), over);
  if (order == 1) return reduce(ReduceOp::sum, size(), over);
  return apply(Op::power, {reduce(ReduceOp::sum, apply(Op::power, {size(), order}), over), 1 / order});
}

Array matrix_norm(const Array& given, NormOrder order, std::pair<int64_t, int64_t> axes, bool keepdims) {
  const Array x = floats(given);
  if (x.ndim() < 2) throw Error(ErrorKind::value, "matrix_norm: a matrix has two axes, the array has " + std::to_string(x.ndim()));
  const auto row = static_cast<int64_t>(normal_axis(axes.first, x.ndim())), column = static_cast<int64_t>(normal_axis(axes.second, x.ndim()));
  if (row == column) throw Error(ErrorKind::value, "Duplicate axes given.");
  if (order.kind == NormOrder::none || order.kind == NormOrder::fro) return root_of_squares(x, {Extents{row, column}, keepdims});
  const auto kept = [&](const Array& result) { return keepdims ? expand_dims(result, {std::min(row, column), std::max(row, column)}) : result; };
  const auto singular = [&] { return svdvals(moveaxis(x, {row, column}, {-2, -1})); };
  if (order.kind == NormOrder::nuc) return kept(reduce(ReduceOp::sum, singular(), {Extents{-1}}));
  const Over last{Extents{-1}, false, std::nullopt, order.p > 0 ? std::optional(Scalar::of(0.0)) : std::nullopt};
  const ReduceOp which = order.p > 0 ? ReduceOp::max : ReduceOp::min;
  if (std::abs(order.p) == 2) return kept(reduce(which, singular(), last));
  if (std::abs(order.p) != 1 && !std::isinf(order.p)) throw Error(ErrorKind::value, "Invalid norm order for matrices.").fix("ord= 1, -1, 2, -2, inf, -inf, \"fro\" or \"nuc\"");
  const int64_t summed = std::isinf(order.p) ? column : row, other = std::isinf(order.p) ? row : column;
  const Array sums = reduce(ReduceOp::sum, apply(Op::absolute, {x}), {Extents{summed}});
  return kept(reduce(which, sums, {Extents{other > summed ? other - 1 : other}, false, std::nullopt, last.initial}));
}

Array norm(const Array& x, NormOrder order, const std::optional<Extents>& axes, bool keepdims) {
  if (!axes && order.kind == NormOrder::none) {
    const Array all = vector_norm(ravel(x), 2);
    return keepdims ? reshape(all, Shape(static_cast<size_t>(x.ndim()), 1)) : all;
  }
  const size_t n = axes ? axes->size() : static_cast<size_t>(x.ndim());
  if (n == 1) {
    if (order.kind == NormOrder::fro || order.kind == NormOrder::nuc) throw Error(ErrorKind::value, std::string("Invalid norm order '") + (order.kind == NormOrder::fro ? "fro" : "nuc") + "' for vectors");
    return vector_norm(x, order.kind == NormOrder::none ? 2 : order.p, axes ? *axes : Extents{0}, keepdims);
  }
  if (n != 2) throw Error(ErrorKind::value, "Improper number of dimensions to norm.").why("a norm is of vectors along one axis or of matrices along two, here are " + std::to_string(n));
  return matrix_norm(x, order, axes ? std::pair{(*axes)[0], (*axes)[1]} : std::pair<int64_t, int64_t>{0, 1}, keepdims);
}

Array cond(const Array& given, NormOrder order) {
  must_be_matrices(given);
  if (given.shape().end()[-1] * given.shape().end()[-2] == 0) throw LinAlgError("cond is not defined on empty arrays");
  const Array x = in_linalg_dtype(given);
  Array ratio;
  if (order.kind == NormOrder::none || (order.kind == NormOrder::number && std::abs(order.p) == 2)) {
    const Array s = svdvals(x);
    const bool is_least = order.kind == NormOrder::number && order.p < 0;
    ratio = apply(Op::divide, {at_end(s, is_least), at_end(s, !is_least)});
  } else {
    must_be_matrices(x, true);
    ratio = apply(Op::multiply, {matrix_norm(x, order), matrix_norm(inv_or_nan(x), order)});
  }
  // No number where nothing was none: the matrix is singular.
  const Array was_nan = reduce(ReduceOp::any, apply(Op::isnan, {x}), {Extents{-2, -1}});
  const Array is_infinite = apply(Op::logical_and, {apply(Op::isnan, {ratio}), apply(Op::logical_not, {was_nan})});
  return apply(Op::where, {is_infinite, full({}, Scalar::of(std::numeric_limits<double>::infinity()), ratio.dtype(), x.device()), ratio});
}

}  // namespace kasoku
