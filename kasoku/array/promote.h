/// \file kasoku/array/promote.h
/// NumPy's promotion rules (NEP 50): pure functions over dtypes.
#pragma once

#include "kasoku/base/dtype.h"
#include "kasoku/codegen/ops.h"

#include <span>

namespace kasoku {

/// A Python number has no width of its own: it adapts to the arrays it meets.
enum class Weak : uint8_t { none, integer, floating, complex_ };

struct Typed {
  Dtype dtype;  ///< of a weak one: int64, float64, complex128
  Weak weak = Weak::none;
};

/// The smallest dtype that both convert to, as numpy.promote_types.
Dtype promote(Dtype a, Dtype b);
Dtype promote(std::span<const Typed> operands);

/// The dtype in which `op` computes these operands, and the dtype of its result. The first operand of `where`, the
/// condition, is not promoted.
OpTypes op_types(Op op, std::span<const Typed> operands);

/// The dtype that operand `i` of `op` is converted to: `compute`, or bool for the condition of `where`.
constexpr Dtype operand_dtype(Op op, size_t i, Dtype compute) {
  return i == 0 && info(op).result == ResultRule::conditional ? Dtype::bool_ : compute;
}

/// numpy.can_cast(from, to, "same_kind"): what in-place operators ask.
bool can_cast_same_kind(Dtype from, Dtype to);

/// The dtype of a complex one's parts; others give themselves.
Dtype real_part(Dtype dtype);
/// The complex dtype whose parts are float32 or float64.
Dtype complex_of_parts(Dtype part);

}  // namespace kasoku
