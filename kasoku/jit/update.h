/// \file kasoku/jit/update.h
/// Statements that join a variable with something: what a prange loop may do with one of all its iterations.
#pragma once

#include "kasoku/jit/walk.h"

namespace kasoku::jit {

/// v op= e, v = v op e, v = e op v, v = max(v, e): the operator, and nothing else reads v.
struct Update {
  enum Kind { none, sum, product, bit_and, bit_or, bit_xor, maximum, minimum } kind = none;
};

/// `is_it`: whether an expression is the variable.
template <class IsIt>
Update update_of(const Stmt& stmt, const IsIt& is_it) {
  const auto of = [](Operator op) {
    switch (op) {
      case Operator::add:
      case Operator::subtract: return Update{Update::sum};
      case Operator::multiply:
      case Operator::divide: return Update{Update::product};
      case Operator::bit_and: return Update{Update::bit_and};
      case Operator::bit_or: return Update{Update::bit_or};
      case Operator::bit_xor: return Update{Update::bit_xor};
      default: return Update{};
    }
  };
  if (stmt.targets.size() != 1 || !is_it(*stmt.targets[0])) return {};
  int reads = 0;
  if (stmt.expr) each_expr(*stmt.expr, [&](const Expr& inner) { reads += is_it(inner); });
  if (stmt.kind == StmtKind::augment) return reads ? Update{} : of(stmt.op);
  if (stmt.kind != StmtKind::assign || reads != 1) return {};
  const Expr& e = *stmt.expr;
  if (e.kind == ExprKind::binary) {
    if (is_it(*e.items[0])) return of(e.op);
    const bool commutes = e.op != Operator::subtract && e.op != Operator::divide;
    if (commutes && is_it(*e.items[1])) return of(e.op);
  }
  if (e.kind == ExprKind::call && e.items[0]->kind == ExprKind::global && e.items.size() == 3 &&
      (is_it(*e.items[1]) || is_it(*e.items[2]))) {
    const std::string& name = e.items[0]->binding.name;
    if (name == "builtins.max" || name == "numpy.maximum" || name == "numpy.fmax") return {Update::maximum};
    if (name == "builtins.min" || name == "numpy.minimum" || name == "numpy.fmin") return {Update::minimum};
  }
  return {};
}

}  // namespace kasoku::jit
