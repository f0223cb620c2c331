/// The first pass of inference: names become variables (webs of definitions and
/// uses). Reaching definitions over structured statements; a loop's body is
/// walked twice, so that its end reaches its start. Where no definition may have
/// arrived, a variable beside it says whether one has.
#include "kasoku/jit/infer.h"
#include "kasoku/jit/intrinsics.h"
#include "kasoku/jit/typed_function.h"
#include "kasoku/jit/update.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace kasoku::jit {

namespace {

constexpr int unassigned = -1;  ///< the definition that a name has before its first

/// The definitions of each name that reach a place; of a name that is not there, `unassigned` alone.
struct Reaching {
  std::map<std::string, std::set<int>> names{};
  bool is_reached = true;

  std::set<int>& of(const std::string& name) { return names.try_emplace(name, std::set{unassigned}).first->second; }

  void merge(const Reaching& other) {
    if (!other.is_reached) return;
    if (!is_reached) {
      *this = other;
      return;
    }
    for (const auto& [name, definitions] : other.names) of(name).insert(definitions.begin(), definitions.end());
    for (auto& [name, definitions] : names)
      if (!other.names.contains(name)) definitions.insert(unassigned);
  }

  void leave() { names.clear(), is_reached = false; }
};

/// Whether the loop's body runs, or its condition holds, whatever the arguments are.
bool surely_starts(const Stmt& loop) {
  const Expr& e = *loop.expr;
  if (loop.kind == StmtKind::while_) {
    const bool* yes = std::get_if<bool>(&e.value);
    const int64_t* n = std::get_if<int64_t>(&e.value);
    return e.kind == ExprKind::constant && ((yes && *yes) || (n && *n));
  }
  if (e.kind == ExprKind::tuple || e.kind == ExprKind::list) return !e.items.empty();
  const Intrinsic* row = intrinsic_of(e);
  if (!row || (row->handler != Handler::range && row->handler != Handler::prange) || e.items.size() < 2 || e.items.size() > 3) return false;
  const auto first = e.items.size() == 3 ? constant_int(*e.items[1]) : 0, stop = constant_int(*e.items.back());
  return first && stop && *first < *stop;
}

bool is_prange(const Stmt& stmt) {
  const Intrinsic* row = stmt.kind == StmtKind::for_ ? intrinsic_of(*stmt.expr) : nullptr;
  return row && row->handler == Handler::prange;
}

/// Names that a prange loop only joins with something: one variable each, also where `v = max(v, e)` stands twice.
std::set<std::string> joined_in(const Block& body) {
  std::set<std::string> names, others;
  each_stmt(body, [&](const Stmt& stmt) {
    for (const ExprPtr& target : stmt.targets)
      each_expr(*target, [&](const Expr& e) {
        if (e.kind != ExprKind::name) return;
        const auto is_it = [&](const Expr& other) { return other.kind == ExprKind::name && other.text == e.text; };
        (update_of(stmt, is_it).kind == Update::none ? others : names).insert(e.text);
      });
  });
  for (const std::string& other : others) names.erase(other);
  return names;
}

class Splitter {
 public:
  std::vector<Variable> run(const Function& function, Block& body) {
    Reaching reaching;
    for (const Parameter& parameter : function.parameters)
      reaching.names[parameter.name] = {define(parameter.name, {1, 0})};
    n_parameters_ = static_cast<int>(function.parameters.size());
    walk(body, reaching);
    std::vector<Variable> variables = finish();
    if (!function.options.is_cuda) watch(variables);
    note_assignments(body);
    for (int i = 0; i < n_parameters_; ++i)
      if (watched_.contains(i)) body.insert(body.begin(), watched(i, {1, 0}, true));
    return variables;
  }

 private:
  struct Definition {
    std::string name;
    Place place;
    bool is_assignment;
  };

