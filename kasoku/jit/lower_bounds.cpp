/// Which subscripts of a loop nest are inside their arrays in every iteration, decided by one test
/// before the nest. Index expressions are bounded by interval arithmetic over the ranges of the
/// loops they stand in (with numbers that cannot overflow, or it proves nothing). If the test fails, another copy of
/// the nest runs, in which each index is tested where it is used: exactly Python's behaviour.
#include "kasoku/jit/lowering.h"
#include "kasoku/jit/walk.h"

namespace kasoku::jit {

namespace {

bool is_range_call(const Expr& e) {
  const Intrinsic* row = intrinsic_of(e);
  return row && (row->handler == Handler::range || row->handler == Handler::prange);
}

}  // namespace

struct FunctionLowering::Nest {
  FunctionLowering& lower;
  std::map<int, std::string> intervals;        // variable -> ks_interval text
  std::map<int, int> n_assigned;               // in the nest
  std::map<int, const Stmt*> assigned_by;
  std::string tests;
  std::set<std::string> seen;
  std::set<const Expr*>& proven;

  /// A ks_interval expression that bounds `e` over the nest, or "" if none is known. Emits nothing.
  std::string interval(const Expr& e, int depth = 0) {
    if (depth > 12 || (!e.type.is_integer() && !e.type.is_boolean())) return "";
    if (const auto n = constant_int(e)) return fmt::format("ks_interval((ks_i64){}LL)", *n);
    switch (e.kind) {
      case ExprKind::name: {
        const auto known = intervals.find(e.variable);
        if (known != intervals.end()) return known->second;
        if (n_assigned[e.variable] == 0 && info(e.type.dtype).kind != DtypeKind::unsigned_)
          return fmt::format("ks_interval((ks_i64){})", lower.name_of(e.variable));
        // k = 2 * i + 1; x[k]
        const Stmt* by = n_assigned[e.variable] == 1 ? assigned_by[e.variable] : nullptr;
        if (by && by->kind == StmtKind::assign && by->targets.size() == 1 &&
            by->targets[0]->kind == ExprKind::name && by->targets[0]->variable == e.variable)
          return interval(*by->expr, depth + 1);
        return "";
      }
      case ExprKind::global: return "";
      case ExprKind::binary: {
        if (e.op == Operator::modulo && e.type == int64_type) {
          const auto n = constant_int(*e.items[1]);
          if (n && *n > 0) return fmt::format("ks_modulo_over({}LL)", *n);
          const std::string inside = invariant(*e.items[1]);
          return inside.empty() ? "" : fmt::format("ks_modulo_over({})", inside);
        }
        if (e.op != Operator::add && e.op != Operator::subtract && e.op != Operator::multiply) return "";
        const std::string a = interval(*e.items[0], depth + 1), b = interval(*e.items[1], depth + 1);
        if (a.empty() || b.empty()) return "";
        return fmt::format("({} {} {})", a, str(e.op), b);
      }
      default: {
        const std::string text = invariant(e);
        return text.empty() ? "" : fmt::format("ks_interval({})", text);
      }
    }
  }

  /// Text of an integer that the nest does not change and that reads no memory: n, x.shape[0], len(x).
  std::string invariant(const Expr& e) {
    if (const auto n = constant_int(e)) return fmt::format("{}LL", *n);
    const auto array = [&](const Expr& object) -> std::string {
      if (object.kind == ExprKind::name && object.type.is_array() && n_assigned[object.variable] == 0 &&
          !lower.deferred_.contains(object.variable))
        return lower.name_of(object.variable);
      return "";
    };
    if (e.kind == ExprKind::name && e.type.is_integer() && n_assigned[e.variable] == 0)
      return fmt::format("(ks_i64){}", lower.name_of(e.variable));
    if (e.kind == ExprKind::attribute && e.text == "size") {
      const std::string name = array(*e.items[0]);
      return name.empty() ? "" : fmt::format("ks_size({})", name);
    }
    if (e.kind == ExprKind::call && e.items.size() == 2 && e.items[0]->kind == ExprKind::global &&
        e.items[0]->binding.name == "builtins.len") {
      const std::string name = array(*e.items[1]);
      return name.empty() ? "" : name + ".shape[0]";
    }
    if (e.kind == ExprKind::subscript && e.items[0]->kind == ExprKind::attribute && e.items[0]->text == "shape") {
      const std::string name = array(*e.items[0]->items[0]);
      auto k = constant_int(*e.items[1]);
      if (name.empty() || !k) return "";
      if (*k < 0) *k += e.items[0]->items[0]->type.ndim;
      return fmt::format("{}.shape[{}]", name, *k);
    }
    if (e.kind == ExprKind::binary && e.type == int64_type &&
        (e.op == Operator::add || e.op == Operator::subtract || e.op == Operator::multiply)) {
      const std::string a = invariant(*e.items[0]), b = invariant(*e.items[1]);
      if (!a.empty() && !b.empty()) return fmt::format("({} {} {})", a, str(e.op), b);
    }
    return "";
  }

