/// The first pass of inference: names become variables (webs of definitions and
/// uses). Reaching definitions over structured statements; a loop's body is
/// walked twice, so that its end reaches its start.
#include "kasoku/jit/typed_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace kasoku::jit {

namespace {

using Reaching = std::map<std::string, std::set<int>>;  // name -> definitions

class Splitter {
 public:
  std::vector<Variable> run(const Function& function, Block& body) {
    Reaching reaching;
    for (const Parameter& parameter : function.parameters)
      reaching[parameter.name] = {define(parameter.name, {1, 0})};
    n_parameters_ = static_cast<int>(function.parameters.size());
    walk(body, reaching);
    return finish();
  }

 private:
  struct Definition {
    std::string name;
    Place place;
  };

  int define(const std::string& name, Place place) {
    definitions_.push_back({name, place});
    parent_.push_back(static_cast<int>(parent_.size()));
    return parent_.back();
  }

  int root(int definition) {
    while (parent_[definition] != definition) definition = parent_[definition];
    return definition;
  }

  void unite(int a, int b) {
    a = root(a), b = root(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

  static void merge(Reaching& into, const Reaching& from) {
    for (const auto& [name, definitions] : from)
      into[name].insert(definitions.begin(), definitions.end());
  }

  void use(Expr& name, Reaching& reaching) {
    auto& definitions = reaching[name.text];
    if (definitions.empty()) {
      if (name.variable < 0) name.variable = define(name.text, name.place), note(name);
      return;
    }
    const int first = *definitions.begin();
    for (int other : definitions) unite(first, other);
    if (name.variable >= 0) unite(name.variable, first);
    else name.variable = first, note(name);
  }

  void store(Expr& target, Reaching& reaching) {
    if (target.kind == ExprKind::name) {
      if (target.variable < 0) target.variable = define(target.text, target.place), note(target);
      reaching[target.text] = {target.variable};
      for (Reaching* tried : tried_) (*tried)[target.text].insert(target.variable);
    } else if (target.kind == ExprKind::tuple || target.kind == ExprKind::list) {
      for (ExprPtr& item : target.items) store(*item, reaching);
    } else {
      walk(target, reaching);
    }
  }

  void walk(Expr& expr, Reaching& reaching) {
    if (expr.kind == ExprKind::name) return use(expr, reaching);
    if (expr.kind == ExprKind::walrus) {
      walk(*expr.items[1], reaching);
      return store(*expr.items[0], reaching);
    }
    if (expr.kind == ExprKind::comprehension) {
      walk(*expr.items[2], reaching);
      store(*expr.items[1], reaching);
      for (size_t i = 3; i < expr.items.size(); ++i) walk(*expr.items[i], reaching);
      return walk(*expr.items[0], reaching);
    }
    for (ExprPtr& item : expr.items)
      if (item) walk(*item, reaching);
  }

  void walk(Block& block, Reaching& reaching) {
    for (StmtPtr& stmt : block) walk(*stmt, reaching);
  }

  void walk(Stmt& stmt, Reaching& reaching) {
    switch (stmt.kind) {
      case StmtKind::assign:
        walk(*stmt.expr, reaching);
        for (ExprPtr& target : stmt.targets) store(*target, reaching);
        break;
      case StmtKind::augment: {
        walk(*stmt.expr, reaching);
        Expr& target = *stmt.targets[0];
        if (target.kind != ExprKind::name) {
          walk(target, reaching);
          break;
        }
        // The read and the write are one variable: `x += 1` keeps its web.
        if (reaching[target.text].empty()) use(target, reaching);
        const auto before = reaching[target.text];
        store(target, reaching);
        for (int definition : before) unite(target.variable, definition);
        break;
      }
      case StmtKind::if_: {
        walk(*stmt.expr, reaching);
        Reaching other = reaching;
        walk(stmt.body, reaching);
        walk(stmt.orelse, other);
        merge(reaching, other);
        break;
      }
      case StmtKind::for_:
      case StmtKind::while_: loop(stmt, reaching); break;
      case StmtKind::try_:
      case StmtKind::finally_: {
        // An exception may come anywhere: what is defined before the body and each definition in it.
        Reaching thrown = reaching;
        tried_.push_back(&thrown);
        walk(stmt.body, reaching);
        tried_.pop_back();
        if (stmt.kind == StmtKind::finally_) {
          merge(reaching, thrown);
          walk(stmt.orelse, reaching);
          if (breaks_) merge(*breaks_, reaching), merge(*continues_, reaching);  // a jump in the body comes by here
          break;
        }
        Reaching handled;
        for (StmtPtr& each : stmt.orelse) {
          if (each->kind == StmtKind::else_) {
            walk(each->body, reaching);
            continue;
          }
          Reaching inside = thrown;
          walk(each->body, inside);
          merge(handled, inside);
        }
        merge(reaching, handled);
        break;
      }
      case StmtKind::break_:
        merge(*breaks_, reaching);
        break;
      case StmtKind::continue_:
        merge(*continues_, reaching);
        break;
      default:
        if (stmt.expr) walk(*stmt.expr, reaching);
        if (stmt.message) walk(*stmt.message, reaching);
    }
  }

  void loop(Stmt& stmt, Reaching& reaching) {
    if (stmt.kind == StmtKind::for_) walk(*stmt.expr, reaching);
    Reaching broken, continued;
    Reaching* outer_breaks = std::exchange(breaks_, &broken);
    Reaching* outer_continues = std::exchange(continues_, &continued);
    for (int pass = 0; pass < 2; ++pass) {
      if (stmt.kind == StmtKind::while_) walk(*stmt.expr, reaching);
      Reaching inside = reaching;
      if (stmt.kind == StmtKind::for_) store(*stmt.targets[0], inside);
      walk(stmt.body, inside);
      merge(reaching, inside);
      merge(reaching, continued);
    }
    if (stmt.kind == StmtKind::while_) walk(*stmt.expr, reaching);
    breaks_ = outer_breaks;
    continues_ = outer_continues;
    walk(stmt.orelse, reaching);
    merge(reaching, broken);
  }

  void note(Expr& name) { names_.push_back(&name); }

  std::vector<Variable> finish() {
    std::vector<Variable> variables;
    std::map<int, int> number;
    std::map<std::string, int> count;
    const auto variable_of = [&](int definition) {
      const int top = root(definition);
      const auto [found, is_new] = number.try_emplace(top, static_cast<int>(variables.size()));
      if (is_new) {
        const std::string& name = definitions_[top].name;
        const int n = count[name]++;
        variables.push_back({name, n ? fmt::format("{}_{}", name, n + 1) : name, {},
                             definitions_[top].place, 0});
      }
      return found->second;
    };
    for (int i = 0; i < n_parameters_; ++i) variable_of(i);
    for (Expr* name : names_) name->variable = variable_of(name->variable);
    for (size_t i = 0; i < definitions_.size(); ++i) {
      const auto found = number.find(root(static_cast<int>(i)));
      if (found != number.end()) ++variables[found->second].n_assignments;
    }
    return variables;
  }

  std::vector<Definition> definitions_;
  std::vector<int> parent_;
  std::vector<Expr*> names_;
  Reaching* breaks_ = nullptr;
  Reaching* continues_ = nullptr;
  std::vector<Reaching*> tried_;  ///< of each try statement around
  int n_parameters_ = 0;
};

}  // namespace

std::vector<Variable> split_variables(const Function& function, Block& body) {
  return Splitter().run(function, body);
}

}  // namespace kasoku::jit
