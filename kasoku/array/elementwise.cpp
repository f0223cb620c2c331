#include "kasoku/array/elementwise.h"

#include "kasoku/array/checked_bytes.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/state.h"
#include "kasoku/base/overflow_error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>
#include <string>

namespace kasoku {

namespace {

bool is_comparison(Op op) {
  return op == Op::equal || op == Op::not_equal || op == Op::less || op == Op::less_equal ||
         op == Op::greater || op == Op::greater_equal;
}

std::string str(const Scalar& value) {
  if (value.kind == DtypeKind::floating) return fmt::format("{:.0f}", value.f);
  return value.kind == DtypeKind::unsigned_ ? std::to_string(value.u) : std::to_string(value.i);
}

OverflowError out_of_bounds(const Scalar& number, Dtype dtype) {
  OverflowError error("Python integer " + str(number) + " out of bounds for " + std::string(info(dtype).name));
  error.fix("convert the array first: x.astype(\"int64\")");
  return error;
}

/// Numbers that the operands' dtype does not hold are refused, but comparisons have an answer: no element reaches
/// such a number.
OpTypes types_of(Op op, std::span<const Operand*> operands) {
  Typed typed[3];
  for (size_t i = 0; i < operands.size(); ++i) typed[i] = {operands[i]->dtype(), operands[i]->weak};
  OpTypes types = op_types(op, std::span<const Typed>(typed, operands.size()));
  for (const Operand*& x : operands) {
    if (x->weak != Weak::integer || fits(x->scalar, types.compute)) continue;
    if (!is_comparison(op)) throw out_of_bounds(x->scalar, types.compute);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    static const Operand below = -infinity, above = infinity;
    x = x->scalar.as_double() < 0 ? &below : &above;
    types.compute = Dtype::float64;
  }
  return types;
}

Dtype least_of(Weak weak) {
  return weak == Weak::integer ? Dtype::int8 : weak == Weak::floating ? Dtype::float16 : Dtype::complex64;
}

/// Those of an operation that is asked for a result of a dtype, as NumPy chooses its loops.
OpTypes types_for(Op op, std::span<const Operand*> operands, Dtype dtype) {
  const ResultRule rule = info(op).result;
  const bool is_complex_to_real = rule == ResultRule::real && is_complex(operands[0]->dtype());
  const bool is_computed_in_it = (rule == ResultRule::promoted || rule == ResultRule::quotient || rule == ResultRule::double_ ||
                                  rule == ResultRule::real) && !is_complex_to_real;
  const OpTypes types = is_computed_in_it ? op_types(op, dtype) : types_of(op, operands);
  if (types.result != dtype)
    throw Error(ErrorKind::type, std::string(info(op).name) + " does not give " + std::string(info(dtype).name) + " arrays");
  if (!is_computed_in_it) return types;
  for (const Operand* x : operands) {
    const Dtype from = x->weak == Weak::none ? x->dtype() : least_of(x->weak);
    if (!can_cast_same_kind(from, dtype) && !(x->weak == Weak::integer && is_integer(dtype)))
      throw Error(ErrorKind::type, std::string(info(op).name) + ": an operand of " + std::string(info(from).name) +
                                       " is not cast to " + std::string(info(dtype).name));
    if (x->weak == Weak::integer) must_fit(x->scalar, types.compute);
  }
  return types;
}

bool is_negative_somewhere(const Array& array) {
  if (info(array.dtype()).kind != DtypeKind::signed_ || array.size() == 0) return false;
  alignas(16) char number[16];
  if (Dtype dtype; reduce_again(ReduceOp::min, array, number, dtype)) return Scalar::load(dtype, number).as_int() < 0;
  return reduce(ReduceOp::min, array).item().as_int() < 0;
}

Op simpler_power(const Operand& exponent, const OpTypes& types) {
  const double value = exponent.array ? 0 : exponent.scalar.as_double();
  if (is_integer(types.compute) && (value < 0 || (exponent.array && is_negative_somewhere(*exponent.array))))
    throw Error(ErrorKind::value, "Integers to negative integer powers are not allowed.")
        .fix("x.astype(float) ** n");
  return exponent.array || exponent.scalar.imaginary != 0 ? Op::power : power_by(value, types.compute);
}

}  // namespace

Op power_by(double exponent, Dtype compute) {
  if (exponent == 2) return Op::square;
  if (!is_floating(compute)) return Op::power;
  if (exponent == 0.5) return Op::sqrt;
  if (exponent == -1) return Op::reciprocal;
  if (exponent == 1) return Op::positive;
  return Op::power;
}

bool fits(const Scalar& value, Dtype dtype) {
  if (!is_integer(dtype)) return true;
  if (value.kind == DtypeKind::floating) return false;  // an integer beyond 64 bits
  const size_t bits = 8 * info(dtype).size;
  if (value.kind == DtypeKind::unsigned_) return info(dtype).kind == DtypeKind::unsigned_ && bits == 64;
  if (info(dtype).kind == DtypeKind::unsigned_)
    return value.i >= 0 && (bits == 64 || static_cast<uint64_t>(value.i) < (uint64_t{1} << bits));
  return bits == 64 || (value.i >= -(int64_t{1} << (bits - 1)) && value.i < (int64_t{1} << (bits - 1)));
}

void must_fit(const Scalar& number, Dtype dtype) {
  if (number.kind == DtypeKind::complex_ && !is_complex(dtype) && dtype != Dtype::bool_)
    throw Error(ErrorKind::type, "a complex number does not become an element of " + std::string(info(dtype).name));
  if (!is_integer(dtype)) return;
  if (number.kind == DtypeKind::signed_ || number.kind == DtypeKind::unsigned_) {
    if (!fits(number, dtype)) throw out_of_bounds(number, dtype);
    return;
  }
  if (number.kind != DtypeKind::floating) return;
  if (number.f != number.f) throw Error(ErrorKind::value, "cannot convert float NaN to integer");
  const double most = std::ldexp(1.0, 63), cut = std::trunc(number.f);
  const bool is_large = cut >= most && cut < 2 * most;
  if (!(cut >= -most && cut < 2 * most))
    throw OverflowError(std::isinf(cut) ? "cannot convert float infinity to integer" : "Python float " + std::to_string(cut) + " out of bounds for " + std::string(info(dtype).name));
  must_fit(is_large ? Scalar::of(static_cast<uint64_t>(cut)) : Scalar::of(static_cast<int64_t>(cut)), dtype);
}

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
  int64_t elements = 1;
  bool is_too_large = false;
  for (const int64_t length : result) is_too_large |= __builtin_mul_overflow(elements, length, &elements);
  if (is_too_large) (void)checked_bytes(result, 1);  // says so, unless another axis is empty
  return result;
}

