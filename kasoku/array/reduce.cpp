#include "kasoku/array/reduce.h"

#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/axis_error.h"
#include "kasoku/compile/backends.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace kasoku {

namespace {

std::vector<uint8_t> reduced_axes(const Array& array, const Over& over) {
  const int64_t ndim = array.ndim();
  std::vector<uint8_t> reduced(static_cast<size_t>(ndim), !over.axes);
  if (!over.axes) return reduced;
  for (int64_t axis : *over.axes) {
    if (ndim == 0 && (axis == 0 || axis == -1)) continue;  // a number's only axis, NumPy says
    const size_t d = normal_axis(axis, ndim);
    if (reduced[d]) throw Error(ErrorKind::value, "duplicate value in 'axis'");
    reduced[d] = 1;
  }
  return reduced;
}

Array number(Scalar value, Dtype dtype, const Array& like) { return full({}, value, dtype, like.device()); }

/// What is reduced: the elements as the row takes them, and the identity where a mask leaves them out.
Array taken(ReduceOp op, Array x, const Over& over, Dtype compute) {
  const ReductionInfo& row = info(op);
  if (is_of_truth(op, compute) && x.dtype() != Dtype::bool_) x = astype(x, Dtype::bool_);
  std::optional<Array> mask = over.where;
  if (mask && mask->dtype() != Dtype::bool_)
    throw Error(ErrorKind::type, fmt::format("where= is a mask of bools, not of {}", info(mask->dtype()).name));
  if (mask && broadcast(mask->shape(), x.shape()) != x.shape())
    throw Error(ErrorKind::value, fmt::format("a mask of shape {} does not stretch to that of the array, {}", str(mask->shape()), str(x.shape())));
  if (row.takes == ReductionInfo::numbers && (is_floating(x.dtype()) || is_complex(x.dtype()))) {
    const Array numbers = apply(Op::equal, {x, x});
    if (row.keeps_position() && is_true(reduce(ReduceOp::any, reduce(ReduceOp::all, apply(Op::logical_not, {numbers}), over))))
      throw Error(ErrorKind::value, "All-NaN slice encountered");
    mask = mask ? apply(Op::logical_and, {*mask, numbers}) : numbers;
  }
  return mask ? apply(Op::where, {*mask, x, number(identity(op, x.dtype()), x.dtype(), x)}) : x;
}

/// One of the numbers of each result of a row that has several.
Array number_of(const Array& results, int64_t k) {
  Input all = results.input();
  View& view = all.view;
  view.offset += k * view.strides.back();
  view.shape.pop_back();
  view.strides.pop_back();
  return Array::of(all.node, view, results.dtype(), results.itemsize(), true);
}

/// Whether elements of that dtype are reduced in, and to, this one unless another is asked for.
bool is_own_dtype(ReduceOp op, Dtype elements, Dtype dtype) {
  const OpTypes own = reduction_types(op, elements, std::nullopt), asked = reduction_types(op, elements, dtype);
  return own.compute == asked.compute && own.result == asked.result;
}

/// The distances of elements from the first one of those that they are reduced with.
Array from_first(const Array& x, Dtype dtype, const std::vector<uint8_t>& is_reduced) {
  const Array wide = as_dtype(x, dtype);
  Input first = wide.input();
  for (size_t d = 0; d < is_reduced.size(); ++d)
    if (is_reduced[d]) first.view.strides[d] = 0;
  return apply(Op::subtract, {wide, Array::of(first.node, first.view, dtype, wide.itemsize(), true)});
}

/// How many elements each result is of, less `less`, to divide a `dtype` by.
Operand count(const Array& array, const Over& over, Dtype dtype, double less = 0) {
  if (over.where) {
    const Array n = reduce(ReduceOp::sum, broadcast_to(*over.where, array.shape()), {over.axes, over.keepdims});
    return apply(Op::maximum, {apply(Op::subtract, {astype(n, real_part(dtype)), less}), 0.0});
  }
  if (over.axes && !over.axes->empty() && array.ndim() == 0) throw AxisError((*over.axes)[0], 0);  // here NumPy finds none, but where there is a mask
  double n = 1;
  const auto reduced = reduced_axes(array, over);
  for (size_t d = 0; d < reduced.size(); ++d)
    if (reduced[d]) n *= static_cast<double>(array.shape()[d]);
  return std::max(n - less, 0.0);
}

/// The real and the imaginary parts of complex numbers.
std::pair<Array, Array> parts_of(const Array& array) {
  const Dtype part = real_part(array.dtype());
  const Array turned = apply(Op::multiply, {array, number(Scalar::of(std::complex<double>(0, -1)), array.dtype(), array)});
  return {astype(array, part), astype(turned, part)};
}

/// What mean and var compute in, and what they give.
std::pair<Dtype, Dtype> mean_dtypes(Dtype dtype, std::optional<Dtype> wanted) {
  if (wanted) return {register_dtype(*wanted), *wanted};
  if (is_floating(dtype)) return {register_dtype(dtype), dtype};
  if (is_complex(dtype)) return {dtype, dtype};
  return {Dtype::float64, Dtype::float64};
}

}  // namespace

