/// What the types of the arguments decide goes before variables get their types: branches like `if x is None`,
/// `if x.ndim == 1`, `if mode == "same"`, `if isinstance(x, int)`, so that the branch not taken has no part in them; and
/// loops over tuples of several types, whose body stands there once for each item.
#include "kasoku/jit/infer.h"
#include "kasoku/jit/typed_function.h"
#include "kasoku/jit/walk.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace kasoku::jit {

namespace {

/// Makes each `from` of the loop whose body this is leave the block of that number; whether there was one.
bool leave_for(StmtKind from, Block& body, int level) {
  bool any = false;
  for (const StmtPtr& stmt : body) {
    if (stmt->kind == from) stmt->kind = StmtKind::leave, stmt->level = level, any = true;
    if (stmt->kind != StmtKind::for_ && stmt->kind != StmtKind::while_) any |= leave_for(from, stmt->body, level);
    any |= leave_for(from, stmt->orelse, level);
  }
  return any;
}

/// Puts the statements behind `kept`, in a block of that number if something leaves it.
void put(Block statements, bool is_left, int level, Place place, Block& kept) {
  if (!is_left) return std::ranges::move(statements, std::back_inserter(kept)), void();
  kept.push_back(make_stmt(StmtKind::block, place));
  kept.back()->level = level;
  kept.back()->body = std::move(statements);
}

/// Whether the loop assigns the name.
bool assigns(const Stmt& loop, const std::string& name) {
  bool found = false;
  const auto look = [&](const Expr& e) { found |= e.kind == ExprKind::name && e.text == name; };
  for (const ExprPtr& target : loop.targets) each_expr(*target, look);
  each_stmt(loop.body, [&](const Stmt& stmt) {
    for (const ExprPtr& target : stmt.targets) each_expr(*target, look);
    if (stmt.expr)
      each_expr(*stmt.expr, [&](const Expr& e) { if (e.kind == ExprKind::walrus) look(*e.items[0]); });
  });
  return found;
}

class Pruner {
 public:
  Pruner(const Function& function, const std::vector<Type>& arguments, const Met& met) {
    each_stmt(function.body, [&](const Stmt& stmt) { next_level_ = std::max(next_level_, stmt.level + 1); });
    for (const MixedLoop& loop : met.loops)
      if (loop.function == &function && loop.arguments == arguments) mixed_.push_back(&loop);
    for (const DecidedBranch& branch : met.branches)
      if (branch.function == &function && branch.arguments == arguments) branches_.push_back(&branch);
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].is_known()) known_[function.parameters[i].name] = arguments[i];
  }

  void run(Block& block) {
    Block kept;
    for (StmtPtr& stmt : block) {
      if (stmt->kind == StmtKind::while_) forget(*stmt);  // its condition is asked again after the body
      if (stmt->expr) expr(*stmt->expr);
      if (stmt->kind == StmtKind::if_) {
        if (const auto taken = is_taken(*stmt->expr, stmt->place)) {
          Block chosen = std::move(*taken ? stmt->body : stmt->orelse);
          run(chosen);
          std::ranges::move(chosen, std::back_inserter(kept));
          if (!kept.empty() && (kept.back()->kind == StmtKind::return_ || kept.back()->kind == StmtKind::raise)) break;
          continue;
        }
        stmt->text = copy_;
      }
      if (stmt->kind == StmtKind::for_ && unroll(*stmt, kept)) continue;
      if (stmt->kind == StmtKind::for_) forget(*stmt), stmt->text = copy_;
      const Known before = known_;
      if (stmt->kind == StmtKind::for_) know_item(*stmt);
      run(stmt->body);
      known_ = before;
      if (stmt->kind == StmtKind::try_ || stmt->kind == StmtKind::finally_)  // it may have come anywhere
        for (const StmtPtr& inner : stmt->body) forget(*inner);
      run(stmt->orelse);
      known_ = before;
      forget(*stmt);
      kept.push_back(std::move(stmt));
    }
    block = std::move(kept);
  }

 private:
  /// `for x in t` of a tuple whose items have no common type, or that is empty: x = t[0], the body, x = t[1], …
  bool unroll(const Stmt& loop, Block& kept) {
    const Expr* source = loop.expr.get();
    const bool is_asked = source->kind == ExprKind::call && source->items.size() == 2 && source->items[0]->kind == ExprKind::global &&
                          source->items[0]->text == "literal_unroll";
    if (is_asked) source = source->items[1].get();
    const Type* known = known_type(*source, known_);
    std::vector<ExprPtr> items;
    std::vector<Type> types;
    const auto mixed = std::ranges::find_if(mixed_, [&](const MixedLoop* each) {
      return each->place.line == loop.place.line && each->place.column == loop.place.column && each->copy == copy_;
    });
    if (mixed != mixed_.end()) {
      types.resize((*mixed)->n_items);
      StmtPtr kept_tuple = make_stmt(StmtKind::assign, loop.place);
      kept_tuple->level = static_cast<int>(types.size());  // inference looks whether it has so many items
      kept_tuple->targets.push_back(make_name(fmt::format("ks_tuple_{}", next_level_), loop.place));
      kept_tuple->expr = source->clone();
      for (size_t i = 0; i < types.size(); ++i) items.push_back(item_of(*kept_tuple->targets[0], i));
      kept.push_back(std::move(kept_tuple));
    } else if (known && known->is_tuple()) {
      const bool is_empty = known->items.empty();  // nobody knows a type for the items that are not there
      if (!is_empty && assigns(loop, source->text)) return false;
      if (!have_several_types(*known) && !is_asked && !is_empty) return false;
      types = known->items;
      for (size_t i = 0; i < types.size(); ++i) items.push_back(item_of(*source, i));
    } else {
      items = written_items(*source, is_asked);
      types.resize(items.size());
      if (items.empty()) return false;
    }
    const int whole = next_level_++, turn = next_level_++;
    Block unrolled;
    bool breaks = false;
    for (size_t i = 0; i < items.size(); ++i) {
      StmtPtr item = make_stmt(StmtKind::assign, loop.place);
      item->targets.push_back(loop.targets[0]->clone());
      item->expr = std::move(items[i]);
      Block body = clone(loop.body);
      breaks |= leave_for(StmtKind::break_, body, whole);
      const bool continues = leave_for(StmtKind::continue_, body, turn);
      forget(loop);
      if (loop.targets[0]->kind == ExprKind::name && types[i].is_known()) known_[loop.targets[0]->text] = types[i];
      for (const StmtPtr& stmt : body) forget(*stmt);
      const std::string copy = copy_;
      copy_ += fmt::format("{}.", i);
      run(body);
      copy_ = copy;
      unrolled.push_back(std::move(item));
      put(std::move(body), continues, turn, loop.place, unrolled);
    }
    forget(loop);
    Block after = clone(loop.orelse);
    run(after);
    std::ranges::move(after, std::back_inserter(unrolled));
    put(std::move(unrolled), breaks, whole, loop.place, kept);
    return true;
  }

  static bool have_several_types(const Type& tuple) {
    Type all;
    bool differ = false;
    for (const Type& item : tuple.items) {
      const auto both = join(all, item);
      differ |= !both || both->kind == TypeKind::optional || (both->is_string() && item.kind == TypeKind::text);
      if (both) all = *both;
    }
    return differ;
  }

  static ExprPtr item_of(const Expr& tuple, size_t i) {
    ExprPtr item = make_expr(ExprKind::subscript, tuple.place);
    item->items.push_back(tuple.clone());
    item->items.push_back(make_constant(static_cast<int64_t>(i), tuple.place));
    return item;
  }

  /// The items of a tuple of the world outside, or that is written there, of names and constants: of functions, or where it is asked for.
  static std::vector<ExprPtr> written_items(const Expr& tuple, bool is_asked) {
    std::vector<ExprPtr> items;
    if (tuple.kind == ExprKind::global && tuple.binding.kind == Binding::Kind::tuple)
      for (const Binding& each : tuple.binding.items) items.push_back(global_expr(each, tuple.text, tuple.place));
    else if (tuple.kind == ExprKind::tuple || tuple.kind == ExprKind::list)
      for (const ExprPtr& each : tuple.items) items.push_back(each->clone());
    const auto is_function = [](const ExprPtr& each) {
      return each->kind == ExprKind::global && (each->binding.kind == Binding::Kind::function || each->binding.kind == Binding::Kind::intrinsic);
    };
    const auto is_fixed = [](const ExprPtr& each) { return each->kind == ExprKind::global || each->kind == ExprKind::constant; };
    if (!std::ranges::all_of(items, is_fixed) || !(is_asked || std::ranges::any_of(items, is_function))) items.clear();
    return items;
  }

  /// The loop's variable is one of its tuple's items, if these are of one type and nothing else assigns it.
  void know_item(const Stmt& loop) {
    const Type* tuple = known_type(*loop.expr, known_);
    if (!tuple || !tuple->is_tuple() || tuple->items.empty() || loop.targets[0]->kind != ExprKind::name) return;
    for (const Type& item : tuple->items)
      if (item != tuple->items[0]) return;
    known_[loop.targets[0]->text] = Type(tuple->items[0]);
    for (const StmtPtr& stmt : loop.body) forget(*stmt);
  }

  /// What the statement assigns is known no more.
  void forget(const Stmt& stmt) {
    for (const ExprPtr& target : stmt.targets) forget_names(*target);
    if (stmt.expr)
      each_expr(*stmt.expr, [&](const Expr& e) { if (e.kind == ExprKind::walrus) known_.erase(e.items[0]->text); });
    for (const Block* block : {&stmt.body, &stmt.orelse})
      for (const StmtPtr& inner : *block) forget(*inner);
  }

  void forget_names(const Expr& target) {
    if (target.kind == ExprKind::name) known_.erase(target.text);
    if (target.kind == ExprKind::tuple || target.kind == ExprKind::list)
      for (const ExprPtr& item : target.items) forget_names(*item);
  }

  /// What the condition of the branch at this place is, as types of arguments say it, or of a variable where inference met it.
  std::optional<bool> is_taken(const Expr& condition, Place place) const {
    if (const auto known = decided(condition, known_)) return known;
    for (const DecidedBranch* branch : branches_)
      if (branch->place.line == place.line && branch->place.column == place.column && branch->copy == copy_) return branch->is_taken;
    return std::nullopt;
  }

  void expr(Expr& e) {
    if (e.kind == ExprKind::conditional)
      if (const auto taken = is_taken(*e.items[0], e.place)) {
        ExprPtr chosen = std::move(e.items[*taken ? 1 : 2]);
        e = std::move(*chosen);
        return expr(e);
      } else {
        e.text = copy_;
      }
    for (ExprPtr& item : e.items)
      if (item) expr(*item);
  }

  Known known_;  ///< parameters that have not been assigned
  std::vector<const MixedLoop*> mixed_;
  std::vector<const DecidedBranch*> branches_;
  std::string copy_;    ///< in which copies of the loops written out this is
  int next_level_ = 0;  ///< of blocks
};

}  // namespace

void prune(const Function& function, const std::vector<Type>& arguments, const Met& met, Block& body) {
  Pruner(function, arguments, met).run(body);
}

}  // namespace kasoku::jit
