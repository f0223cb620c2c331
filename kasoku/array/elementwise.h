/// \file kasoku/array/elementwise.h
/// Operations of ops.def on arrays and numbers: promotion, broadcasting, a node.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/array/promote.h"

#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

namespace kasoku {

/// An array, or a number that adapts to the arrays it meets.
struct Operand {
  std::optional<Array> array;
  Scalar scalar;
  Weak weak = Weak::none;  ///< none for arrays

  Operand() = default;
  Operand(Array array) : array(std::move(array)) {}
  Operand(int value) : scalar(Scalar::of(value)), weak(Weak::integer) {}
  Operand(int64_t value) : scalar(Scalar::of(value)), weak(Weak::integer) {}
  Operand(double value) : scalar(Scalar::of(value)), weak(Weak::floating) {}

  Dtype dtype() const;
};

/// NumPy gives x ** 2 and the like to cheaper operations.
Op power_by(double exponent, Dtype compute);
/// Whether arrays of the dtype hold the integer.
bool fits(const Scalar& integer, Dtype dtype);
/// Refuses a Python number that an array of the dtype does not hold, as NumPy does.
void must_fit(const Scalar& number, Dtype dtype);
/// `dtype` is that of the result, which is computed in it.
Array apply(Op op, std::span<const Operand> operands, std::optional<Dtype> dtype = std::nullopt);
/// apply() for a caller that has already tried apply_again() (direct.h).
Array apply_anew(Op op, std::span<const Operand> operands, std::optional<Dtype> dtype = std::nullopt);
inline Array apply(Op op, std::initializer_list<Operand> operands) {
  return apply(op, std::span<const Operand>(operands.begin(), operands.size()));
}
/// Writes what `operation` gives to `into`, an out= argument or an in-place operator's left side; the
/// result may stretch to its shape and is cast by the rule "same_kind". Elements keep what they hold
/// where a mask is false.
void store_result(const Array& into, Array result, std::string_view operation, const std::optional<Array>& mask = std::nullopt);
/// x op= y: the result is written to x, whose shape and dtype stay.
void apply_in_place(Op op, const Array& x, const Operand& y);

/// The shape that all stretch to, or an error that names the axis.
Shape broadcast(const Shape& a, const Shape& b);
Array broadcast_to(const Array& array, const Shape& shape);
/// The view in a shape that it stretches to.
View stretched(const View& view, const Shape& shape);

}  // namespace kasoku
