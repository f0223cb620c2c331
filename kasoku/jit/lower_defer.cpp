/// Arrays that never become memory: `x = np.random.rand(n)` followed by statements of the same kind
/// and then by one that reads x only inside one elementwise expression. The definition moves into
/// that expression's loop.
#include "kasoku/jit/lowering.h"
#include "kasoku/jit/walk.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace kasoku::jit {

namespace {

bool is_whole_reduction(const Expr& e) {
  const Intrinsic* row = intrinsic_of(e);
  if (!row || e.type.is_array()) return false;
  if (row->reduction == ReduceOp::var) return !is_complex(e.items[1]->type.dtype);  // a pass for each part
  return row->handler == Handler::mean || (row->handler == Handler::reduce && !info(row->reduction).keeps_position());
}

int reads(const Expr& e, int variable) {
  int n = 0;
  each_expr(e, [&](const Expr& inner) { n += inner.kind == ExprKind::name && inner.variable == variable; });
  return n;
}

}  // namespace

/// How many fused loops of `e` read the variable; a large number if something else does.
int FunctionLowering::fused_readers(const Expr& e, int variable, bool is_inside) const {
  constexpr int other = 1000;
  if (e.kind == ExprKind::name) return e.variable != variable ? 0 : is_inside ? 0 : other;
  if (reads(e, variable) == 0) return 0;
  const bool fuses = is_fusible(e);
  const bool masks = e.kind == ExprKind::subscript && fuses;
  int n = fuses && !is_inside ? 1 : 0;
  for (size_t i = 0; i < e.items.size(); ++i) {
    const Expr* item = e.items[i].get();
    if (!item) continue;
    if (masks) return other;  // the mask and the array may be walked apart
    if (is_whole_reduction(e) && i == 1 && item->kind == ExprKind::name && item->variable == variable) n += 1;
    else n += fused_readers(*item, variable, fuses && item->type.is_array());
  }
  return n;
}

bool FunctionLowering::defers(const Block& statements, size_t at) const {
  const auto is_candidate = [&](const Stmt& stmt) {
    if (stmt.kind != StmtKind::assign || stmt.targets.size() != 1 || stmt.targets[0]->kind != ExprKind::name) return false;
    const Expr& value = *stmt.expr;
    if (!value.type.is_array() || !is_fusible(value) || value.kind == ExprKind::name || value.kind == ExprKind::subscript)
      return false;
    const Variable& variable = fn_.variables[stmt.targets[0]->variable];
    bool plain = variable.n_assignments == 1 && variable.type == value.type;
    each_expr(value, [&](const Expr& e) {
      if (e.kind == ExprKind::name) plain &= fn_.variables[e.variable].n_assignments == 1;
      if (e.callee >= 0 || e.kind == ExprKind::walrus || (e.kind == ExprKind::subscript && e.items[1]->type.is_array())) plain = false;
    });
    return plain;
  };
  if (options_.is_cuda || !is_candidate(*statements[at])) return false;
  const int variable = statements[at]->targets[0]->variable;
  size_t use = at + 1;
  while (use < statements.size() && is_candidate(*statements[use]) && reads(*statements[use]->expr, variable) == 0) ++use;
  if (use == statements.size()) return false;
  const Stmt& stmt = *statements[use];
  if (!stmt.expr || (stmt.kind != StmtKind::return_ && stmt.kind != StmtKind::assign && stmt.kind != StmtKind::expr)) return false;
  if (stmt.kind == StmtKind::assign && (stmt.targets.size() != 1 || stmt.targets[0]->kind != ExprKind::name)) return false;
  int everywhere = 0;
  each_expr(fn_.body, [&](const Expr& e) { everywhere += e.kind == ExprKind::name && e.variable == variable; });
  // One of them is the definition itself.
  return everywhere == 1 + reads(*stmt.expr, variable) && fused_readers(*stmt.expr, variable, false) == 1;
}

/// One definition, however often the expression reads it: random numbers are drawn once, and where
/// elements are written each has a name, so that a chain of such arrays does not double with each.
Fused FunctionLowering::deferred(int variable) {
  const auto known = deferred_fused_.find(variable);
  if (known != deferred_fused_.end()) return known->second;
  Fused made = fuse(*deferred_.at(variable));
  made.leaves = distinct(made.leaves);
  // Shared: a copy of it in each reader would be copied by each of their readers.
  const auto value = std::make_shared<const std::function<std::string(const Index&)>>(std::move(made.element));
  made.element = [this, variable, type = made.type, value](const Index& at) {
    if (!named_) return (*value)(at);
    auto [name, is_new] = named_->names.try_emplace(variable);
    if (is_new) {
      const std::string text = (*value)(at);
      name->second = temp("d");
      if (named_->is_loop) line("const {} {} = {};", text_of(type.dtype), name->second, text);
      else named_->text += fmt::format("const {} {} = {}; ", text_of(type.dtype), name->second, text);
    }
    return name->second;
  };
  return deferred_fused_[variable] = made;
}

std::string FunctionLowering::returned(const std::function<std::string()>& value) {
  Named here;
  Named* const around = std::exchange(named_, &here);
  const std::string text = value();
  named_ = around;
  return fmt::format("{}return {};", here.text, text);
}

}  // namespace kasoku::jit