Scalar identity(ReduceOp op, Dtype dtype) {
  const auto of = info(op).identity[is_floating(dtype) || is_complex(dtype)];
  const bool is_highest = of == ReductionInfo::highest, is_signed = info(dtype).kind == DtypeKind::signed_;
  if (of == ReductionInfo::zero || of == ReductionInfo::one) return Scalar::of(of == ReductionInfo::one);
  if (of == ReductionInfo::nan) return Scalar::of(std::numeric_limits<double>::quiet_NaN());
  const double infinity = is_highest ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  if (is_floating(dtype)) return Scalar::of(infinity);
  if (is_complex(dtype)) return Scalar::of(std::complex<double>(infinity, infinity));
  if (dtype == Dtype::bool_) return Scalar::of(is_highest);
  const uint64_t most = ~uint64_t{0} >> (64 - 8 * info(dtype).size + is_signed);
  if (!is_signed) return Scalar::of(is_highest ? most : uint64_t{0});
  return Scalar::of(is_highest ? static_cast<int64_t>(most) : -static_cast<int64_t>(most) - 1);
}

Array reduce(ReduceOp op, const Array& array, const Over& over, std::optional<Dtype> dtype) {
  const std::vector<uint8_t> is_reduced = reduced_axes(array, over);
  const bool is_whole = std::ranges::find(is_reduced, 0) == is_reduced.end();
  const bool is_plain = is_whole && !over.keepdims && !over.where && !over.initial && (!dtype || is_own_dtype(op, array.dtype(), *dtype));
  if (Array known = is_plain ? reduce_again(op, array) : Array(); !known.is_null()) return known;
  const ReductionInfo& row = info(op);
  const OpTypes types = reduction_types(op, array.dtype(), dtype);
  Shape shape;
  bool is_empty = false;
  for (size_t d = 0; d < is_reduced.size(); ++d) {
    const int64_t length = array.shape()[d];
    if (!is_reduced[d]) shape.push_back(length);
    else if (over.keepdims) shape.push_back(1);
    is_empty |= is_reduced[d] && length == 0;
  }
  const bool has_moments = row.result == ReductionInfo::moments;
  if (has_moments) shape.push_back(row.n_numbers());
  if (!row.has_identity() && !over.initial) {
    if (over.where)
      throw Error(ErrorKind::value, fmt::format("reduction operation '{}' does not have an identity, so to use a where mask one has to specify 'initial'", info(row.join).name));
    if (is_empty) throw Error(ErrorKind::value, said_of_nothing(op));
  }
  if (over.initial) must_fit(*over.initial, types.result);
  const Array elements = taken(op, array, over, types.compute);
  const Dtype given = row.keeps_position() ? Dtype::int64 : types.compute;
  // Moments are those of distances from the first element, see fuse_reduce().
  std::optional<Array> result;
  if (!has_moments) result = reduce_directly(op, types.compute, elements, is_reduced, shape);
  else if (elements.size() <= few_elements && !elements.is_pending()) result = reduce_directly(op, types.compute, from_first(elements, types.compute, is_reduced), is_reduced, shape);
  if (result && is_plain && types.result == given && !has_moments && (is_of_truth(op, types.compute) || &elements.state() == &array.state())) expect_again(op, array.dtype(), types.compute);
  if (!result) {
    Expression expression;
    expression.kind = Expression::reduce;
    expression.reduce_op = op;
    expression.is_reduced = is_reduced;
    expression.compute = types.compute;
    expression.inputs.push_back(elements.input());
    result = Array::of(make_node(shape, given, array.device(), std::move(expression)));
  }
  if (over.initial) result = apply(row.join, {*result, number(*over.initial, given, array)});
  return types.result == given ? *result : astype(*result, types.result);
}

