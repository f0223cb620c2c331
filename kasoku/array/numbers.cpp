#include "kasoku/array/numbers.h"

#include <cmath>
#include <type_traits>

namespace kasoku {

namespace {

template <class T>
T value_of(const Scalar& x) {
  if constexpr (std::is_floating_point_v<T>)
    return static_cast<T>(x.kind == DtypeKind::floating ? x.f : x.as_double());
  else
    return static_cast<T>(x.i);
}

/// Field by field: who reads it next does not wait for parts of a word to be put together.
template <class T>
bool give(Scalar& y, T value) {
  if constexpr (std::is_same_v<T, bool>) {
    y.kind = DtypeKind::boolean;
    y.i = value;
  } else if constexpr (std::is_floating_point_v<T>) {
    y.kind = DtypeKind::floating;
    y.f = value;
  } else if constexpr (std::is_signed_v<T>) {
    y.kind = DtypeKind::signed_;
    y.i = value;
  } else {
    y.kind = DtypeKind::unsigned_;
    y.u = value;
  }
  y.imaginary = 0;
  return true;
}

/// What floats and integers have in common; signed ones wrap as unsigned ones do.
template <class T, class Wrapping>
bool common(Op op, const Scalar* const* x, Scalar& y) {
  const auto a = [&] { return value_of<T>(*x[0]); };
  const auto b = [&] { return value_of<T>(*x[1]); };
  const auto wrapped = [](T value) { return static_cast<Wrapping>(value); };
  switch (op) {
    case Op::add: return give(y, static_cast<T>(wrapped(a()) + wrapped(b())));
    case Op::subtract: return give(y, static_cast<T>(wrapped(a()) - wrapped(b())));
    case Op::multiply: return give(y, static_cast<T>(wrapped(a()) * wrapped(b())));
    case Op::positive: return give(y, a());
    case Op::square: return give(y, static_cast<T>(wrapped(a()) * wrapped(a())));
    case Op::less: return give(y, a() < b());
    case Op::less_equal: return give(y, a() <= b());
    case Op::greater: return give(y, a() > b());
    case Op::greater_equal: return give(y, a() >= b());
    case Op::equal: return give(y, a() == b());
    case Op::not_equal: return give(y, a() != b());
    default: return false;
  }
}

template <class T>
bool floating(Op op, const Scalar* const* x, Scalar& y) {
  switch (op) {
    case Op::divide: return give(y, static_cast<T>(value_of<T>(*x[0]) / value_of<T>(*x[1])));
    case Op::negative: return give(y, -value_of<T>(*x[0]));
    case Op::absolute: return give(y, std::fabs(value_of<T>(*x[0])));
    case Op::sqrt: return give(y, std::sqrt(value_of<T>(*x[0])));
    default: return common<T, T>(op, x, y);
  }
}

template <class T>
bool integer(Op op, const Scalar* const* x, Scalar& y) {
  using Wrapping = std::conditional_t<(sizeof(T) < 8), uint32_t, uint64_t>;  // narrower ones would become int
  const auto a = [&] { return value_of<T>(*x[0]); };
  const auto b = [&] { return value_of<T>(*x[1]); };
  const auto are_bits_left = [&] { return static_cast<uint64_t>(b()) < 8 * sizeof(T); };
  switch (op) {
    case Op::negative: return give(y, static_cast<T>(Wrapping{0} - static_cast<Wrapping>(a())));
    case Op::bitwise_and: return give(y, static_cast<T>(a() & b()));
    case Op::bitwise_or: return give(y, static_cast<T>(a() | b()));
    case Op::bitwise_xor: return give(y, static_cast<T>(a() ^ b()));
    case Op::invert: return give(y, static_cast<T>(~a()));
    case Op::left_shift: return are_bits_left() && give(y, static_cast<T>(static_cast<Wrapping>(a()) << b()));
    case Op::right_shift: return are_bits_left() && give(y, static_cast<T>(a() >> b()));
    default: return common<T, Wrapping>(op, x, y);
  }
}

}  // namespace

bool compute_number(Op op, Dtype dtype, const Scalar* const* x, Scalar& y) {
  switch (dtype) {
    case Dtype::float64: return floating<double>(op, x, y);
    case Dtype::float32: return floating<float>(op, x, y);
    case Dtype::int8: return integer<int8_t>(op, x, y);
    case Dtype::int16: return integer<int16_t>(op, x, y);
    case Dtype::int32: return integer<int32_t>(op, x, y);
    case Dtype::int64: return integer<int64_t>(op, x, y);
    case Dtype::uint8: return integer<uint8_t>(op, x, y);
    case Dtype::uint16: return integer<uint16_t>(op, x, y);
    case Dtype::uint32: return integer<uint32_t>(op, x, y);
    case Dtype::uint64: return integer<uint64_t>(op, x, y);
    default: return false;
  }
}

}  // namespace kasoku
