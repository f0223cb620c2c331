/// \file kasoku/jit/walk.h
/// Walking over trees.
#pragma once

#include "kasoku/jit/tree.h"

namespace kasoku::jit {

template <class F>
void each_expr(const Expr& expr, const F& f) {
  f(expr);
  for (const ExprPtr& item : expr.items)
    if (item) each_expr(*item, f);
}

/// Every statement of a block, nested ones too.
template <class F>
void each_stmt(const Block& block, const F& f) {
  for (const StmtPtr& stmt : block) {
    f(*stmt);
    each_stmt(stmt->body, f);
    each_stmt(stmt->orelse, f);
  }
}

template <class F>
void each_expr(const Block& block, const F& f) {
  each_stmt(block, [&](const Stmt& stmt) {
    for (const ExprPtr& target : stmt.targets) each_expr(*target, f);
    if (stmt.expr) each_expr(*stmt.expr, f);
    if (stmt.message) each_expr(*stmt.message, f);
  });
}

/// f(variable, statement) for each name that a statement of the block assigns.
template <class F>
void each_assigned(const Block& block, const F& f) {
  const auto names = [&](const Expr& target, const Stmt& stmt, const auto& self) -> void {
    if (target.kind == ExprKind::name) f(target.variable, stmt);
    if (target.kind == ExprKind::tuple || target.kind == ExprKind::list)
      for (const ExprPtr& item : target.items) self(*item, stmt, self);
  };
  each_stmt(block, [&](const Stmt& stmt) {
    for (const ExprPtr& target : stmt.targets) names(*target, stmt, names);
    const auto walrus = [&](const Expr& expr) {
      if (expr.kind != ExprKind::walrus) return;
      names(*expr.items[0], stmt, names);
      if (expr.items.size() > 2) names(*expr.items[2], stmt, names);
    };
    if (stmt.expr) each_expr(*stmt.expr, walrus);
    for (const ExprPtr& target : stmt.targets) each_expr(*target, walrus);
  });
}

}  // namespace kasoku::jit