View stretched(const View& view, const Shape& shape) {
  View result{shape, Strides(shape.size(), 0), view.offset};
  const size_t more = shape.size() - view.shape.size();
  for (size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] != 1) result.strides[more + d] = view.strides[d];
  return result;
}

Array broadcast_to(const Array& array, const Shape& shape) {
  if (std::ranges::any_of(shape, [](int64_t n) { return n < 0; }))
    throw Error(ErrorKind::value, "a shape has no negative lengths: " + str(shape));
  if (array.ndim() > static_cast<int>(shape.size()) || broadcast(array.shape(), shape) != shape)
    throw Error(ErrorKind::value, "shape " + str(array.shape()) + " does not broadcast to " + str(shape));
  return array.with_view(stretched(array.input().view, shape)).read_only();
}

namespace {

/// uint64 beside signed integers: they meet in float64, which does not tell their large numbers apart.
bool have_no_common_integer(const Operand& x, const Operand& y) {
  const auto is_one = [](const Operand& a, const Operand& b) {
    return a.array && b.array && a.dtype() == Dtype::uint64 && info(b.dtype()).kind == DtypeKind::signed_;
  };
  return is_one(x, y) || is_one(y, x);
}

/// Compares as uint64 where the signed number is one, and knows the answer where it is negative, as NumPy does.
Array compare_by_sign(Op op, const Operand& x, const Operand& y) {
  const bool is_x_signed = x.dtype() != Dtype::uint64;
  const Array number = *(is_x_signed ? x : y).array, as_unsigned = astype(number, Dtype::uint64);
  const bool if_negative = op == Op::not_equal || (is_x_signed ? op == Op::less || op == Op::less_equal : op == Op::greater || op == Op::greater_equal);
  const Array answer = full({}, Scalar::of(if_negative), Dtype::bool_, number.device());
  const Array compared = apply(op, {is_x_signed ? as_unsigned : x, is_x_signed ? y : as_unsigned});
  return apply(Op::where, {apply(Op::less, {number, 0}), answer, compared});
}

}  // namespace

namespace {

/// The node of a number among operands. A program has few, and has them again and again: the last ones are kept. Nobody sees
/// their arrays, so nobody writes to them.
NodePtr number_node(const Scalar& number, Dtype dtype, Device& device) {
  struct Kept {
    SpinLock lock;
    Scalar number;
    NodePtr node;
  };
  const auto made = [&] { return full({}, number, dtype, device).input().node; };
  if (Recorder::current()) return made();  // it belongs to the recording
  static auto& all = *new std::array<Kept, 64>;
  const uint64_t hash = (number.u ^ std::bit_cast<uint64_t>(number.imaginary) * 3 ^ static_cast<uint64_t>(dtype)) * 0x9E3779B97F4A7C15u;
  Kept& kept = all[hash >> 58];
  std::lock_guard guard(kept.lock);
  const Node* const node = kept.node.get();
  const bool is_it = node && kept.number == number && node->dtype == dtype && node->device == &device && !node->is_done();
  if (!is_it) kept.node = made(), kept.number = number;
  return kept.node;
}

/// compute_again() and apply_again() for operands of these, null as there.
Array apply_again(Op op, std::span<const Operand> given) {
  Plain operands[2];
  if (given.size() > std::size(operands) || static_cast<int>(given.size()) != info(op).arity) return {};
  bool has_array = false;
  for (size_t i = 0; i < given.size(); ++i) {
    const bool is_beyond_integers = given[i].weak == Weak::integer && given[i].scalar.kind == DtypeKind::floating;
    if (given[i].weak == Weak::complex_ || is_beyond_integers) return {};
    if (given[i].array) operands[i].array = &*given[i].array;
    else operands[i].number = given[i].scalar;
    has_array |= operands[i].array != nullptr;
  }
  if (!has_array) return {};
  if (Value y; compute_again(op, {operands, given.size()}, y)) return y.array();
  return apply_again(op, {operands, given.size()});
}

}  // namespace

