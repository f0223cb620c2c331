/// \file python/src/jit_inner.cpp
/// Functions that a compiled function defines. What they read of its variables they are given at each call, so they see
/// the values of that moment, as Python's closures do.
#include "jit_reader.h"
#include "kasoku/base/error.h"

#include <fmt/format.h>

namespace kasoku {

using namespace jit;

nb::object scopes() { return nb::module_::import_("kasoku._scopes"); }

namespace {

std::set<std::string> strings(nb::handle names) {
  std::set<std::string> all;
  for (nb::handle name : names) all.insert(nb::cast<std::string>(name));
  return all;
}

}  // namespace

void Reader::collect_inner(nb::handle node) {
  nb::dict found = nb::borrow<nb::dict>(scopes().attr("inner_functions")(node));
  for (auto [name, function] : found) frame_->inner[nb::cast<std::string>(name)] = {nb::borrow(function), nullptr};
}

Reader::Inner* Reader::inner(const std::string& name, Frame*& home) {
  for (home = frame_; home; home = home->outer) {
    const auto found = home->inner.find(name);
    if (found != home->inner.end()) return &found->second;
    if (home->locals.contains(name)) return nullptr;
  }
  return nullptr;
}

std::set<std::string> Reader::captured(nb::handle node, Frame* home, std::set<PyObject*>& seen) {
  std::set<std::string> all;
  if (!seen.insert(node.ptr()).second) return all;
  for (const std::string& name : strings(scopes().attr("names")(node)[1])) {
    const auto sibling = home->inner.find(name);
    if (sibling != home->inner.end()) {
      if (!sibling->second.node.is_none()) all.merge(captured(sibling->second.node, home, seen));
    } else if (home->locals.contains(name)) {
      all.insert(name);
    } else if (home->outer) {
      // A function of the one around: what it reads came along.
      for (Frame* frame = home->outer; frame; frame = frame->outer) {
        const auto found = frame->inner.find(name);
        if (found == frame->inner.end()) continue;
        if (!found->second.node.is_none()) all.merge(captured(found->second.node, frame, seen));
        break;
      }
    }
  }
  return all;
}

const Function* Reader::read_inner(nb::handle node, const std::string& name, Frame* home, std::vector<std::string>& names) {
  std::set<PyObject*> seen;
  const std::set<std::string> outside = captured(node, home, seen);
  names.assign(outside.begin(), outside.end());
  const auto known = inner_read_.find(node.ptr());
  if (known != inner_read_.end()) return known->second;
  keep_.push_back(nb::borrow(node));

  unit_->functions.push_back(std::make_unique<Function>());
  Function& function = *unit_->functions.back();
  inner_read_[node.ptr()] = &function;
  const Function& around = *home->function;
  function.name = name;
  function.options = around.options;
  function.file = around.file;
  function.is_jitted = false;
  Frame frame{&function, home->python, home->globals, home->cells, {}, nb::cast<int>(node.attr("lineno"))};
  const int below = frame.def_line - home->def_line;
  function.first_line = around.first_line + below;
  if (below >= 0 && below < static_cast<int>(around.lines.size())) function.lines.assign(around.lines.begin() + below, around.lines.end());
  frame.locals = strings(scopes().attr("names")(node)[0]);
  frame.locals.insert(outside.begin(), outside.end());
  frame.outer = home;
  Frame* const before = std::exchange(frame_, &frame);
  if (nb::hasattr(node, "decorator_list"))
    for (nb::handle decorator : node.attr("decorator_list")) {
      nb::handle called = class_name(decorator) == "Call" ? decorator.attr("func") : nb::object(nb::borrow(decorator));
      const std::string kind = class_name(called);
      const std::string word = kind == "Name" ? nb::cast<std::string>(called.attr("id")) : kind == "Attribute" ? nb::cast<std::string>(called.attr("attr")) : "";
      if (word != "jit" && word != "njit") fail(decorator, "a decorated function inside a compiled function cannot be compiled");
    }
  collect_inner(node);
  inner_parameters(node.attr("args"));
  for (const std::string& each : names) {
    Parameter parameter;
    parameter.name = each;
    parameter.is_by_name = true;
    function.parameters.push_back(std::move(parameter));
  }
  function.body = node.type().is(ast_class("Lambda")) ? returning(node) : block(node.attr("body"));
  frame_ = before;
  return &function;
}

void Reader::inner_parameters(nb::handle args) {
  refuse_kwargs(args);
  std::vector<std::pair<nb::object, nb::object>> all;  // parameter, default
  size_t n_by_place = 0;
  for (const char* list : {"posonlyargs", "args"})
    for (nb::handle arg : args.attr(list)) all.emplace_back(nb::borrow(arg), nb::none());
  const size_t n_defaults = nb::len(nb::object(args.attr("defaults")));
  n_by_place = all.size();
  for (size_t i = 0; i < n_defaults; ++i) all[all.size() - n_defaults + i].second = args.attr("defaults")[i];
  size_t k = 0;
  for (nb::handle arg : args.attr("kwonlyargs")) all.emplace_back(nb::borrow(arg), nb::object(args.attr("kw_defaults")[k++]));
  for (size_t i = 0; i < all.size(); ++i) {
    const auto& [arg, given] = all[i];
    if (i == n_by_place) add_rest(args);
    Parameter parameter;
    parameter.name = nb::cast<std::string>(arg.attr("arg"));
    parameter.is_by_name = i >= n_by_place;
    if (!given.is_none()) {
      const bool is_signed = class_name(given) == "UnaryOp" && class_name(given.attr("operand")) == "Constant" &&
                             class_name(given.attr("op")) == "USub";
      if (!is_signed && class_name(given) != "Constant")
        fail(given, "a default of a function inside a compiled function must be a constant");
      parameter.has_default = true;
      nb::object value = is_signed ? nb::steal(PyNumber_Negative(nb::object(given.attr("operand").attr("value")).ptr()))
                                   : nb::object(given.attr("value"));
      if (!value.is_valid()) nb::raise_python_error();
      parameter.default_value = classify(value, parameter.name);
    }
    frame_->function->parameters.push_back(std::move(parameter));
  }
  if (all.size() == n_by_place) add_rest(args);
}

Block Reader::returning(nb::handle lambda) {
  Block body;
  StmtPtr stmt = make_stmt(StmtKind::return_, place(lambda));
  stmt->expr = expr(lambda.attr("body"));
  body.push_back(std::move(stmt));
  return body;
}

ExprPtr Reader::inner_value(nb::handle node, const std::string& name, bool is_called, std::vector<std::string>& names) {
  Frame* home = nullptr;
  Inner* found = inner(name, home);
  if (!found) return nullptr;
  if (found->node.is_none())
    fail(node, fmt::format("'{}' has several meanings in this function, and which of them it is cannot be known when compiling", name),
         "give each function a name of its own");
  return function_value(node, name, found->node, home, is_called, names);
}

ExprPtr Reader::function_value(nb::handle node, const std::string& name, nb::handle function, Frame* home,
                               bool is_called, std::vector<std::string>& names) {
  ExprPtr e = make_expr(ExprKind::global, place(node));
  e->text = name;
  e->binding.kind = Binding::Kind::function;
  e->binding.name = name;
  e->binding.function = read_inner(function, name, home, names);
  if (!is_called && !names.empty())
    fail(node,
         fmt::format("{} reads variables of the function around it, so it can only be called here, not passed on",
                     name == "lambda_" ? "a lambda" : "'" + name + "'"),
         fmt::format("give it '{}' as an argument", names[0]));
  return e;
}

void Reader::give(Expr& call, const std::vector<std::string>& names, nb::handle node) {
  for (const std::string& name : names) {
    call.items.push_back(make_name(frame_->prefix + name, place(node)));
    call.keywords.push_back(name);
  }
}

ExprPtr Reader::made_call(nb::tuple function_and_arguments, nb::handle node) {
  nb::object function = function_and_arguments[0];
  ExprPtr e = make_expr(ExprKind::call, place(node));
  std::vector<std::string> names;
  ExprPtr target = make_expr(ExprKind::global, e->place);
  target->text = nb::cast<std::string>(function.attr("name"));
  target->binding.kind = Binding::Kind::function;
  target->binding.name = target->text;
  target->binding.function = read_inner(function, target->text, frame_, names);
  e->items.push_back(std::move(target));
  for (nb::handle argument : nb::object(function_and_arguments[1])) e->items.push_back(expr(argument));
  give(*e, names, node);
  return e;
}

ExprPtr Reader::comprehension(nb::handle node) {
  for (nb::handle inner : nb::module_::import_("ast").attr("walk")(node))
    if (class_name(inner) == "NamedExpr") fail(inner, "an assignment inside a comprehension cannot be compiled");
  return made_call(nb::borrow<nb::tuple>(scopes().attr("comprehension")(node)), node);
}

ExprPtr Reader::list_call(nb::handle node) {
  nb::object function = node.attr("func"), arguments = node.attr("args"), keywords = node.attr("keywords");
  const size_t n = nb::len(arguments), n_keywords = nb::len(keywords);
  const bool is_name = class_name(function) == "Name";
  if (is_name && frame_->locals.contains(nb::cast<std::string>(function.attr("id")))) return nullptr;
  nb::object meant = resolve(function);
  if (!meant.is_valid()) return nullptr;
  const nb::module_ builtins = nb::module_::import_("builtins");
  std::string name;
  for (const char* each : {"list", "sorted"})
    if (meant.is(nb::object(builtins.attr(each)))) name = each;
  if (nb::hasattr(meant, "__kasoku_list__")) name = "list";  // numba.typed.List, and what makes an empty one
  if (name.empty()) return nullptr;
  const bool takes_generator = n == 1 && n_keywords == 0 && class_name(nb::object(arguments[0])) == "GeneratorExp";
  const bool is_empty = n == 0 || nb::hasattr(meant, "__self__");  // List.empty_list(int64): its items say what it holds
  if (name == "list" && (n_keywords == 0 || is_empty)) {
    if (is_empty) return make_expr(ExprKind::list, place(node));
    if (n == 1) return comprehension(takes_generator ? nb::object(arguments[0]) : nb::object(scopes().attr("as_list")(arguments[0])));
  }
  if (name == "sorted" && n == 1) {
    for (nb::handle keyword : keywords)
      if (nb::object by = keyword.attr("arg");
          by.is_none() || (nb::cast<std::string>(by) != "reverse" && nb::cast<std::string>(by) != "key"))
        return nullptr;
    return made_call(nb::borrow<nb::tuple>(scopes().attr("as_sorted")(node)), node);
  }
  return nullptr;
}

ExprPtr Reader::folded_call(nb::handle node) {
  nb::object function = node.attr("func"), arguments = node.attr("args");
  if (class_name(function) != "Name" || nb::len(arguments) == 0) return nullptr;
  const std::string name = nb::cast<std::string>(function.attr("id"));
  const bool is_folded = name == "sum" || name == "min" || name == "max" || name == "any" || name == "all";
  if (!is_folded || frame_->locals.contains(name) || !resolve(function).is(nb::object(nb::module_::import_("builtins").attr(name.c_str())))) return nullptr;
  const nb::object source = arguments[0];
  if (class_name(source) == "GeneratorExp") {
    for (nb::handle inner : nb::module_::import_("ast").attr("walk")(source))
      if (class_name(inner) == "NamedExpr") fail(inner, "an assignment inside a comprehension cannot be compiled");
  } else if (!generator_of(source).is_valid() && (name[0] != 'm' || nb::len(nb::object(node.attr("keywords"))) == 0)) {
    return nullptr;  // min(x, key=…) is a loop, too
  }
  const nb::object made = scopes().attr("folded")(name, node);
  return made.is_none() ? nullptr : made_call(nb::borrow<nb::tuple>(made), node);
}

/// np.dtype("int8"), np.dtype(np.float32): the dtype, which is known now.
ExprPtr Reader::dtype_call(nb::handle node) {
  nb::object arguments = node.attr("args"), function = resolve(node.attr("func"));
  nb::object dtype = nb::module_::import_("numpy").attr("dtype");
  if (!function.is_valid() || !function.is(dtype) || nb::len(arguments) != 1 || nb::len(nb::object(node.attr("keywords"))) != 0) return nullptr;
  nb::object given = arguments[0];
  given = class_name(given) == "Constant" ? nb::object(given.attr("value")) : resolve(given);
  if (!given.is_valid() || !(PyUnicode_Check(given.ptr()) || PyType_Check(given.ptr()) || PyObject_IsInstance(given.ptr(), dtype.ptr()) == 1)) return nullptr;
  return global(dtype(given), "dtype", node);
}

ExprPtr Reader::dict_call(nb::handle node) {
  nb::object function = node.attr("func"), arguments = node.attr("args"), keywords = node.attr("keywords");
  const size_t n = nb::len(arguments), n_keywords = nb::len(keywords);
  if (class_name(function) == "Name" && frame_->locals.contains(nb::cast<std::string>(function.attr("id")))) return nullptr;
  nb::object meant = resolve(function);
  if (!meant.is_valid()) return nullptr;
  const nb::module_ builtins = nb::module_::import_("builtins");
  const bool is_set = meant.is(nb::object(builtins.attr("set"))) || nb::hasattr(meant, "__kasoku_set__");
  const bool is_dict = meant.is(nb::object(builtins.attr("dict"))) || nb::hasattr(meant, "__kasoku_dict__");
  if (!is_set && !is_dict) return nullptr;
  ExprPtr e = make_expr(is_set ? ExprKind::set : ExprKind::dict, place(node));
  if (nb::hasattr(meant, "__self__")) {  // Dict.empty(key_type, value_type), Set.empty(key_type): the types, if they can be known now
    std::vector<nb::object> types;
    for (nb::handle argument : arguments) types.push_back(resolve(argument));
    for (nb::handle keyword : keywords) types.push_back(resolve(keyword.attr("value")));
    const bool has_types = types.size() >= (is_set ? 1 : 2) && types[0].is_valid() && (is_set || types[1].is_valid());
    if (!has_types) return e;
    nb::object as_type = nb::module_::import_("kasoku._signature").attr("as_type");
    const auto described = [&](const nb::object& type) { return at_run_time(type_of_description(as_type(type).attr("_describe")())); };
    e->binding.type = is_set ? Type::set(described(types[0])) : Type::dict(described(types[0]), described(types[1]));
    return e;
  }
  if (n == 0 && n_keywords == 0) return e;
  if (is_set && n == 1 && n_keywords == 0) {
    const bool takes_generator = class_name(nb::object(arguments[0])) == "GeneratorExp";
    return comprehension(nb::object(scopes().attr("as_set")(arguments[0], takes_generator)));
  }
  if (is_dict && n == 1 && n_keywords == 0)
    if (nb::object made = scopes().attr("as_dict")(arguments[0]); !made.is_none()) return comprehension(made);
  fail(node, fmt::format("{}(…) cannot be compiled", is_set ? "set" : "dict"), "use a display or a comprehension");
}

}  // namespace kasoku
