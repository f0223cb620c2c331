/// Types of calls: whose they are, where their arguments go, and those of other functions.
#include "kasoku/base/error.h"
#include "kasoku/jit/infer.h"
#include "kasoku/jit/signature.h"
#include "kasoku/jit/walk.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <ranges>
#include <set>

namespace kasoku::jit {

ExprPtr global_expr(const Binding& binding, const std::string& text, Place place) {
  auto expr = std::make_unique<Expr>();
  expr->kind = ExprKind::global;
  expr->binding = binding;
  expr->text = text;
  expr->place = place;
  return expr;
}

namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
  }
  return parts;
}

/// array.NAME(…) -> NAME(array, …), where NAME is a method that compiled code knows.
const Intrinsic* method(const std::string& name) {
  for (const char* home : {"array.", "numpy.ndarray.", "numpy."})
    if (const Intrinsic* found = find_intrinsic(home + name)) return found;
  return nullptr;
}

/// What a function of NumPy's takes as [a, b] has a length known when compiling, if it is short.
void as_tuple(Expr& display) {
  if (display.kind != ExprKind::list || display.items.size() > 16) return;
  display.kind = ExprKind::tuple;
  for (ExprPtr& item : display.items) as_tuple(*item);
}

/// Whether a parameter of intrinsics.def has a default.
bool may_be_absent(const Intrinsic& intrinsic, std::string_view parameter) {
  switch (intrinsic.handler) {
    case Handler::to_int: case Handler::to_float: case Handler::to_bool: case Handler::to_complex: return true;
    case Handler::enumerate: if (parameter == "start") return true; break;
    case Handler::linspace: return parameter == "num";
    case Handler::cuda_syncwarp: return true;
    case Handler::formatted: return parameter == "format_spec";
    case Handler::text_method: return parameter != "a" && parameter != "sub" && parameter != "old" && parameter != "new" && parameter != "width" && parameter != "items";
    default: break;
  }
  if (intrinsic.handler == Handler::list_pop || intrinsic.handler == Handler::list_sort) return parameter != "a";
  if (intrinsic.handler == Handler::dict_get || intrinsic.handler == Handler::dict_pop) return parameter == "default";
  for (const std::string_view optional : {"axis", "dtype", "ndigits", "decimals", "size", "step", "stop", "base", "num", "lower", "upper",
                                          "low", "high", "loc", "scale", "rate"})
    if (parameter == optional) return true;
  return false;
}

/// Parameters of the library whose values decide how many axes a result has, or how many results there are.
bool decides_types(std::string_view parameter) {
  for (const std::string_view name : {"axis", "keepdims", "compute_uv", "density", "ndim"})
    if (parameter == name) return true;
  return false;
}

/// Whether the value of a name has to be known when compiling: lengths of shared and local arrays, numbers of axes.
bool is_known_there(const Block& body, const std::string& name, std::set<const Function*>& seen) {
  const auto is_name = [&](const Expr& e) { return e.kind == ExprKind::name && e.text == name; };
  bool found = false;
  each_expr(body, [&](const Expr& e) {
    if (found || e.kind != ExprKind::call || e.items.size() < 2) return;
    const Binding& called = e.items[0]->binding;
    if (const Intrinsic* row = intrinsic_of(e)) {
      const bool asks = row->handler == Handler::cuda_shared || row->handler == Handler::cuda_local ||
                        row->handler == Handler::cuda_grid || row->handler == Handler::cuda_gridsize;
      const bool asks_any = row->handler == Handler::cuda_shared_memory;
      for (size_t i = 1; i < (asks_any ? e.items.size() : asks ? 2 : 1); ++i)
        each_expr(*e.items[i], [&](const Expr& part) { found |= is_name(part); });
    } else if (called.kind == Binding::Kind::function && seen.insert(called.function).second) {
      for (size_t i = 1; i < e.items.size() && i <= called.function->parameters.size(); ++i)
        if (is_name(*e.items[i])) found |= is_known_there(called.function->body, called.function->parameters[i - 1].name, seen);
    }
  });
  return found;
}