Array apply(Op op, std::span<const Operand> given, std::optional<Dtype> dtype) {
  if (!dtype)
    if (Array result = apply_again(op, given); !result.is_null()) return result;
  return apply_anew(op, given, dtype);
}

Array apply_anew(Op op, std::span<const Operand> given, std::optional<Dtype> dtype) {
  if (static_cast<int>(given.size()) != info(op).arity)
    throw Error(ErrorKind::type, std::string(info(op).name) + " takes " + std::to_string(info(op).arity) + " operands");
  if (is_comparison(op) && have_no_common_integer(given[0], given[1])) return compare_by_sign(op, given[0], given[1]);
  const Operand* taken[3];
  std::span<const Operand*> operands(taken, given.size());
  for (size_t i = 0; i < given.size(); ++i) taken[i] = &given[i];
  const OpTypes types = dtype ? types_for(op, operands, *dtype) : types_of(op, operands);
  const bool may_come_again = !dtype && (op != Op::power || given[0].dtype() == types.compute);  // a square of integers for 2.0 is one of floats
  if (op == Op::power) {
    op = simpler_power(*operands[1], types);
    operands = operands.first(static_cast<size_t>(info(op).arity));
  }
  const Array* first = nullptr;
  Shape shape;
  for (const Operand* x : operands) {
    if (!x->array) continue;
    if (first) must_be_together(info(op).name, first->device(), x->array->device());
    if (!first || x->array->shape() != shape) shape = first ? broadcast(shape, x->array->shape()) : x->array->shape();
    if (!first) first = &*x->array;
  }
  if (!first) throw Error(ErrorKind::type, std::string(info(op).name) + " needs an array");
  Device* const device = &first->device();
  // What is computed of values, which elements that were read are, is a value.
  const bool is_value = shape.empty() && std::ranges::all_of(operands, [](const Operand* x) { return !x->array || x->array->is_read_only(); });
  if (std::optional<Array> result = apply_directly(op, types, operands, shape, *device)) {
    if (may_come_again) expect_again(op, types, operands);
    return is_value ? result->read_only() : *std::move(result);
  }
  Expression expression;
  expression.kind = Expression::elementwise;
  expression.op = op;
  expression.compute = types.compute;
  expression.inputs.reserve(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand& x = *operands[i];
    if (x.array) {
      Input input = x.array->input();
      if (input.view.shape != shape) input.view = stretched(input.view, shape);
      expression.inputs.push_back(std::move(input));
    } else {
      expression.inputs.push_back({number_node(x.scalar, operand_dtype(op, i, types.compute), *device), {shape, Strides(shape.size(), 0), 0}});
    }
  }
  const Array result = Array::of(make_node(shape, types.result, *device, std::move(expression)));
  return is_value ? result.read_only() : result;
}

void store_result(const Array& into, Array result, std::string_view operation, const std::optional<Array>& mask) {
  must_be_writable(into);
  if (!can_cast_same_kind(result.dtype(), into.dtype()))
    throw Error(ErrorKind::type, "cannot store the " + std::string(info(result.dtype()).name) + " result of " +
                                     std::string(operation) + " in an array of " + std::string(info(into.dtype()).name))
        .fix("an array of " + std::string(info(result.dtype()).name));
  if (result.dtype() != into.dtype()) result = astype(result, into.dtype());
  if (mask) result = apply(Op::where, {*mask, result, into});
  if (result.shape() != into.shape()) {
    if (result.ndim() > into.ndim() || broadcast(result.shape(), into.shape()) != into.shape())
      throw Error(ErrorKind::value, "non-broadcastable output operand with shape " + str(into.shape()) +
                                        " doesn't match the broadcast shape " + str(result.shape()));
    result = broadcast_to(result, into.shape());
  }
  into.assign(std::move(result));
}

void apply_in_place(Op op, const Array& x, const Operand& y) {
  const Operand operands[] = {x, y};
  store_result(x, apply(op, operands), info(op).name);
}

}  // namespace kasoku
