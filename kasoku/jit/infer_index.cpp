/// Indices that are arrays beside other axes: calls of kasoku/_library/indices.py in a subscript's place; slices of tuples.
#include "kasoku/jit/infer.h"

#include <algorithm>

namespace kasoku::jit {

std::optional<std::vector<int64_t>> tuple_slice(const Expr& slice, int64_t n) {
  int64_t given[3] = {0, 0, 1};
  bool has[3] = {};
  for (size_t i = 0; i < 3; ++i) {
    const Expr* part = slice.items[i].get();
    if (!part || (part->kind == ExprKind::constant && std::holds_alternative<None>(part->value))) continue;
    const auto value = constant_int(*part);
    if (!value) return std::nullopt;
    given[i] = *value, has[i] = true;
  }
  const int64_t step = given[2];
  if (step == 0) return std::nullopt;
  const auto inside = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + n : at, step > 0 ? 0 : -1, step > 0 ? n : n - 1); };
  const int64_t start = has[0] ? inside(given[0]) : step > 0 ? 0 : n - 1, stop = has[1] ? inside(given[1]) : step > 0 ? n : -1;
  std::vector<int64_t> items;
  for (int64_t at = start; step > 0 ? at < stop : at > stop; at += step) items.push_back(at);
  return items;
}

bool needs_library(const Type& object, size_t n_items, const Type& index) {
  if (n_items != 1) return true;
  return index.dtype == Dtype::bool_ ? index.ndim != object.ndim : object.ndim != 1;
}

bool Inference::is_indexed_by_array(Expr& target, bool takes_array) {
  if (target.kind != ExprKind::subscript || target.binding.kind != Binding::Kind::function) return false;
  const Type object = visit(*target.items[0]);
  if (!object.is_array() || object.has_records()) return false;
  Expr& index = *target.items[1];
  const size_t n = index.kind == ExprKind::tuple ? index.items.size() : 1;
  for (size_t i = 0; i < n; ++i) {
    Expr& item = n > 1 ? *index.items[i] : index;
    if (item.kind == ExprKind::slice) continue;
    const Type type = visit(item);
    if (!type.is_array()) continue;
    if (type.dtype == Dtype::bool_ && n == 1 && type.ndim == object.ndim) return takes_array;  // a number goes to all at once
    if (type.dtype == Dtype::bool_ || is_integer(type.dtype)) return true;
  }
  return false;
}

/// x[i, :] becomes gather_2(x, i, None), the function that its reader chose.
void Inference::index_call(Expr& expr, size_t n_items) {
  auto function = std::make_unique<Expr>();
  function->kind = ExprKind::global;
  function->place = expr.place;
  function->binding = std::move(expr.binding);
  function->text = "this index";
  expr.binding = {};
  std::vector<ExprPtr> items;
  items.push_back(std::move(function));
  items.push_back(std::move(expr.items[0]));
  ExprPtr index = std::move(expr.items[1]);
  if (n_items == 1) {
    items.push_back(std::move(index));
  } else {
    for (ExprPtr& item : index->items) {
      if (item->kind == ExprKind::slice) {
        item->kind = ExprKind::constant, item->value = None{};
        item->items.clear();
      }
      items.push_back(std::move(item));
    }
  }
  expr.kind = ExprKind::call;
  expr.items = std::move(items);
}

/// list[a:b] = v as a call of the function that its reader chose.
bool Inference::is_slice_of_list(Expr& target) {
  return target.kind == ExprKind::subscript && target.items[1]->kind == ExprKind::slice && target.binding.kind == Binding::Kind::function &&
         visit(*target.items[0]).is_list();
}

void Inference::slice_statement(Stmt& stmt) {
  Expr& target = *stmt.targets[0];
  auto call = make_expr(ExprKind::call, stmt.place);
  call->items.push_back(global_expr(target.binding, "this slice", stmt.place));
  call->items.push_back(std::move(target.items[0]));
  for (ExprPtr& part : target.items[1]->items) call->items.push_back(part ? std::move(part) : make_constant(None{}, stmt.place));
  call->items.push_back(std::move(stmt.expr));
  stmt.kind = StmtKind::expr;
  stmt.targets.clear();
  stmt.expr = std::move(call);
  visit(*stmt.expr);
}

/// x[i] = v and x[i] += v as a call of the function that does it.
void Inference::index_statement(Stmt& stmt) {
  Expr& target = *stmt.targets[0];
  want_writable(*target.items[0]);
  ExprPtr call = std::move(stmt.targets[0]);
  index_call(*call, call->items[1]->kind == ExprKind::tuple ? call->items[1]->items.size() : 1);
  if (stmt.kind == StmtKind::augment) {
    auto op = std::make_unique<Expr>();
    op->place = stmt.place;
    op->value = std::string(str(stmt.op));
    call->items.push_back(std::move(op));
  }
  call->items.push_back(std::move(stmt.expr));
  stmt.kind = StmtKind::expr;
  stmt.targets.clear();
  stmt.expr = std::move(call);
  visit(*stmt.expr);
}

}  // namespace kasoku::jit
