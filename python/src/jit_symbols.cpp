/// \file python/src/jit_symbols.cpp
/// Values that compiled code knows as types: a text, a dtype, a member of an Enum; classes that isinstance asks for.
#include "jit_reader.h"
#include "jit_values.h"

#include <fmt/format.h>

#include <cstdlib>
#include <unordered_map>

namespace kasoku {

using namespace jit;

namespace {

bool is_instance(nb::handle value, const char* module, const char* name) {
  nb::dict modules = nb::borrow<nb::dict>(nb::module_::import_("sys").attr("modules"));
  if (!modules.contains(module)) return false;
  return PyObject_IsInstance(value.ptr(), nb::object(modules[module].attr(name)).ptr()) == 1;
}

/// The dtype that the value is: np.float32, np.dtype("f4"), numba.float32.
std::optional<Dtype> named_dtype(nb::handle value) {
  nb::object name;
  if (nb::hasattr(value, "__kasoku_dtype__")) {
    if (!nb::hasattr(value, "ndim")) name = value.attr("__kasoku_dtype__");
  } else if (PyType_Check(value.ptr()) || is_instance(value, "numpy", "dtype")) {
    nb::dict modules = nb::borrow<nb::dict>(nb::module_::import_("sys").attr("modules"));
    if (!modules.contains("numpy")) return std::nullopt;
    nb::object numpy = modules["numpy"];
    if (PyType_Check(value.ptr())) {
      const nb::object generic = numpy.attr("generic");
      if (PyObject_IsSubclass(value.ptr(), generic.ptr()) != 1 || nb::len(nb::object(value.attr("__subclasses__")()))) return std::nullopt;  // np.floating is of several
    }
    name = numpy.attr("dtype")(value).attr("name");
  }
  if (!name.is_valid()) return std::nullopt;
  return dtype_from_name(nb::cast<std::string>(nb::str(name)));
}

}  // namespace

namespace {

/// What makes members of their numbers, of each class that was seen; for good, as compiled code has the place of it.
struct Enumerations {
  std::unordered_map<PyObject*, std::optional<int>> numbers;
  std::vector<nb::object> classes, makers;
};
Enumerations& enumerations() {
  static Enumerations& all = *new Enumerations;
  return all;
}

}  // namespace

std::optional<int> enumeration_of(nb::handle number) {
  Enumerations& all = enumerations();
  nb::object own = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(number.ptr())));
  if (const auto found = all.numbers.find(own.ptr()); found != all.numbers.end()) return found->second;
  std::optional<int> which = 0;
  if (is_instance(number, "enum", "Enum")) {
    nb::object maker = nb::module_::import_("kasoku._scopes").attr("members_of")(own);
    which.reset();
    if (!maker.is_none()) {
      all.makers.push_back(maker);
      which = static_cast<int>(all.makers.size()) * (is_instance(number, "enum", "IntFlag") ? -1 : 1);
    }
  }
  all.classes.push_back(own);
  return all.numbers[own.ptr()] = which;
}

nb::object member_of(int enumeration, nb::handle value) { return enumerations().makers[static_cast<size_t>(std::abs(enumeration)) - 1](value); }

std::optional<std::string> text_of_unicode(nb::handle text) {
  Py_ssize_t size = 0;
  if (const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) return std::string(bytes, static_cast<size_t>(size));
  PyErr_Clear();
  return std::nullopt;
}

Type type_of_symbol(nb::handle value) {
  if (PyUnicode_CheckExact(value.ptr())) {
    const std::optional<std::string> text = text_of_unicode(value);
    return text ? Type::of_text(*text) : string_type;  // no text of the compiler's, so any text
  }
  if (is_instance(value, "enum", "Enum")) {
    Type type = Type::of(TypeKind::member);
    nb::object owner = nb::borrow(reinterpret_cast<PyObject*>(Py_TYPE(value.ptr())));
    type.text = fmt::format("{}.{}.{}", nb::cast<std::string>(nb::str(owner.attr("__module__"))),
                            nb::cast<std::string>(nb::str(owner.attr("__qualname__"))), nb::cast<std::string>(nb::str(value.attr("name"))));
    return type;
  }
  if (const auto dtype = named_dtype(value); dtype && *dtype != Dtype::opaque && *dtype != Dtype::bfloat16) return Type::of_dtype(*dtype);
  return {};
}

ExprPtr Reader::isinstance_call(nb::handle node) {
  nb::object function = node.attr("func"), arguments = node.attr("args");
  if (nb::len(arguments) != 2) return nullptr;
  nb::object meant = resolve(function);
  if (!meant.is_valid() || !meant.is(nb::object(nb::module_::import_("builtins").attr("isinstance")))) return nullptr;
  nb::object names = nb::module_::import_("kasoku._scopes").attr("classes");
  nb::list classes;
  const auto add = [&](const auto& add, nb::handle asked) -> void {
    if (class_name(asked) == "Tuple") {
      for (nb::handle each : nb::object(asked.attr("elts"))) add(add, each);
    } else if (class_name(asked) == "BinOp") {  // int | str
      for (const char* side : {"left", "right"}) add(add, asked.attr(side));
    } else {
      nb::object found = resolve(asked);
      if (!found.is_valid()) fail(asked, "isinstance() asks for classes known when compiling");
      classes.append(found);
    }
  };
  add(add, arguments[1]);
  ExprPtr e = make_expr(ExprKind::call, place(node));
  e->items.push_back(global(meant, "isinstance", function));
  e->items.push_back(expr(arguments[0]));
  nb::object known = names(nb::tuple(classes));
  if (known.is_none()) fail(node, "isinstance() asks for a class or a tuple of classes");
  e->items.push_back(make_constant(nb::cast<std::string>(known), e->place));
  return e;
}

