/// prange: which variables are an iteration's own, which are reductions, and what keeps a loop from being parallel.
#include "kasoku/jit/parallel.h"
#include "kasoku/jit/walk.h"

namespace kasoku::jit {

namespace {

bool is_variable(const Expr& e, int variable) {
  return e.kind == ExprKind::name && e.variable == variable;
}

Update update_of(const Stmt& stmt, int variable) {
  return update_of(stmt, [&](const Expr& e) { return is_variable(e, variable); });
}

/// Whether an iteration may read the variable before it has written it.
enum class First { neither, read, written };
First first_access(const Block& block, int variable) {
  for (const StmtPtr& stmt : block) {
    bool read = false;
    const auto look = [&](const Expr& e) { read |= is_variable(e, variable); };
    if (stmt->expr) each_expr(*stmt->expr, look);
    for (const ExprPtr& target : stmt->targets)
      if (target->kind == ExprKind::subscript || target->kind == ExprKind::attribute) each_expr(*target, look);
    if (stmt->kind == StmtKind::augment && is_variable(*stmt->targets[0], variable)) read = true;
    if (read) return First::read;
    if (stmt->kind == StmtKind::assign)
      for (const ExprPtr& target : stmt->targets) {
        bool written = false;
        each_expr(*target, [&](const Expr& e) { written |= is_variable(e, variable); });
        if (written) return First::written;
      }
    if (stmt->kind == StmtKind::if_) {
      const First a = first_access(stmt->body, variable), b = first_access(stmt->orelse, variable);
      if (a == First::read || b == First::read) return First::read;
      if (a == First::written && b == First::written) return First::written;
    }
    if (stmt->kind == StmtKind::for_) {
      bool is_target = false;
      each_expr(*stmt->targets[0], [&](const Expr& e) { is_target |= is_variable(e, variable); });
      if (is_target) return First::written;  // an empty loop leaves it alone, and then nothing reads it
    }
    if (stmt->kind == StmtKind::try_ || stmt->kind == StmtKind::finally_ || stmt->kind == StmtKind::except_ ||
        stmt->kind == StmtKind::else_ || stmt->kind == StmtKind::block) {
      // The body may end anywhere: what it writes may not be written.
      const First a = first_access(stmt->body, variable), b = first_access(stmt->orelse, variable);
      if (a == First::read || b == First::read) return First::read;
      if (stmt->kind == StmtKind::finally_ && (a == First::written || b == First::written)) return First::written;
    }
    if (stmt->kind == StmtKind::for_ || stmt->kind == StmtKind::while_) {
      if (first_access(stmt->body, variable) == First::read) return First::read;
      if (first_access(stmt->orelse, variable) == First::read) return First::read;
    }
  }
  return First::neither;
}

/// Whether the order in which values are joined decides bits of the result.
bool has_order(Update::Kind kind, const Type& type) {
  return (kind == Update::sum || kind == Update::product) && !type.is_integer() && !type.is_boolean();
}

/// Whether each pass through the block assigns the variable.
bool always_assigned(const Block& block, int variable) {
  for (const StmtPtr& stmt : block) {
    if (stmt->kind == StmtKind::assign || stmt->kind == StmtKind::for_)
      for (const ExprPtr& target : stmt->targets) {
        bool written = false;
        each_expr(*target, [&](const Expr& e) { written |= is_variable(e, variable); });
        if (written && target->kind != ExprKind::subscript) return true;
      }
    if (stmt->kind == StmtKind::if_ && always_assigned(stmt->body, variable) && always_assigned(stmt->orelse, variable)) return true;
    if (stmt->kind == StmtKind::finally_ && (always_assigned(stmt->body, variable) || always_assigned(stmt->orelse, variable))) return true;
    bool leaves = stmt->kind == StmtKind::continue_;
    if (stmt->kind != StmtKind::for_ && stmt->kind != StmtKind::while_) {
      each_stmt(stmt->body, [&](const Stmt& inner) { leaves |= inner.kind == StmtKind::continue_; });
      each_stmt(stmt->orelse, [&](const Stmt& inner) { leaves |= inner.kind == StmtKind::continue_; });
    }
    if (leaves) return false;
  }
  return false;
}

}  // namespace

FunctionLowering::Parallel FunctionLowering::variables_of(const Stmt& stmt) {
  Parallel loop;
  std::map<int, std::vector<const Stmt*>> assigned;
  each_assigned(stmt.body, [&](int variable, const Stmt& by) { assigned[variable].push_back(&by); });
  const auto reads_in = [&](const Block& block, int variable) {
    int n = 0;
    each_expr(block, [&](const Expr& e) { n += is_variable(e, variable); });
    return n;
  };
  each_expr(*stmt.targets[0], [&](const Expr& e) {
    if (e.kind != ExprKind::name) return;
    loop.own.push_back(e.variable), assigned.erase(e.variable);
    if (reads_in(stmt.body, e.variable) + 1 < reads_in(fn_.body, e.variable)) loop.last.push_back(e.variable);
  });
  for (const auto& [variable, statements] : assigned) {
    const Type& type = fn_.variables[variable].type;
    Update::Kind kind = update_of(*statements[0], variable).kind;
    int expected = 0;
    for (const Stmt* each : statements) {
      const Update::Kind other = update_of(*each, variable).kind;
      if (other != kind) kind = Update::none;
      expected += each->kind == StmtKind::augment ? 1 : 2;  // the target, and the read in v = v + e
    }
    const int inside = reads_in(stmt.body, variable), everywhere = reads_in(fn_.body, variable);
    const bool is_parameter = std::ranges::find(fn_.parameter_variables, variable) != fn_.parameter_variables.end();
    const bool is_read_outside = inside < everywhere || is_parameter;
    const bool joins = kind != Update::none && inside == expected && is_read_outside;
    if (joins && type.is_scalar()) {
      loop.reductions.push_back({variable, kind, has_order(kind, type), temp("parts")});
    } else if (is_read_outside && (!type.is_scalar() || first_access(stmt.body, variable) == First::read || !always_assigned(stmt.body, variable))) {
      if (loop.carried.empty() || (loop.joins_arrays && !joins)) loop.carried = fn_.variables[variable].name;
      loop.joins_arrays &= joins;
    } else {
      loop.own.push_back(variable);
      if (is_read_outside) loop.last.push_back(variable);
    }
  }
  each_stmt(stmt.body, [&](const Stmt& inner) {
    loop.is_plain &= inner.kind != StmtKind::for_ && inner.kind != StmtKind::while_ && inner.kind != StmtKind::try_ && inner.kind != StmtKind::finally_;
    if (inner.kind == StmtKind::augment && inner.targets[0]->kind == ExprKind::name &&
        inner.targets[0]->type.is_array() && std::ranges::find(loop.own, inner.targets[0]->variable) == loop.own.end())
      if (loop.carried.empty()) loop.carried = inner.targets[0]->text, loop.joins_arrays = false;
  });
  return loop;
}

}  // namespace kasoku::jit