/// The type with what is known of the value, if it is of integers that are.
Type known(const Expr& expr, const Type& type) {
  if (const auto n = type.is_integer() || type.is_boolean() ? constant_int(expr) : std::nullopt) {
    Type exact = type;
    exact.text = fmt::format("{}", *n);
    return exact;
  }
  Type all = type;
  if (type.is_tuple() && expr.kind == ExprKind::tuple)
    for (size_t i = 0; i < expr.items.size(); ++i) all.items[i] = known(*expr.items[i], type.items[i]);
  if (type.is_tuple() && expr.kind == ExprKind::global && expr.binding.kind == Binding::Kind::tuple)
    for (size_t i = 0; i < all.items.size(); ++i)
      if (const int64_t* n = std::get_if<int64_t>(&expr.binding.items[i].value); n && all.items[i].is_integer())
        all.items[i].text = fmt::format("{}", *n);
  return all;
}

}  // namespace

Type Inference::kept(const Expr& target, const Expr& value, const Type& type) const {
  if (!function_->function->options.is_cuda || target.kind != ExprKind::name || function_->variables[target.variable].n_assignments != 1) return type;
  std::set<const Function*> seen;
  return is_known_there(function_->function->body, target.text, seen) ? known(value, type) : type;
}

bool Inference::has(const Expr& call, size_t i) const {
  return i + 1 < call.items.size() && call.items[i + 1] != nullptr;
}

Type Inference::argument(const Expr& call, size_t i) const {
  return has(call, i) ? call.items[i + 1]->type : Type{};
}

void Inference::place_arguments(Expr& expr, const Intrinsic& intrinsic) {
  if (intrinsic.parameters == "*") {
    if (!expr.keywords.empty() && intrinsic.handler != Handler::print)
      fail(expr.place, fmt::format("{} takes no keyword '{}'", intrinsic.name, expr.keywords[0]));
    return;
  }
  const auto names = split(intrinsic.parameters);
  const size_t given = expr.items.size() - 1, by_name = expr.keywords.size();
  if (by_name == 0 && given == names.size()) return;
  std::vector<ExprPtr> placed(names.size());
  const size_t positional = given - by_name;
  if (positional > names.size())
    fail(expr.place, fmt::format("{} takes {} arguments, not {}", intrinsic.name, names.size(), given));
  for (size_t i = 0; i < positional; ++i) placed[i] = std::move(expr.items[i + 1]);
  for (size_t k = 0; k < by_name; ++k) {
    if (intrinsic.handler == Handler::range && expr.keywords[k] == "unroll") continue;  // CuPy's, which means nothing here
    const auto found = std::ranges::find(names, expr.keywords[k]);
    if (found == names.end())
      fail(expr.place,
           fmt::format("{} has no argument '{}' in compiled code", intrinsic.name, expr.keywords[k]),
           fmt::format("it takes ({})", intrinsic.parameters));
    placed[found - names.begin()] = std::move(expr.items[positional + k + 1]);
  }
  for (size_t i = 0; i < names.size(); ++i)
    if (!placed[i] && !may_be_absent(intrinsic, names[i]))
      fail(expr.place, fmt::format("{} needs the argument '{}'", intrinsic.name, names[i]),
           fmt::format("it takes ({})", intrinsic.parameters));
  expr.items.resize(1);
  for (ExprPtr& item : placed) expr.items.push_back(std::move(item));
  expr.keywords.clear();
}

bool Inference::spread_starred(Expr& expr) {
  for (size_t i = 1; i < expr.items.size(); ++i) {
    if (!expr.items[i] || expr.items[i]->kind != ExprKind::starred) continue;
    const ExprPtr tuple = std::move(expr.items[i]->items[0]);
    const Type type = visit(*tuple);
    if (!type.is_known()) return expr.items[i]->items[0] = tuple->clone(), false;
    if (!type.is_tuple()) fail(tuple->place, fmt::format("*arguments are of a tuple, and this is {}", str(type)));
    expr.items.erase(expr.items.begin() + static_cast<std::ptrdiff_t>(i));
    for (size_t k = 0; k < type.items.size(); ++k) {
      auto at = std::make_unique<Expr>(), item = std::make_unique<Expr>();
      at->value = static_cast<int64_t>(k);
      item->kind = ExprKind::subscript;
      at->place = item->place = tuple->place;
      item->items.push_back(k && tuple->kind == ExprKind::walrus ? tuple->items[0]->clone() : tuple->clone());
      item->items.push_back(std::move(at));
      expr.items.insert(expr.items.begin() + static_cast<std::ptrdiff_t>(i + k), std::move(item));
    }
    i += type.items.size() - 1;
  }
  return true;
}

