/// \file kasoku/codegen/ops.h
/// The table of elementwise operations, see ops.def.
#pragma once

#include "kasoku/base/dtype.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kasoku {

enum class Op : uint8_t {
#define OP(name, ...) name,
#include "kasoku/codegen/ops.def"
#undef OP
};

/// The rule for the result's dtype; ops.def explains each.
enum class ResultRule : uint8_t {
  promoted, quotient, boolean, logical, real, conditional, count, double_, exponent
};

/// Operands for which an operation can be compared with NumPy.
enum class Domain : uint8_t {
  any, nonzero, nonzero_right, positive, nonnegative, small, above_minus_one, above_one, unit,
  shift, no_half
};

struct OpInfo {
  std::string_view name;
  int arity;
  ResultRule result;
  /// Kernel text by the kind that it is computed in: bool, integer, floating, complex.
  std::string_view text[4];
  Domain domain;
  const char* doc;
  const char* call = "";   ///< an example
  const char* shown = "";  ///< what Python shows of it
};

inline constexpr OpInfo op_table[] = {
#define OP(name, arity, result, b, i, f, c, domain, doc, ...) \
  {#name, arity, ResultRule::result, {b, i, f, c}, Domain::domain, doc __VA_OPT__(, ) __VA_ARGS__},
#include "kasoku/codegen/ops.def"
#undef OP
};

inline constexpr size_t n_ops = std::size(op_table);

constexpr const OpInfo& info(Op op) { return op_table[static_cast<size_t>(op)]; }

/// Mistakes in a row would otherwise show only in a kernel.
static_assert([] {
  for (const OpInfo& op : op_table) {
    if (op.arity < 1 || op.arity > 3) return false;
    for (std::string_view text : op.text)
      for (size_t i = 0; i + 1 < text.size(); ++i)
        if (text[i] == '$' && text[i + 1] >= '0' && text[i + 1] <= '9' &&
            text[i + 1] - '0' >= op.arity)
          return false;
  }
  return true;
}(), "ops.def: a row uses an operand beyond its arity");

/// By NumPy's name or a second name ("abs").
std::optional<Op> op_from_name(std::string_view name);

struct OpAlias {
  std::string_view name;
  Op op;
};
std::span<const OpAlias> op_aliases();

/// Column of OpInfo::text for a dtype.
int text_column(Dtype dtype);

/// "unsigned int" or, for eight bytes, "unsigned long long".
std::string_view unsigned_text(Dtype dtype);

/// The row's text for operands of `compute`, with `type` for $t, the unsigned integer of its
/// size for $u, and the operands for $0 $1 $2.
std::string filled_text(Op op, Dtype compute, std::string_view type, std::span<const std::string> operands);

/// The dtype that an operation converts its operands to, and that of its result. `operands` is the promoted dtype of
/// all operands, for `where` of the last two. Throws ErrorKind::type where NumPy has no loop.
struct OpTypes {
  Dtype compute;
  Dtype result;
};
OpTypes op_types(Op op, Dtype promoted);

}  // namespace kasoku
