#include "kasoku/jit/sign.h"

#include "kasoku/jit/infer.h"
#include "kasoku/jit/intrinsics.h"
#include "kasoku/jit/walk.h"

#include <algorithm>
#include <utility>

namespace kasoku::jit {

namespace {

/// An argument of range() that may be left out.
const Expr* given(const Expr& call, size_t i) { return i < call.items.size() ? call.items[i].get() : nullptr; }

/// What a loop over range() gives its variable: from the start on, up or down, and never the stop.
bool counts_from_zero_or_more(const Expr& range, const std::vector<bool>& variables) {
  if (!given(range, 2)) return true;
  const Expr &start = *range.items[1], &stop = *range.items[2];
  const auto step = given(range, 3) ? constant_int(*range.items[3]) : 1;
  const bool is_up = step ? *step > 0 : is_nonnegative(*range.items[3], variables);
  const bool is_down = step && *step < 0;
  const bool above_stop = constant_int(stop) == -1 || is_nonnegative(stop, variables);
  return (is_down || is_nonnegative(start, variables)) && (is_up || above_stop);
}

/// The first variable of a loop over `iterable`, or its only one.
bool first_is_nonnegative(const Expr& iterable, const std::vector<bool>& variables) {
  const Intrinsic* row = intrinsic_of(iterable);
  if (!row) return false;
  switch (row->handler) {
    case Handler::range:
    case Handler::prange: return counts_from_zero_or_more(iterable, variables);
    case Handler::enumerate: return !given(iterable, 2) || is_nonnegative(*iterable.items[2], variables);
    default: return false;
  }
}

bool is_nonnegative_after(Operator op, const Expr& left, const Expr& right, const std::vector<bool>& variables) {
  const bool a = is_nonnegative(left, variables), b = is_nonnegative(right, variables);
  switch (op) {
    case Operator::add:
    case Operator::multiply:
    case Operator::floor_divide:
    case Operator::bit_or:
    case Operator::bit_xor: return a && b;
    case Operator::left_shift:
    case Operator::right_shift:
    case Operator::power: return a;
    case Operator::modulo: return b;  // the sign is the divisor's
    case Operator::bit_and: return a || b;
    default: return false;
  }
}

}  // namespace

bool is_nonnegative(const Expr& e, const std::vector<bool>& variables) {
  if (!e.type.is_integer() && !e.type.is_boolean()) return false;
  if (e.type.is_boolean() || info(e.type.dtype).kind == DtypeKind::unsigned_) return true;
  if (const auto n = constant_int(e)) return *n >= 0;
  const auto item = [&](size_t i) { return is_nonnegative(*e.items[i], variables); };
  switch (e.kind) {
    case ExprKind::name: return e.variable >= 0 && variables[static_cast<size_t>(e.variable)];
    case ExprKind::binary:
      return e.type == int64_type && is_nonnegative_after(e.op, *e.items[0], *e.items[1], variables);
    case ExprKind::conditional: return item(1) && item(2);
    case ExprKind::walrus: return item(1);
    case ExprKind::attribute: return e.text == "size" || e.text == "ndim";
    case ExprKind::subscript: return e.items[0]->kind == ExprKind::attribute && e.items[0]->text == "shape";
    case ExprKind::call: {
      const Intrinsic* row = intrinsic_of(e);
      if (!row || e.type != int64_type) return false;
      const auto is_one = [&](const ExprPtr& argument) { return argument && is_nonnegative(*argument, variables); };
      switch (row->handler) {
        case Handler::len:
        case Handler::abs:
        case Handler::cuda_grid:
        case Handler::cuda_gridsize: return true;
        case Handler::min: return std::all_of(e.items.begin() + 1, e.items.end(), is_one);
        case Handler::max: return std::any_of(e.items.begin() + 1, e.items.end(), is_one);
        case Handler::to_int: return e.items.size() == 2 && item(1);
        default: return false;
      }
    }
    default: return false;
  }
}

std::vector<bool> nonnegative_variables(const TypedFunction& function) {
  // All of them, but for what is known to have other values; then those that get values from these.
  std::vector<bool> may(function.variables.size());
  for (size_t i = 0; i < may.size(); ++i) may[i] = function.variables[i].type.is_integer();
  for (int parameter : function.parameter_variables)
    may[static_cast<size_t>(parameter)] =
        info(function.variables[static_cast<size_t>(parameter)].type.dtype).kind == DtypeKind::unsigned_;
  bool has_changed = true;
  const auto put = [&](const Expr& target, bool is_so) {
    if (target.kind != ExprKind::name || is_so || !may[static_cast<size_t>(target.variable)]) return;
    may[static_cast<size_t>(target.variable)] = false;
    has_changed = true;
  };
  const auto put_value = [&](const Expr& target, const Expr& value, const auto& self) -> void {
    if (target.kind != ExprKind::tuple && target.kind != ExprKind::list) return put(target, is_nonnegative(value, may));
    const bool has_parts = value.kind == ExprKind::tuple && value.items.size() == target.items.size();
    for (size_t i = 0; i < target.items.size(); ++i)
      if (has_parts) self(*target.items[i], *value.items[i], self);
      else each_expr(*target.items[i], [&](const Expr& part) { put(part, false); });
  };
  const auto look = [&](const Stmt& stmt) {
    const auto inside = [&](const Expr& e) {
      if (e.kind == ExprKind::walrus) put_value(*e.items[0], *e.items[1], put_value);
      if (e.kind == ExprKind::comprehension) each_expr(*e.items[1], [&](const Expr& part) { put(part, false); });
    };
    for (const ExprPtr& target : stmt.targets) each_expr(*target, inside);
    for (const Expr* e : {stmt.expr.get(), stmt.message.get()})
      if (e) each_expr(*e, inside);
    if (stmt.kind == StmtKind::augment) {
      const Expr& target = *stmt.targets[0];
      put(target, is_nonnegative_after(stmt.op, target, *stmt.expr, may));
    } else if (stmt.kind == StmtKind::for_) {
      const Expr& target = *stmt.targets[0];
      const bool first = first_is_nonnegative(*stmt.expr, may);
      if (target.kind == ExprKind::name) return put(target, first);
      for (size_t i = 0; i < target.items.size(); ++i)
        each_expr(*target.items[i], [&](const Expr& part) { put(part, i == 0 && first); });
    } else {
      for (const ExprPtr& target : stmt.targets) put_value(*target, *stmt.expr, put_value);
    }
  };
  while (std::exchange(has_changed, false)) each_stmt(function.body, look);
  return may;
}

}  // namespace kasoku::jit
