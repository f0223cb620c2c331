#include "kasoku/array/reduce.h"

#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/base/axis_error.h"

#include <algorithm>
#include <functional>
#include <string>

namespace kasoku {

namespace {

bool is_arg(ReduceOp op) { return op == ReduceOp::argmin || op == ReduceOp::argmax; }

std::string name(ReduceOp op) {
  constexpr const char* names[] = {"sum", "prod", "min", "max", "any", "all", "argmin", "argmax"};
  return names[static_cast<size_t>(op)];
}

std::vector<uint8_t> reduced_axes(const Array& array, const Axes& axes) {
  const int64_t ndim = array.ndim();
  std::vector<uint8_t> reduced(static_cast<size_t>(ndim), !axes.axes);
  if (!axes.axes) return reduced;
  for (int64_t axis : *axes.axes) {
    if (ndim == 0 && (axis == 0 || axis == -1)) continue;  // a number's only axis, NumPy says
    const int64_t d = axis < 0 ? axis + ndim : axis;
    if (d < 0 || d >= ndim)
      throw AxisError(axis, ndim);
    if (reduced[static_cast<size_t>(d)]) throw Error(ErrorKind::value, "duplicate value in 'axis'");
    reduced[static_cast<size_t>(d)] = 1;
  }
  return reduced;
}

Dtype accumulator(ReduceOp op, Dtype dtype, std::optional<Dtype> wanted) {
  switch (op) {
    case ReduceOp::any:
    case ReduceOp::all: return Dtype::bool_;
    case ReduceOp::sum:
    case ReduceOp::prod:
      if (wanted) return register_dtype(*wanted);
      if (dtype == Dtype::bool_ || info(dtype).kind == DtypeKind::signed_) return Dtype::int64;
      if (info(dtype).kind == DtypeKind::unsigned_) return Dtype::uint64;
      return register_dtype(dtype);
    default: return register_dtype(dtype);
  }
}

int64_t n_reduced(const Array& array, const Axes& axes) {
  const auto reduced = reduced_axes(array, axes);
  int64_t n = 1;
  for (size_t d = 0; d < reduced.size(); ++d)
    if (reduced[d]) n *= array.shape()[d];
  return n;
}

/// What mean and var compute in, and what they give.
std::pair<Dtype, Dtype> mean_dtypes(Dtype dtype, std::optional<Dtype> wanted) {
  if (wanted) return {register_dtype(*wanted), *wanted};
  if (is_floating(dtype)) return {register_dtype(dtype), dtype};
  if (is_complex(dtype)) return {dtype, dtype};
  return {Dtype::float64, Dtype::float64};
}

}  // namespace

Array reduce(ReduceOp op, const Array& array, const Axes& axes, std::optional<Dtype> dtype) {
  if (array.dtype() == Dtype::opaque) throw Error(ErrorKind::type, "records have no " + name(op));
  const bool is_ordered = op == ReduceOp::min || op == ReduceOp::max || is_arg(op);
  if (is_complex(array.dtype()) && is_ordered) throw Error(ErrorKind::type, name(op) + " is not defined for complex arrays");
  Expression expression;
  expression.kind = Expression::reduce;
  expression.reduce_op = op;
  expression.is_reduced = reduced_axes(array, axes);
  expression.compute = accumulator(op, array.dtype(), dtype);
  Shape shape;
  bool is_empty = false;
  for (size_t d = 0; d < expression.is_reduced.size(); ++d) {
    const int64_t length = array.shape()[d];
    if (!expression.is_reduced[d]) shape.push_back(length);
    else if (axes.keepdims) shape.push_back(1);
    is_empty |= expression.is_reduced[d] && length == 0;
  }
  const bool has_identity = op != ReduceOp::min && op != ReduceOp::max && !is_arg(op);
  if (is_empty && !has_identity) {
    if (is_arg(op)) throw Error(ErrorKind::value, "attempt to get " + name(op) + " of an empty sequence");
    throw Error(ErrorKind::value, "zero-size array to reduction operation " + name(op) + "imum which has no identity");
  }
  const Dtype given = is_arg(op) ? Dtype::int64 : expression.compute;
  std::optional<Array> at_once;
  if (std::ranges::all_of(expression.is_reduced, std::identity())) at_once = reduce_directly(op, expression.compute, array, shape);
  if (!at_once) expression.inputs.push_back(array.input());
  const Array result = at_once ? *at_once : Array::of(make_node(shape, given, array.device(), std::move(expression)));
  const Dtype expected = is_arg(op)  ? Dtype::int64
                         : dtype     ? *dtype
                         : is_floating(array.dtype()) && given != Dtype::bool_ ? array.dtype()
                                                                               : given;
  return expected == given ? result : astype(result, expected);
}

Array mean(const Array& array, const Axes& axes, std::optional<Dtype> dtype) {
  const auto [compute, result] = mean_dtypes(array.dtype(), dtype);
  const Array total = reduce(ReduceOp::sum, array, axes, compute);
  const Array quotient = apply(Op::divide, {total, static_cast<double>(n_reduced(array, axes))});
  return quotient.dtype() == result ? quotient : astype(quotient, result);
}

Array var(const Array& array, const Axes& axes, double ddof, std::optional<Dtype> dtype) {
  const auto [compute, result] = mean_dtypes(array.dtype(), dtype);
  const Array wide = array.dtype() == compute ? array : astype(array, compute);
  const Array center = mean(wide, {axes.axes, true});
  const Array distance = apply(Op::subtract, {wide, center});
  const Array squares = apply(Op::square, {is_complex(compute) ? apply(Op::absolute, {distance}) : distance});
  const Array total = reduce(ReduceOp::sum, squares, axes);
  double n = static_cast<double>(n_reduced(array, axes)) - ddof;
  if (n < 0) n = 0;
  const Array quotient = apply(Op::divide, {total, n});
  return quotient.dtype() == result || is_complex(result) ? quotient : astype(quotient, result);
}

Array std_(const Array& array, const Axes& axes, double ddof, std::optional<Dtype> dtype) {
  return apply(Op::sqrt, {var(array, axes, ddof, dtype)});
}

Array count_nonzero(const Array& array, const Axes& axes) {
  return reduce(ReduceOp::sum, array.dtype() == Dtype::bool_ ? array : astype(array, Dtype::bool_), axes);
}

}  // namespace kasoku