ExprPtr Reader::issubdtype_call(nb::handle node) {
  nb::object arguments = node.attr("args");
  if (nb::len(arguments) != 2 || nb::len(nb::object(node.attr("keywords")))) return nullptr;
  nb::object meant = resolve(node.attr("func"));
  if (!meant.is_valid() || !nb::hasattr(meant, "__name__") || nb::cast<std::string>(nb::str(meant.attr("__name__"))) != "issubdtype") return nullptr;
  nb::object known = resolve(arguments[0]), asked = resolve(arguments[1]);
  if (!asked.is_valid() && class_name(nb::object(arguments[1])) == "Constant") asked = arguments[1].attr("value");
  if (!asked.is_valid()) return nullptr;
  const auto made = [&](ExprKind kind) { return make_expr(kind, place(node)); };
  if (known.is_valid() && !nb::hasattr(known, "__kasoku_dtype__")) {
    auto answer = made(ExprKind::constant);
    answer->value = nb::cast<bool>(meant(known, asked));
    return answer;
  }
  // x.dtype is one of those that are: what the types decide, the pruner takes.
  auto all = made(ExprKind::tuple);
  for (nb::handle dtype : nb::object(nb::module_::import_("kasoku._scopes").attr("dtypes_of")(asked))) all->items.push_back(global(nb::borrow(dtype), "dtype", node));
  auto e = made(ExprKind::compare);
  e->items.push_back(expr(arguments[0]));
  e->items.push_back(std::move(all));
  e->ops.push_back(Operator::in);
  return e;
}

ExprPtr Reader::library_call(nb::handle node) {
  nb::object function = node.attr("func");
  for (nb::handle argument : nb::object(node.attr("args")))
    if (class_name(argument) == "Starred") return nullptr;
  for (nb::handle keyword : nb::object(node.attr("keywords")))
    if (keyword.attr("arg").is_none()) return nullptr;
  nb::object meant = resolve(function);
  const bool is_method = !meant.is_valid() && class_name(function) == "Attribute";
  if (!meant.is_valid() && !is_method) return nullptr;
  nb::object name = is_method ? nb::object(function.attr("attr")) : nb::none();
  if (!overloaded(is_method ? nb::object(nb::str(".") + name) : meant).empty()) return nullptr;
  nb::object found = library().attr("instead")(is_method ? nb::none() : meant, name, node);
  if (found.is_none()) return nullptr;
  if (nb::object(found[0]).is(meant)) {  // a named tuple, and its items
    ExprPtr e = make_expr(ExprKind::tuple, place(node));
    e->text = names_of_tuple(meant);
    for (nb::handle item : nb::object(found[1])) e->items.push_back(expr(item));
    return e;
  }
  if (PyObject_IsInstance(nb::object(found[0]).ptr(), ast_class("AST").ptr()) == 1) {
    nb::object other = found[0];
    keep_.push_back(other);
    return expr(other);
  }
  ExprPtr e = make_expr(ExprKind::call, place(node));
  ExprPtr target = make_expr(ExprKind::global, e->place);
  target->text = nb::cast<std::string>(found[0].attr("__name__"));
  target->binding.kind = Binding::Kind::function;
  target->binding.name = target->text;
  target->binding.function = read({found[0], options_, {}}, false);
  e->items.push_back(std::move(target));
  if (!found[1].is_none()) e->items.push_back(global(found[1], "this function", node));
  if (is_method) e->items.push_back(expr(function.attr("value")));
  for (nb::handle argument : nb::object(node.attr("args"))) e->items.push_back(expr(argument));
  for (nb::handle keyword : nb::object(node.attr("keywords"))) {
    e->items.push_back(expr(keyword.attr("value")));
    e->keywords.push_back(nb::cast<std::string>(keyword.attr("arg")));
  }
  return e;
}

void Reader::raise(Stmt& stmt, nb::handle exception) {
  nb::set locals;
  for (const std::string& name : frame_->locals) locals.add(nb::str(name.c_str()));
  nb::dict cells;
  for (const auto& [name, cell] : frame_->cells) cells[name.c_str()] = cell;
  nb::object made = nb::module_::import_("kasoku._raised").attr("Raised")(exception, frame_->globals, cells, locals);
  stmt.text = fmt::format("#{}", raised_.size());
  raised_.push_back(made);
  nb::object function = class_name(exception) == "Call" ? nb::object(exception.attr("func")) : nb::borrow(exception);
  nb::object meant = class_name(function) == "Name" || class_name(function) == "Attribute" ? resolve(function) : nb::object();
  if (meant.is_valid() && !PyType_Check(meant.ptr())) meant = class_name(exception) == "Call" ? nb::object() : nb::borrow(meant.type());
  raised_classes_.push_back(meant.is_valid() ? meant : nb::none());
  stmt.message = make_expr(ExprKind::tuple, stmt.place);
  for (nb::handle value : nb::object(made.attr("values"))) stmt.message->items.push_back(expr(value));
}

}  // namespace kasoku
