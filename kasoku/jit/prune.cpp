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

std::optional<int> order(const Value& a, const Value& b) {
  const auto number = [](const Value& value) -> std::optional<int64_t> {
    if (const int64_t* n = std::get_if<int64_t>(&value)) return *n;
    if (const bool* yes = std::get_if<bool>(&value)) return *yes;
    return std::nullopt;
  };
  const auto x = number(a), y = number(b);
  if (x && y) return *x < *y ? -1 : *x > *y;
  const std::string *s = std::get_if<std::string>(&a), *t = std::get_if<std::string>(&b);
  const auto is_symbol = [](const std::string& text) { return text.starts_with('\n'); };
  if (s && t && is_symbol(*s) != is_symbol(*t)) return std::nullopt;  // a dtype may equal a text
  if (s && t) return *s < *t ? -1 : *s > *t;
  return std::nullopt;
}

class Pruner {
 public:
  explicit Pruner(const std::map<std::string, Type>& known) : known_(known) {}

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
      const std::map<std::string, Type> before = known_;
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
    const Type* known = type_of(*source);
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
    const Type* tuple = type_of(*loop.expr);
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

  /// The type of a parameter that has not been assigned, or null.
  const Type* type_of(const Expr& e) const {
    if (e.kind != ExprKind::name) return nullptr;
    const auto found = known_.find(e.text);
    return found == known_.end() ? nullptr : &found->second;
  }

  static Value dtype_value(Dtype dtype) { return fmt::format("\n{}", info(dtype).name); }

  std::optional<Value> fold(const Expr& e) const {
    if (e.kind == ExprKind::constant) return e.value;
    if (e.kind == ExprKind::global && e.binding.kind == Binding::Kind::value && e.binding.dtype == Dtype::opaque) return e.binding.value;
    if (e.kind == ExprKind::global && e.binding.kind == Binding::Kind::member) return "\n" + e.binding.name;  // no text is that
    if (e.kind == ExprKind::global && e.binding.kind == Binding::Kind::dtype) return dtype_value(e.binding.dtype);
    if (e.kind == ExprKind::attribute && e.text == "dtype") {
      const Type* type = type_of(*e.items[0]);
      return type && (type->is_scalar() || (type->is_array() && !type->has_records())) ? std::optional<Value>(dtype_value(type->dtype)) : std::nullopt;
    }
    if (const Type* type = type_of(e)) {
      if (type->kind == TypeKind::dtype) return dtype_value(type->dtype);
      if (type->kind == TypeKind::none) return None{};
      if (type->kind == TypeKind::text) return type->text;
      if (type->kind == TypeKind::member) return "\n" + type->text;
      if ((type->is_integer() || type->is_boolean()) && !type->text.empty()) return static_cast<int64_t>(std::stoll(type->text));
      return std::nullopt;
    }
    if (e.kind == ExprKind::unary && e.op == Operator::negative)
      if (const auto inner = fold(*e.items[0]))
        if (const int64_t* n = std::get_if<int64_t>(&*inner)) return -*n;
    if (e.kind == ExprKind::binary && (e.op == Operator::add || e.op == Operator::subtract)) {
      const auto a = fold(*e.items[0]), b = fold(*e.items[1]);
      const int64_t *x = a ? std::get_if<int64_t>(&*a) : nullptr, *y = b ? std::get_if<int64_t>(&*b) : nullptr;
      if (x && y) return e.op == Operator::add ? *x + *y : *x - *y;
    }
    if (e.kind == ExprKind::attribute && e.text == "ndim") {
      const Type* type = type_of(*e.items[0]);
      if (type && (type->is_array() || type->is_scalar())) return static_cast<int64_t>(type->ndim);
    }
    if (const Intrinsic* row = intrinsic_of(e); row && e.items.size() >= 2) {
      const Type* type = type_of(*e.items[1]);
      if (type && row->handler == Handler::len && type->is_tuple()) return static_cast<int64_t>(type->items.size());
      if (type && row->handler == Handler::isinstance && e.items.size() == 3)
        if (const auto answer = is_of(*type, std::get<std::string>(e.items[2]->value))) return *answer;
    }
    return std::nullopt;
  }