void Inference::visit_items(Expr& display) {
  if (display.kind != ExprKind::tuple) return;
  for (ExprPtr& item : display.items) visit_items(*item), visit(*item);
}

/// Makes `object.name(...)` a call of `binding` with the object as first argument.
static void pass_self(Expr& expr, Binding binding) {
  Expr& target = *expr.items[0];
  ExprPtr self = std::move(target.items[0]);
  ExprPtr function = global_expr(binding, target.text, target.place);
  expr.items[0] = std::move(function);
  expr.items.insert(expr.items.begin() + 1, std::move(self));
}

static Binding intrinsic_binding(std::string_view name) {
  Binding binding;
  binding.kind = Binding::Kind::intrinsic;
  binding.name = name;
  return binding;
}

Type Inference::call_method(Expr& expr) {
  Expr& target = *expr.items[0];
  const Type object = visit(*target.items[0]);
  if (!object.is_known()) return {};
  if (object.is_instance()) return instance_method(expr, object);
  if (object.is_container() || object.is_words() || object.kind == TypeKind::group) {
    const std::string kind = object.is_words() ? "str" : object.is_list() ? "list" : object.is_dict() ? "dict" : object.is_set() ? "set" : "group";
    const Intrinsic* found = find_intrinsic(kind + "." + target.text);
    if (!found || (object.is_words() && !expr.keywords.empty() && !target.text.ends_with("split"))) fail(expr.place, fmt::format("the {} method '{}' cannot be compiled", kind, target.text));
    pass_self(expr, intrinsic_binding(found->name));
  } else if (object.is_array() || object.is_generator()) {
    const Intrinsic* found = object.is_array() ? method(target.text) : nullptr;
    Binding binding = target.binding;  // the library's, written in Python, if we have none
    if (found) {
      binding.kind = Binding::Kind::intrinsic;
      binding.name = found->name;
    } else if (binding.kind != Binding::Kind::function) {
      fail(expr.place, fmt::format("the {} method '{}' cannot be compiled", object.is_array() ? "array" : "generator", target.text));
    }
    pass_self(expr, std::move(binding));
  } else if (object.kind == TypeKind::dtype && target.text == "type") {
    Binding binding;
    binding.kind = Binding::Kind::dtype;
    binding.dtype = object.dtype;
    expr.items[0] = global_expr(binding, target.text, target.place);
  } else if (object.is_scalar() && target.text == "conjugate") {
    pass_self(expr, intrinsic_binding("numpy.conj"));
  } else if (object.is_scalar() && target.text == "item" && expr.items.size() == 1) {
    pass_self(expr, intrinsic_binding("array.item"));
  } else {
    fail(expr.place, fmt::format("the method '{}' of {} cannot be compiled", target.text, str(object)));
  }
  return call(expr);
}

Type Inference::call_held(Expr& expr) {
  Expr& target = *expr.items[0];
  const Type type = visit(target);
  if (!type.is_known()) return {};
  Binding binding;
  binding.name = target.text;
  if (type.kind == TypeKind::dtype) {
    binding.kind = Binding::Kind::dtype;
    binding.dtype = type.dtype;
  } else if (type.kind == TypeKind::function && type.function) {
    binding.kind = Binding::Kind::function;
    binding.function = type.function;
  } else if (type.kind == TypeKind::function) {
    binding = intrinsic_binding(type.intrinsic->name);
  } else {
    fail(expr.place, "only functions known when compiling can be called");
  }
  expr.items[0] = global_expr(binding, target.text.empty() ? "this function" : target.text, target.place);
  return call(expr);
}

Type Inference::call_dtype(Expr& expr, Dtype dtype) {
  const std::string& name = expr.items[0]->text;
  if (expr.items.size() != 2 || !expr.keywords.empty())
    fail(expr.place, fmt::format("{} takes one argument", name));
  const Type type = visit(*expr.items[1]);
  if (!type.is_known()) return {};
  if (type.is_array()) return Type::array(dtype, type.ndim, true);
  if (!type.is_scalar()) fail(expr.place, fmt::format("{}({}) has no meaning", name, str(type)));
  return Type::scalar(dtype);
}