Array squares_about_mean(const Array& array, const Over& over) {
  if (over.where) {  // the first element, from which distances are taken in a single pass, need not be one that counts
    const Array distance = apply(Op::subtract, {array, mean(array, {over.axes, true, over.where})});
    return reduce(ReduceOp::sum, apply(Op::square, {is_complex(array.dtype()) ? apply(Op::absolute, {distance}) : distance}), over);
  }
  if (is_complex(array.dtype())) {
    const auto [real, imaginary] = parts_of(array);
    return apply(Op::add, {squares_about_mean(real, over), squares_about_mean(imaginary, over)});
  }
  return number_of(reduce(ReduceOp::var, array, over), 2);
}

Array mean(const Array& array, const Over& over, std::optional<Dtype> dtype) {
  const auto [compute, result] = mean_dtypes(array.dtype(), dtype);
  const Array total = reduce(ReduceOp::sum, array, over, compute);
  const Array quotient = apply(Op::divide, {total, count(array, over, compute)});
  return as_dtype(quotient, result);
}

namespace {

/// NumPy's definition, step by step: the mean and every square are cut to the dtype, the distances are not.
Array var_in_integers(const Array& array, const Over& over, double ddof, Dtype dtype) {
  const Array distance = apply(Op::subtract, {array, mean(array, {over.axes, true, over.where}, dtype)});
  Array squares;
  if (is_complex(distance.dtype())) {
    const auto [real, imaginary] = parts_of(distance);
    squares = apply(Op::add, {apply(Op::square, {real}), apply(Op::square, {imaginary})});
  } else {
    squares = apply(Op::square, {distance});
  }
  const Array total = reduce(ReduceOp::sum, squares, over, dtype);
  return as_dtype(apply(Op::divide, {total, count(array, over, Dtype::float64, ddof)}), dtype);
}

}  // namespace

Array var(const Array& array, const Over& over, double ddof, std::optional<Dtype> dtype) {
  if (dtype && !is_floating(*dtype) && !is_complex(*dtype)) return var_in_integers(array, over, ddof, *dtype);
  const auto [compute, result] = mean_dtypes(array.dtype(), dtype);
  const bool is_wide = array.dtype() == compute || !(dtype || over.where);  // else reduce() finds the dtype itself
  const Array wide = is_wide ? array : astype(array, compute);
  const Array quotient = apply(Op::divide, {squares_about_mean(wide, over), count(array, over, compute, ddof)});
  return quotient.dtype() == result || is_complex(result) ? quotient : astype(quotient, result);
}

Array std_(const Array& array, const Over& over, double ddof, std::optional<Dtype> dtype) {
  const Array variance = var(array, over, ddof, dtype);
  if (variance.ndim() > 0 && !is_floating(variance.dtype()) && !is_complex(variance.dtype()))
    throw Error(ErrorKind::type, fmt::format("Cannot cast ufunc 'sqrt' output from dtype('float64') to dtype('{}') with casting rule 'same_kind'", info(variance.dtype()).name));
  return apply(Op::sqrt, {variance});
}

namespace {

Scalar glance_at(const Array& element) {
  const Glance glance;
  return element.item();
}

}  // namespace

bool is_true(const Array& element) { return glance_at(element).b; }
int64_t number_in(const Array& element) { return glance_at(element).i; }
double real_in(const Array& element) { return glance_at(element).as_double(); }

uint64_t greatest_unsigned(const Array& numbers) { return glance_at(reduce(ReduceOp::max, astype(numbers, Dtype::uint64))).u; }

}  // namespace kasoku
