/// Types of what texts have that are not known when compiling: methods, ord, chr, str, format.
#include "kasoku/jit/infer.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kasoku::jit {

namespace {

bool is_whole(const Type& type) { return type.is_integer() || type.is_boolean(); }

std::string_view parameter(const Intrinsic& row, size_t i) {
  std::string_view names = row.parameters;
  while (i--) names.remove_prefix(names.find(',') + 1);
  return names.substr(0, names.find(','));
}

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) { return std::ranges::find(names, name) != names.end(); }

bool is_known(const Expr& e) {
  if (e.kind == ExprKind::tuple || e.kind == ExprKind::list) return std::ranges::all_of(e.items, [](const ExprPtr& item) { return is_known(*item); });
  return e.kind == ExprKind::constant || e.kind == ExprKind::global;
}

/// What a text is for, by the places where its name stands.
struct Uses {
  std::string name;
  bool chooses = false, has_letters = false;
  std::set<const Function*>& seen;

  void expr(const Expr& e) {
    if (is_name(e)) has_letters = true;
    const bool asks = e.kind == ExprKind::unary || e.kind == ExprKind::logic || e.kind == ExprKind::conditional;
    for (size_t i = 0; i < e.items.size(); ++i) {
      if (!e.items[i]) continue;
      if (!is_name(*e.items[i])) expr(*e.items[i]);
      else if (e.kind == ExprKind::compare && e.items.size() == 2 && is_known(*e.items[1 - i]) && (i == 0 || !is_in(e.ops[0]))) chooses = true;
      else if (e.kind == ExprKind::call && i > 0) given(e, i);
      else if (!asks) has_letters = true;
    }
  }

  void block(const Block& body) {
    for (const StmtPtr& stmt : body) {
      for (const ExprPtr& target : stmt->targets)
        if (!is_name(*target)) expr(*target);
      if (stmt->expr && (stmt->kind == StmtKind::for_ || stmt->kind == StmtKind::augment || !is_name(*stmt->expr))) expr(*stmt->expr);
      if (stmt->message && stmt->kind != StmtKind::raise) expr(*stmt->message);
      block(stmt->body), block(stmt->orelse);
    }
  }

 private:
  bool is_name(const Expr& e) const { return e.kind == ExprKind::name && e.text == name; }
  static bool is_in(Operator op) { return op == Operator::in || op == Operator::not_in; }

  void given(const Expr& call, size_t i) {
    const Binding& called = call.items[0]->binding;
    if (called.kind == Binding::Kind::intrinsic && called.name.starts_with("builtins.")) return void(has_letters |= called.name != "builtins.print");
    if (call.items[0]->kind == ExprKind::attribute && find_intrinsic("str." + call.items[0]->text)) return void(has_letters = true);
    if (called.kind != Binding::Kind::function) return void(chooses = true);
    const size_t first_named = call.items.size() - call.keywords.size();
    const auto& parameters = called.function->parameters;
    const auto at = i < first_named ? parameters.begin() + static_cast<std::ptrdiff_t>(std::min(i - 1, parameters.size()))
                                    : std::ranges::find(parameters, call.keywords[i - first_named], &Parameter::name);
    if (at == parameters.end() || !seen.insert(called.function).second) return;
    Uses there{at->name, false, false, seen};
    there.block(called.function->body);
    chooses |= there.chooses, has_letters |= there.has_letters;
  }
};

}  // namespace

bool is_read_as_letters(const Function& function, size_t parameter) {
  std::set<const Function*> seen{&function};
  Uses uses{function.parameters[parameter].name, false, false, seen};
  uses.block(function.body);
  return uses.has_letters || !uses.chooses;
}

Type Inference::string_method(Expr& expr, const Intrinsic& row) {
  for (size_t i = 1; i + 1 < expr.items.size(); ++i) {
    if (!has(expr, i)) continue;
    const Type given = argument(expr, i);
    const std::string_view wanted = parameter(row, i);
    const bool fits = wanted == "items"                                       ? given.is_list() && (given.items[0].is_string() || !given.items[0].is_known())
                      : is_one_of(wanted, {"start", "end", "width", "count", "maxsplit"}) ? is_whole(given)
                      : is_one_of(wanted, {"sep", "chars"}) ? given.is_words() || given.kind == TypeKind::none
                                                                              : given.is_words();
    if (!fits) fail(expr.items[i + 1]->place, fmt::format("{} with {} cannot be compiled", row.name, str(given)));
    if (wanted == "items") expect(*expr.items[i + 1], Type::list(string_type));
  }
  const std::string_view name = row.name.substr(4);
  if (name.ends_with("split")) return Type::list(string_type);
  if (name.ends_with("partition")) return Type::tuple({string_type, string_type, string_type});
  if (name.starts_with("is") || is_one_of(name, {"startswith", "endswith"})) return bool_type;
  return is_one_of(name, {"find", "rfind", "index", "rindex", "count"}) ? int64_type : string_type;
}

Type Inference::string_call(Expr& expr, const Intrinsic& row) {
  const Type given = argument(expr, 0);
  const bool fits = row.handler == Handler::ord   ? given.is_words()
                    : row.handler == Handler::chr ? is_whole(given)
                                                  : row.name == "builtins.repr" && is_floating(given.dtype) ? given == float64_type  // NumPy's says its type
                    : given.is_words() || (given.is_scalar() && !given.is_complex() && !given.enumeration);
  if (!fits) fail(expr.place, fmt::format("{} of {} cannot be compiled", row.name, has(expr, 0) ? str(given) : "nothing"));
  if (has(expr, 1) && !argument(expr, 1).is_words()) fail(expr.place, fmt::format("format_spec is a text, not {}", str(argument(expr, 1))));
  if (row.handler == Handler::ord) return int64_type;
  return row.handler == Handler::to_str && given.kind == TypeKind::text ? given : string_type;
}

}  // namespace kasoku::jit