  void loop_variable(const Stmt& loop, const std::string& start, const std::string& stop, std::optional<int64_t> step) {
    const Expr& target = *loop.targets[0];
    if (target.kind != ExprKind::name || n_assigned[target.variable] != 1 || start.empty() || stop.empty()) return;
    const std::string name = lower.temp("over");
    lower.line("const ks_interval {} = ks_over({}, {}, {});", name, start, stop, step ? *step > 0 ? 1 : -1 : 0);
    intervals[target.variable] = name;
  }

  void block(const Block& statements) {
    for (const StmtPtr& stmt : statements) {
      if (stmt->kind == StmtKind::for_ && is_range_call(*stmt->expr)) {
        const Expr& call = *stmt->expr;
        const bool only_stop = !has(call, 1);
        const std::string start = only_stop ? "ks_interval((ks_i64)0)" : interval(*call.items[1]);
        const std::string stop = interval(only_stop ? *call.items[1] : *call.items[2]);
        const auto step = has(call, 2) ? constant_int(*call.items[3]) : std::optional<int64_t>(1);
        if (step != 0) loop_variable(*stmt, start, stop, step);
      }
      const auto look = [&](const Expr& e) { subscript(e); };
      for (const ExprPtr& target : stmt->targets) each_expr(*target, look);
      if (stmt->expr) each_expr(*stmt->expr, look);
      block(stmt->body);
      block(stmt->orelse);
    }
  }

  void subscript(const Expr& e) {
    if (e.kind != ExprKind::subscript || !e.type.is_scalar() || !e.items[0]->type.is_array()) return;
    if (lower.proven_.contains(&e) || proven.contains(&e)) return;
    const Expr& object = *e.items[0];
    if (object.kind != ExprKind::name || n_assigned[object.variable] != 0 ||
        lower.deferred_.contains(object.variable))
      return;
    std::vector<const Expr*> items;
    if (e.items[1]->kind == ExprKind::tuple)
      for (const ExprPtr& item : e.items[1]->items) items.push_back(item.get());
    else
      items.push_back(e.items[1].get());
    std::vector<std::string> conditions;
    for (size_t axis = 0; axis < items.size(); ++axis) {
      const std::string over = interval(*items[axis]);
      if (over.empty()) return;
      conditions.push_back(fmt::format("ks_within({}, {}.shape[{}])", over, lower.name_of(object.variable), axis));
    }
    for (const std::string& condition : conditions)
      if (seen.insert(condition).second) tests += (tests.empty() ? "" : " && ") + condition;
    proven.insert(&e);
  }
};

std::string FunctionLowering::prove(const Stmt& loop, const Val bounds[3], std::optional<int64_t> step,
                                    std::set<const Expr*>& proven) {
  Nest nest{*this, {}, {}, {}, {}, {}, proven};
  const auto count = [&](int variable, const Stmt& stmt) {
    ++nest.n_assigned[variable];
    nest.assigned_by[variable] = &stmt;
  };
  each_assigned(loop.body, count);
  const Expr& target = *loop.targets[0];
  if (target.kind == ExprKind::name) count(target.variable, loop);
  // In a parallel body the variables are the body's own; what is outside does not change.
  nest.loop_variable(loop, fmt::format("ks_interval({})", bounds[0].text), fmt::format("ks_interval({})", bounds[1].text),
                     step);
  nest.block(loop.body);
  return nest.tests;
}

}  // namespace kasoku::jit