Type Inference::call_listed(Expr& expr, const Intrinsic& intrinsic) {
  const std::string name = expr.items[0]->text;
  place_arguments(expr, intrinsic);
  if (intrinsic.handler == Handler::enumerate || intrinsic.handler == Handler::zip ||
      intrinsic.handler == Handler::ndindex || intrinsic.handler == Handler::ndenumerate)
    fail(expr.place, fmt::format("{} is only compiled as what a for loop runs over", name));
  const bool is_method = is_container_method(intrinsic.handler);
  const bool tells_types = intrinsic.handler == Handler::isinstance || intrinsic.handler == Handler::print ||
                           intrinsic.handler == Handler::to_str || intrinsic.handler == Handler::formatted;
  for (size_t i = 1; i < expr.items.size(); ++i) {
    if (!expr.items[i]) continue;
    if (expr.items[i]->kind == ExprKind::list && !is_method && !tells_types &&
        intrinsic.handler != Handler::text_method)
      as_tuple(*expr.items[i]);
    visit_items(*expr.items[i]);
    if (!visit(*expr.items[i]).is_known()) return {};
    if (expr.items[i]->type.is_instance() && intrinsic.handler == Handler::len &&
        instance_operator(expr, expr.items[i]->type, "__len__", 1))
      return call(expr);
    if (expr.items[i]->type.is_instance() && intrinsic.handler != Handler::list_append &&
        intrinsic.handler != Handler::list_insert)
      fail(expr.items[i]->place, fmt::format("{} of {} cannot be compiled", name, str(expr.items[i]->type)));
    if (expr.items[i]->kind == ExprKind::present && tells_types)
      fail(expr.items[i]->place, fmt::format("{} of what may be None cannot be compiled", name), "", "test it with 'is None' first");
    if ((expr.items[i]->type.has_records() || expr.items[i]->type.is_record()) &&
        intrinsic.handler != Handler::len && intrinsic.handler != Handler::drawn && intrinsic.handler != Handler::zeros_like &&
        intrinsic.handler != Handler::empty_like && !(intrinsic.handler == Handler::asarray && expr.items.size() == 2))
      fail(expr.items[i]->place, fmt::format("{} of {} cannot be compiled", name, str(expr.items[i]->type)), "", "use its fields");
  }
  if (is_dict_method(intrinsic.handler)) return dict_method(expr, intrinsic.handler);
  if (is_set_method(intrinsic.handler)) return set_method(expr, intrinsic.handler);
  if (is_method) return list_method(expr, intrinsic.handler);
  return call_intrinsic(expr, intrinsic);
}

Type Inference::call(Expr& expr) {
  if (!spread_starred(expr)) return {};
  Expr& target = *expr.items[0];
  if (!target.binding.overloaded.empty())
    if (const auto result = call_overload(expr)) return *result;
  if (target.kind == ExprKind::attribute) return call_method(expr);
  if (target.kind != ExprKind::global) return call_held(expr);
  const Binding& binding = target.binding;
  switch (binding.kind) {
    case Binding::Kind::function: return call_function(expr, *binding.function);
    case Binding::Kind::dtype: return call_dtype(expr, binding.dtype);
    case Binding::Kind::intrinsic:
      if (const Intrinsic* intrinsic = find_intrinsic(binding.name)) return call_listed(expr, *intrinsic);
      break;
    default: break;
  }
  if (!binding.overloaded.empty()) fail(expr.place, fmt::format("no overload of {} takes these arguments", target.text));
  fail(expr.place, fmt::format("'{}' cannot be called in compiled code", target.text),
       binding.kind == Binding::Kind::object ? "it is " + binding.name : "");
}

constexpr const char* rest_text = "*";