  int define(const std::string& name, Place place, bool is_assignment = true) {
    definitions_.push_back({name, place, is_assignment});
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

  void use(Expr& name, Reaching& reaching) {
    std::set<int> definitions = reaching.is_reached ? reaching.of(name.text) : std::set<int>{};
    if (definitions.erase(unassigned) && !name.may_be_unset) unsure_.insert(&name);
    if (definitions.empty()) {
      if (name.variable < 0) name.variable = define(name.text, name.place, false), note(name);
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
      if (reaching.is_reached) reaching.names[target.text] = {target.variable};
      for (Reaching* tried : tried_) tried->of(target.text).insert(target.variable);
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
    // What stands behind `and`, `or` or a comparison, or in a branch, may be left out.
    const bool chooses = expr.kind == ExprKind::logic || expr.kind == ExprKind::conditional;
    const size_t sure = chooses ? 1 : expr.kind == ExprKind::compare ? 2 : expr.items.size();
    for (size_t i = 0; i < expr.items.size(); ++i) {
      if (!expr.items[i]) continue;
      Reaching skipped;
      if (i >= sure) skipped = reaching;
      walk(*expr.items[i], reaching);
      if (i >= sure) reaching.merge(skipped);
    }
  }

  void walk(Block& block, Reaching& reaching) {
    for (StmtPtr& stmt : block) walk(*stmt, reaching);
  }

  void walk(Stmt& stmt, Reaching& reaching) {
    switch (stmt.kind) {
      case StmtKind::assign: {
        walk(*stmt.expr, reaching);
        const Expr& first = *stmt.targets[0];
        std::set<int> before;
        if (first.kind == ExprKind::name && joined_.contains(first.text) && reaching.is_reached) before = reaching.of(first.text);
        for (ExprPtr& target : stmt.targets) store(*target, reaching);
        before.erase(unassigned);
        for (const int definition : before) unite(first.variable, definition);
        break;
      }
      case StmtKind::augment: {
        walk(*stmt.expr, reaching);
        Expr& target = *stmt.targets[0];
        if (target.kind != ExprKind::name) {
          walk(target, reaching);
          break;
        }
        // The read and the write are one variable: `x += 1` keeps its web.
        use(target, reaching);
        store(target, reaching);
        break;
      }
      case StmtKind::del_:
        use(*stmt.targets[0], reaching);
        if (reaching.is_reached) reaching.names[stmt.targets[0]->text] = {unassigned};
        for (Reaching* tried : tried_) tried->of(stmt.targets[0]->text).insert(unassigned);
        break;
      case StmtKind::if_: {
        walk(*stmt.expr, reaching);
        Reaching other = reaching;
        walk(stmt.body, reaching);
        walk(stmt.orelse, other);
        reaching.merge(other);
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
          thrown.merge(reaching);
          walk(stmt.orelse, thrown);
          if (breaks_) breaks_->merge(thrown), continues_->merge(thrown);  // a jump in the body comes by here
          walk(stmt.orelse, reaching);  // what is behind it comes by the body's end
          break;
        }
        Reaching handled;
        handled.leave();
        for (StmtPtr& each : stmt.orelse) {
          if (each->kind == StmtKind::else_) {
            walk(each->body, reaching);
            continue;
          }
          Reaching inside = thrown;
          walk(each->body, inside);
          handled.merge(inside);
        }
        reaching.merge(handled);
        break;
      }
      case StmtKind::block: {
        Reaching& left = blocks_[stmt.level];
        left.leave();
        walk(stmt.body, reaching);
        reaching.merge(left);
        break;
      }
      case StmtKind::leave:
        blocks_[stmt.level].merge(reaching);
        reaching.leave();
        break;
      case StmtKind::break_:
        breaks_->merge(reaching);
        reaching.leave();
        break;
      case StmtKind::continue_:
        continues_->merge(reaching);
        reaching.leave();
        break;
      default:
        if (stmt.expr) walk(*stmt.expr, reaching);
        if (stmt.message) walk(*stmt.message, reaching);
        if (stmt.kind == StmtKind::return_ || stmt.kind == StmtKind::raise) reaching.leave();
    }
  }

  void loop(Stmt& stmt, Reaching& reaching) {
    if (stmt.kind == StmtKind::for_) walk(*stmt.expr, reaching);
    Reaching broken, ended;
    broken.leave(), ended.leave();
    Reaching* outer_breaks = std::exchange(breaks_, &broken);
    Reaching* outer_continues = std::exchange(continues_, &ended);
    std::set<std::string> outer_joined = joined_;
    if (is_prange(stmt)) joined_ = joined_in(stmt.body);
    for (int pass = 0; pass < 2; ++pass) {
      if (stmt.kind == StmtKind::while_) walk(*stmt.expr, reaching);
      Reaching inside = reaching;
      if (stmt.kind == StmtKind::for_) store(*stmt.targets[0], inside);
      walk(stmt.body, inside);
      ended.merge(inside);
      reaching.merge(ended);
    }
    if (stmt.kind == StmtKind::while_) walk(*stmt.expr, reaching);
    if (surely_starts(stmt)) {
      if (stmt.kind == StmtKind::while_) reaching.leave();
      else reaching = ended;
    }
    breaks_ = outer_breaks;
    continues_ = outer_continues;
    joined_ = std::move(outer_joined);
    walk(stmt.orelse, reaching);
    reaching.merge(broken);
  }

  void note(Expr& name) { names_.push_back(&name); }

  std::vector<Variable> finish() {
    // What is read where no definition arrives has the type of one elsewhere.
    const int n = static_cast<int>(definitions_.size());
    std::map<std::string, int> defined;
    std::set<int> has_definition;
    for (int i = 0; i < n; ++i)
      if (definitions_[i].is_assignment) defined.try_emplace(definitions_[i].name, i), has_definition.insert(root(i));
    for (int i = 0; i < n; ++i)
      if (const auto found = defined.find(definitions_[i].name); found != defined.end() && !has_definition.contains(root(i))) unite(i, found->second);
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

  /// A variable that says whether there is a value, for each that is read where it may have none.
  void watch(std::vector<Variable>& variables) {
    for (Expr* name : unsure_) {
      const auto [found, is_new] = watched_.try_emplace(name->variable, static_cast<int>(variables.size()));
      if (is_new) {
        const std::string called = "has_" + variables[static_cast<size_t>(name->variable)].name;
        variables.push_back({called, called, bool_type, name->place, 2});
      }
      name->items.push_back(watcher(name->variable, name->place));
    }
  }

  ExprPtr watcher(int variable, Place place) const {
    ExprPtr name = make_expr(ExprKind::name, place);
    name->variable = watched_.at(variable);
    name->type = bool_type;
    return name;
  }

  StmtPtr watched(int variable, Place place, bool has_value) const {
    StmtPtr stmt = make_stmt(StmtKind::assign, place);
    stmt->targets.push_back(watcher(variable, place));
    stmt->expr = make_constant(has_value, place);
    stmt->expr->type = bool_type;
    return stmt;
  }

  void targets_of(const Expr& target, std::set<int>& all) const {
    if (target.kind == ExprKind::name && watched_.contains(target.variable)) all.insert(target.variable);
    if (target.kind == ExprKind::tuple || target.kind == ExprKind::list)
      for (const ExprPtr& item : target.items) targets_of(*item, all);
  }

  void note_walrus(Expr& e) const {
    for (const ExprPtr& item : e.items)
      if (item) note_walrus(*item);
    if (e.kind == ExprKind::walrus && watched_.contains(e.items[0]->variable)) e.items.push_back(watcher(e.items[0]->variable, e.place));
  }

  /// Behind each assignment of a watched variable, that it has a value; `del` goes.
  void note_assignments(Block& block) const {
    Block noted;
    for (StmtPtr& stmt : block) {
      note_assignments(stmt->body);
      note_assignments(stmt->orelse);
      if (stmt->expr) note_walrus(*stmt->expr);
      if (stmt->message) note_walrus(*stmt->message);
      std::set<int> targets;
      for (const ExprPtr& target : stmt->targets) targets_of(*target, targets);
      const Place place = stmt->place;
      if (stmt->kind == StmtKind::for_) {
        for (int variable : targets) stmt->body.insert(stmt->body.begin(), watched(variable, place, true));
        targets.clear();
      }
      const bool has_value = stmt->kind != StmtKind::del_;
      if (!has_value) {
        stmt->kind = StmtKind::expr;
        stmt->expr = std::move(stmt->targets[0]);
        stmt->targets.clear();
      }
      if (has_value || !stmt->expr->items.empty()) noted.push_back(std::move(stmt));
      for (int variable : targets) noted.push_back(watched(variable, place, has_value));
    }
    block = std::move(noted);
  }

  std::vector<Definition> definitions_;
  std::vector<int> parent_;
  std::vector<Expr*> names_;
  std::set<std::string> joined_;  ///< in the prange loop at hand
  std::set<Expr*> unsure_;      ///< names that may have no value
  std::map<int, int> watched_;  ///< variable -> the one that says whether it has a value
  Reaching* breaks_ = nullptr;
  Reaching* continues_ = nullptr;
  std::map<int, Reaching> blocks_;  ///< what reaches the ends of those around from within
  std::vector<Reaching*> tried_;  ///< of each try statement around
  int n_parameters_ = 0;
};

}  // namespace

std::vector<Variable> split_variables(const Function& function, Block& body) {
  return Splitter().run(function, body);
}

}  // namespace kasoku::jit