 public:
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
    if (e.kind != ExprKind::compare) {
      const auto value = fold(e);
      if (!value) return std::nullopt;
      if (const bool* yes = std::get_if<bool>(&*value)) return *yes;
      if (const int64_t* n = std::get_if<int64_t>(&*value)) return *n != 0;
      if (const std::string* text = std::get_if<std::string>(&*value)) return !text->empty();
      return std::holds_alternative<None>(*value) ? std::optional(false) : std::nullopt;
    }
    if (e.ops.size() != 1) return std::nullopt;
    const Operator op = e.ops[0];
    if (op == Operator::in || op == Operator::not_in) {
      const auto value = fold(*e.items[0]);
      if (!value || (e.items[1]->kind != ExprKind::tuple && e.items[1]->kind != ExprKind::list)) return std::nullopt;
      bool found = false;
      for (const ExprPtr& item : e.items[1]->items) {
        const auto other = fold(*item);
        const auto difference = other ? order(*value, *other) : std::nullopt;
        if (!difference) return std::nullopt;
        found |= *difference == 0;
      }
      return found == (op == Operator::in);
    }
    const auto b = fold(*e.items[1]);
    const bool is_identity = op == Operator::is || op == Operator::is_not;
    const bool is_equality = op == Operator::equal || op == Operator::not_equal;
    if (b && std::holds_alternative<None>(*b) && (is_identity || is_equality)) {
      // A value that is known only by its type is none or not.
      const Type* type = type_of(*e.items[0]);
      const auto a = fold(*e.items[0]);
      if (!type && !a) return std::nullopt;
      if (type && (type->kind == TypeKind::optional || (type->is_array() && is_equality))) return std::nullopt;
      return (type ? type->kind == TypeKind::none : std::holds_alternative<None>(*a)) == (op == Operator::is || op == Operator::equal);
    }
    const auto a = fold(*e.items[0]);
    if (!a || !b) return std::nullopt;
    const auto difference = order(*a, *b);
    if (!difference) {
      const bool none = std::holds_alternative<None>(*a) || std::holds_alternative<None>(*b);
      return none && (is_identity || is_equality) ? std::optional(op == Operator::is_not || op == Operator::not_equal) : std::nullopt;
    }
    switch (op) {
      case Operator::is:
      case Operator::equal: return *difference == 0;
      case Operator::is_not:
      case Operator::not_equal: return *difference != 0;
      case Operator::less: return *difference < 0;
      case Operator::less_equal: return *difference <= 0;
      case Operator::greater: return *difference > 0;
      case Operator::greater_equal: return *difference >= 0;
      default: return std::nullopt;
    }
  }

 private:
  /// What the condition of the branch at this place is, as types of arguments say it, or of a variable where inference met it.
  std::optional<bool> is_taken(const Expr& condition, Place place) const {
    if (const auto known = decide(condition)) return known;
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

  std::map<std::string, Type> known_;  ///< parameters that have not been assigned
  std::vector<const MixedLoop*> mixed_;
  std::vector<const DecidedBranch*> branches_;
  std::string copy_;    ///< in which copies of the loops written out this is
  int next_level_ = 0;  ///< of blocks
};

}  // namespace

std::optional<bool> is_of(const Type& type, const std::string& classes) {
  const auto listed = [&](const std::string& name) { return ("," + classes + ",").find("," + name + ",") != std::string::npos; };
  const auto name = [&]() -> std::string {
    switch (type.kind) {
      case TypeKind::none: return "NoneType";
      case TypeKind::text:
      case TypeKind::string: return "str";
      case TypeKind::array: return "ndarray";
      case TypeKind::tuple: return "tuple";
      case TypeKind::list: return "list";
      case TypeKind::dict: return "dict";
      case TypeKind::set: return "set";
      case TypeKind::scalar: return std::string(info(type.dtype).name);
      default: return "";
    }
  }();
  if (name.empty() || listed("?" + name) || (type.enumeration && !listed(name))) return std::nullopt;
  return listed(name);
}

void prune(const Function& function, const std::vector<Type>& arguments, const Met& met, Block& body) {
  Pruner(function, arguments, met).run(body);
}

std::optional<bool> decided(const Expr& condition, const std::map<std::string, Type>& known) { return Pruner(known).decide(condition); }

}  // namespace kasoku::jit