/// What a call gives by place beyond the names becomes a tuple, the argument of `*args`; once, which the tuple's text says.
static void gather_rest(Expr& expr, const Function& callee) {
  const auto rest = std::ranges::find(callee.parameters, true, &Parameter::is_rest);
  if (rest == callee.parameters.end()) return;
  const size_t positional = expr.items.size() - 1 - expr.keywords.size();
  const size_t before = std::min(positional, static_cast<size_t>(rest - callee.parameters.begin()));
  const auto first = expr.items.begin() + 1 + static_cast<std::ptrdiff_t>(before);
  const auto end = expr.items.begin() + 1 + static_cast<std::ptrdiff_t>(positional);
  if (first != end && (*first)->text == rest_text) return;
  auto tuple = std::make_unique<Expr>();
  tuple->kind = ExprKind::tuple;
  tuple->place = expr.place;
  tuple->text = rest_text;
  std::move(first, end, std::back_inserter(tuple->items));
  const auto at = expr.items.erase(first, end);
  if (static_cast<std::ptrdiff_t>(before) == rest - callee.parameters.begin()) {
    expr.items.insert(at, std::move(tuple));
  } else {  // names before it are given by name
    expr.items.push_back(std::move(tuple));
    expr.keywords.push_back(rest->name);
  }
}

Type Inference::call_function(Expr& expr, const Function& callee) {
  // Arguments by name and defaults find their places once.
  gather_rest(expr, callee);
  const size_t n = callee.parameters.size();
  const size_t given = expr.items.size() - 1;
  const auto n_by_place = static_cast<size_t>(std::ranges::count(callee.parameters, false, &Parameter::is_by_name));
  const size_t positional = given - expr.keywords.size();
  if (positional > n_by_place)
    fail(expr.place, fmt::format("{} takes {} arguments by place, not {}", callee.name, n_by_place, positional));
  if (given != n || !expr.keywords.empty()) {
    std::vector<ExprPtr> placed(n);
    for (size_t i = 0; i < positional; ++i) placed[i] = std::move(expr.items[i + 1]);
    for (size_t k = 0; k < expr.keywords.size(); ++k) {
      size_t i = 0;
      while (i < n && callee.parameters[i].name != expr.keywords[k]) ++i;
      if (i == n || placed[i])
        fail(expr.place, fmt::format("{} has no free argument '{}'", callee.name, expr.keywords[k]));
      placed[i] = std::move(expr.items[positional + k + 1]);
    }
    for (size_t i = 0; i < n; ++i) {
      if (placed[i]) continue;
      if (!callee.parameters[i].has_default)
        fail(expr.place, fmt::format("{} needs the argument '{}'", callee.name, callee.parameters[i].name));
      placed[i] = global_expr(callee.parameters[i].default_value, callee.parameters[i].name, expr.place);
    }
    expr.items.resize(1);
    for (ExprPtr& item : placed) expr.items.push_back(std::move(item));
    expr.keywords.clear();  // but those of the last parameters, which have no place
    for (size_t i = n_by_place; i < n; ++i) expr.keywords.push_back(callee.parameters[i].name);
  }
  std::vector<Type> types;
  bool all_known = true;
  for (size_t i = 1; i <= n; ++i) {
    if (!callee.is_jitted) visit_items(*expr.items[i]);
    types.push_back(visit(*expr.items[i], !callee.options.is_cuda));
    std::set<const Function*> seen{&callee};
    if ((!callee.is_jitted && decides_types(callee.parameters[i - 1].name)) || (callee.options.is_cuda && is_known_there(callee.body, callee.parameters[i - 1].name, seen)))
      types.back() = known(*expr.items[i], types.back());
    all_known &= types.back().is_known();
    if (types.back().kind == TypeKind::range || (types.back().kind == TypeKind::optional && !can_be_absent(types.back().items[0])))
      fail(expr.items[i]->place, fmt::format("{} cannot be passed to a compiled function",
                                             str(types.back())));
  }
  if (!all_known) return {};
  if (!callee.declared.empty()) {
    const std::vector<const Signature*> found = best(callee.declared, types);
    if (found.empty())
      throw SignatureError(error(expr.place, fmt::format("Invalid use of type {} with parameters {}", callee.name, str(types)),
                                 fmt::format("it was declared for {} alone", fmt::join(callee.declared | std::views::transform([](const Signature& s) { return str(s); }), " and ")), ""));
    types = found[0]->arguments;
  }
  TypedFunction* caller = function_;
  expr.callee = instance(callee, types);
  function_ = caller;
  // What the callee puts into a list that it is given.
  for (size_t i = 0; i < n; ++i) {
    const Type put = unit_.functions[expr.callee]->variables[i].type;
    if (put.is_container() && types[i].kind == put.kind && put != types[i]) expect(*expr.items[i + 1], put);
  }
  return unit_.functions[expr.callee]->result;
}

}  // namespace kasoku::jit
