#include "kasoku/array/elementwise.h"

#include "kasoku/array/creation.h"
#include "kasoku/base/error.h"

#include <algorithm>
#include <limits>
#include <string>

namespace kasoku {

namespace {

bool is_comparison(Op op) {
  return op == Op::equal || op == Op::not_equal || op == Op::less || op == Op::less_equal ||
         op == Op::greater || op == Op::greater_equal;
}

bool fits(const Scalar& value, Dtype dtype) {
  if (!is_integer(dtype)) return true;
  const size_t bits = 8 * info(dtype).size;
  if (value.kind == DtypeKind::unsigned_)
    return info(dtype).kind == DtypeKind::unsigned_ && bits == 64;
  if (info(dtype).kind == DtypeKind::unsigned_)
    return value.i >= 0 && (bits == 64 || static_cast<uint64_t>(value.i) < (uint64_t{1} << bits));
  return bits == 64 || (value.i >= -(int64_t{1} << (bits - 1)) && value.i < (int64_t{1} << (bits - 1)));
}

std::string str(const Scalar& value) {
  return value.kind == DtypeKind::unsigned_ ? std::to_string(value.u) : std::to_string(value.i);
}

OpTypes types_of(Op op, std::span<const Operand> operands) {
  Typed typed[3];
  for (size_t i = 0; i < operands.size(); ++i) typed[i] = {operands[i].dtype(), operands[i].weak};
  OpTypes types = op_types(op, std::span<const Typed>(typed, operands.size()));
  for (const Operand& x : operands) {
    if (x.weak != Weak::integer || fits(x.scalar, types.compute)) continue;
    if (is_comparison(op)) {
      types.compute = x.scalar.kind == DtypeKind::signed_ && info(types.compute).size < 8
                          ? Dtype::int64
                          : promote(types.compute, x.scalar.kind == DtypeKind::signed_ ? Dtype::int64 : Dtype::uint64);
      continue;
    }
    throw Error(ErrorKind::value, "Python integer " + str(x.scalar) + " out of bounds for " +
                                      std::string(info(types.compute).name))
        .fix("convert the array first: x.astype(\"int64\")");
  }
  return types;
}

/// NumPy gives x ** 2 and the like to cheaper operations.
Op simpler_power(std::span<const Operand> operands, const OpTypes& types) {
  const Operand& exponent = operands[1];
  if (exponent.weak == Weak::none) return Op::power;
  const double value = exponent.scalar.as_double();
  if (is_integer(types.compute) && exponent.weak == Weak::integer && value < 0)
    throw Error(ErrorKind::value, "Integers to negative integer powers are not allowed.")
        .fix("x.astype(float) ** n");
  if (value == 2) return Op::square;
  if (!is_floating(types.compute)) return Op::power;
  if (value == 0.5) return Op::sqrt;
  if (value == -1) return Op::reciprocal;
  if (value == 1) return Op::positive;
  return Op::power;
}

}  // namespace

Dtype Operand::dtype() const {
  if (array) return array->dtype();
  return weak == Weak::integer ? Dtype::int64 : weak == Weak::floating ? Dtype::float64 : Dtype::complex128;
}

Shape broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()));
  for (size_t i = 1; i <= result.size(); ++i) {
    const int64_t x = i <= a.size() ? a[a.size() - i] : 1, y = i <= b.size() ? b[b.size() - i] : 1;
    if (x != y && x != 1 && y != 1)
      throw Error(ErrorKind::value, "shapes " + str(a) + " and " + str(b) + " do not broadcast")
          .why("axis -" + std::to_string(i) + " is " + std::to_string(x) + " and " + std::to_string(y))
          .fix("give one of them length 1 there, e.g. b[:, None]");
    result[result.size() - i] = x == 1 ? y : x;
  }
  return result;
}

namespace {

View stretched(const View& view, const Shape& shape) {
  View result{shape, Strides(shape.size(), 0), view.offset};
  const size_t more = shape.size() - view.shape.size();
  for (size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] != 1) result.strides[more + d] = view.strides[d];
  return result;
}

}  // namespace

Array broadcast_to(const Array& array, const Shape& shape) {
  if (array.ndim() > static_cast<int>(shape.size()) || broadcast(array.shape(), shape) != shape)
    throw Error(ErrorKind::value, "shape " + str(array.shape()) + " does not broadcast to " + str(shape));
  return array.with_view(stretched(array.input().view, shape)).read_only();
}

Array apply(Op op, std::span<const Operand> operands, std::optional<Dtype> dtype) {
  if (static_cast<int>(operands.size()) != info(op).arity)
    throw Error(ErrorKind::type, std::string(info(op).name) + " takes " + std::to_string(info(op).arity) + " operands");
  OpTypes types = types_of(op, operands);
  if (dtype && is_floating(*dtype) && is_floating(types.result) && info(op).result == ResultRule::promoted &&
      info(*dtype).size > info(types.compute).size)
    types = {*dtype, *dtype};
  if (op == Op::power) {
    op = simpler_power(operands, types);
    operands = operands.first(static_cast<size_t>(info(op).arity));
  }
  Device* device = nullptr;
  Shape shape;
  bool is_first = true;
  for (const Operand& x : operands) {
    if (!x.array) continue;
    if (device && device != &x.array->device())
      throw Error(ErrorKind::value, std::string(info(op).name) + " of arrays on " + device->str() + " and " + x.array->device().str())
          .fix("move one: x.to_device(\"" + device->str() + "\")");
    device = &x.array->device();
    shape = is_first ? x.array->shape() : x.array->shape() == shape ? shape : broadcast(shape, x.array->shape());
    is_first = false;
  }
  if (!device) throw Error(ErrorKind::type, std::string(info(op).name) + " needs an array");
  Expression expression;
  expression.kind = Expression::elementwise;
  expression.op = op;
  expression.compute = types.compute;
  expression.inputs.reserve(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand& x = operands[i];
    if (x.array) {
      Input input = x.array->input();
      if (input.view.shape != shape) input.view = stretched(input.view, shape);
      expression.inputs.push_back(std::move(input));
    } else {
      const bool is_condition = i == 0 && info(op).result == ResultRule::conditional;
      const Array constant = full({}, x.scalar, is_condition ? Dtype::bool_ : types.compute, *device);
      expression.inputs.push_back({constant.input().node, {shape, Strides(shape.size(), 0), 0}});
    }
  }
  Array result = Array::of(make_node(shape, types.result, *device, std::move(expression)));
  return dtype && *dtype != result.dtype() ? astype(result, *dtype) : result;
}

void apply_in_place(Op op, const Array& x, const Operand& y) {
  if (x.is_read_only()) throw Error(ErrorKind::value, "assignment destination is read-only").fix("x = x.copy()");
  const Operand operands[] = {x, y};
  Array result = apply(op, operands);
  if (result.shape() != x.shape())
    throw Error(ErrorKind::value, "non-broadcastable output operand with shape " + str(x.shape()) +
                                      " doesn't match the broadcast shape " + str(result.shape()));
  if (!can_cast_same_kind(result.dtype(), x.dtype()))
    throw Error(ErrorKind::type, "cannot store the " + std::string(info(result.dtype()).name) + " result of " +
                                     std::string(info(op).name) + " in a " + std::string(info(x.dtype()).name) + " array")
        .fix("x = x " + std::string(op == Op::divide ? "/" : "…") + " y makes a new array");
  if (result.dtype() != x.dtype()) result = astype(result, x.dtype());
  x.assign(result);
}

}  // namespace kasoku
