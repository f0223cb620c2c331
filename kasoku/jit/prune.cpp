/// Branches that the types of the arguments decide: `if x is None: x = …` of a parameter that is None, or is not, goes
/// before variables get their types, so that the other branch's values have no part in them.
#include "kasoku/jit/typed_function.h"
#include "kasoku/jit/walk.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace kasoku::jit {

namespace {

class Pruner {
 public:
  Pruner(const Function& function, const std::vector<Type>& arguments) {
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].is_known()) is_none_[function.parameters[i].name] = arguments[i].kind == TypeKind::none;
  }

  void run(Block& block) {
    Block kept;
    for (StmtPtr& stmt : block) {
      if (stmt->expr) expr(*stmt->expr);
      if (stmt->kind == StmtKind::if_) {
        if (const auto taken = decide(*stmt->expr)) {
          Block chosen = std::move(*taken ? stmt->body : stmt->orelse);
          run(chosen);
          std::ranges::move(chosen, std::back_inserter(kept));
          continue;
        }
      }
      if (stmt->kind == StmtKind::for_ || stmt->kind == StmtKind::while_) forget(*stmt);
      const std::map<std::string, bool> before = is_none_;
      run(stmt->body);
      is_none_ = before;
      run(stmt->orelse);
      is_none_ = before;
      forget(*stmt);
      kept.push_back(std::move(stmt));
    }
    block = std::move(kept);
  }

 private:
  /// What the statement assigns is known no more.
  void forget(const Stmt& stmt) {
    for (const ExprPtr& target : stmt.targets) each_expr(*target, [&](const Expr& e) { is_none_.erase(e.text); });
    if (stmt.expr)
      each_expr(*stmt.expr, [&](const Expr& e) { if (e.kind == ExprKind::walrus) is_none_.erase(e.items[0]->text); });
    for (const Block* block : {&stmt.body, &stmt.orelse})
      for (const StmtPtr& inner : *block) forget(*inner);
  }

  std::optional<bool> decide(const Expr& e) const {
    if (e.kind == ExprKind::unary && e.op == Operator::not_) {
      const auto inner = decide(*e.items[0]);
      return inner ? std::optional(!*inner) : std::nullopt;
    }
    if (e.kind == ExprKind::logic) {
      const bool ends = e.op == Operator::or_;
      bool all = true;
      for (const ExprPtr& item : e.items) {
        const auto one = decide(*item);
        if (one == ends && all) return ends;  // those before it have the other value
        all &= one.has_value();
      }
      return all ? std::optional(!ends) : std::nullopt;
    }
    if (e.kind != ExprKind::compare || e.ops.size() != 1 || (e.ops[0] != Operator::is && e.ops[0] != Operator::is_not)) return std::nullopt;
    const bool has_none = e.items[1]->kind == ExprKind::constant && std::holds_alternative<None>(e.items[1]->value);
    const auto found = e.items[0]->kind == ExprKind::name ? is_none_.find(e.items[0]->text) : is_none_.end();
    if (!has_none || found == is_none_.end()) return std::nullopt;
    return found->second == (e.ops[0] == Operator::is);
  }

  void expr(Expr& e) {
    if (e.kind == ExprKind::conditional)
      if (const auto taken = decide(*e.items[0])) {
        ExprPtr chosen = std::move(e.items[*taken ? 1 : 2]);
        e = std::move(*chosen);
        return expr(e);
      }
    for (ExprPtr& item : e.items)
      if (item) expr(*item);
  }

  std::map<std::string, bool> is_none_;  ///< parameters that have not been assigned
};

}  // namespace

void prune(const Function& function, const std::vector<Type>& arguments, Block& body) { Pruner(function, arguments).run(body); }

}  // namespace kasoku::jit
