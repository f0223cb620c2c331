/// \file python/src/jit_read.cpp
/// A function's source, parameters and body.
#include "jit_reader.h"
#include "kasoku/base/error.h"

#include <fmt/format.h>

namespace kasoku {

using namespace jit;

bool Dependency::holds() const {
  if (PyDict_Check(container.ptr())) return PyDict_GetItem(container.ptr(), name.ptr()) == value.ptr();
  static PyObject* const contents = PyUnicode_InternFromString("cell_contents");  // asked at each call
  PyObject* content = PyObject_GetAttr(container.ptr(), contents);
  if (!content) return PyErr_Clear(), false;
  Py_DECREF(content);
  return content == value.ptr();
}

nb::handle ast_class(const char* name) {
  static std::map<std::string, nb::object>& classes = *new std::map<std::string, nb::object>;
  const auto found = classes.find(name);
  if (found != classes.end()) return found->second;
  return classes[name] = nb::module_::import_("ast").attr(name);
}

std::string describe(nb::handle object) {
  return PyModule_Check(object.ptr()) ? "the module " + nb::cast<std::string>(object.attr("__name__")) : "a " + class_name(object);
}

nb::tuple source_of(nb::handle function) {
  try {
    return nb::borrow<nb::tuple>(nb::module_::import_("kasoku._source").attr("of")(function));
  } catch (const nb::python_error& error) {
    if (!error.matches(nb::object(nb::module_::import_("kasoku.errors").attr("UnsupportedError")))) throw;
    throw Error(ErrorKind::unsupported, nb::cast<std::string>(nb::str(error.value())));
  }
}

const Function* Reader::read(const JitObject& object, bool is_jitted) {
  const nb::object& python = object.function;
  nb::object code = python.attr("__code__");
  const auto key = std::make_pair(code.ptr(), python.attr("__closure__").is_none() ? nullptr : python.ptr());
  const auto found = read_.find(key);
  if (found != read_.end()) return found->second;
  unit_->functions.push_back(std::make_unique<Function>());
  Function& function = *unit_->functions.back();
  read_[key] = &function;
  function.name = nb::cast<std::string>(python.attr("__name__"));
  if (function.name == "<lambda>") function.name = "lambda_";
  function.options = object.options;
  function.declared = object.declared;
  function.is_jitted = is_jitted;

  const nb::tuple source = source_of(python);
  const nb::object plain = scopes().attr("without_slices")(python, source[0]), whole = plain[0];
  keep_.push_back(plain);
  function.file = nb::cast<std::string>(source[1]);
  function.first_line = nb::cast<int>(whole.attr("lineno"));
  Frame frame{&function,        nb::borrow(python), nb::borrow<nb::dict>(python.attr("__globals__")),
              cells_of(python), locals_of(python),  function.first_line};
  function.lines = nb::cast<std::vector<std::string>>(source[2]);
  for (nb::handle name : nb::object(plain[1])) frame.locals.insert(nb::cast<std::string>(name));
  for (auto [name, cell] : nb::borrow<nb::dict>(scopes().attr("imported")(python, whole))) {
    frame.locals.erase(nb::cast<std::string>(name));
    frame.cells[nb::cast<std::string>(name)] = nb::borrow(cell);
  }
  Frame* outer = std::exchange(frame_, &frame);
  const nb::object node = with_generators(python, whole);
  parameters(node.attr("args"));
  collect_inner(node);
  function.body = node.type().is(ast_class("Lambda")) ? returning(node) : block(node.attr("body"));
  frame_ = outer;
  return &function;
}

nb::object Reader::with_generators(nb::handle python, nb::handle node) {
  const nb::object find = nb::cpp_function([this](nb::handle call) {
    nb::object found = generator_of(call);
    return found.is_valid() ? found : nb::none();
  });
  const nb::object made = nb::module_::import_("kasoku._generators").attr("written")(python, node, find);
  if (made.is_none()) return nb::borrow(node);
  if (nb::isinstance<nb::str>(made)) fail(node, nb::cast<std::string>(made));
  keep_.push_back(made);
  for (nb::handle name : nb::object(made[1])) frame_->locals.insert(nb::cast<std::string>(name));
  for (auto [name, cell] : nb::borrow<nb::dict>(made[2])) frame_->cells[nb::cast<std::string>(name)] = nb::borrow(cell);
  for (nb::handle outside : nb::object(made[3])) depends_on(nb::borrow<nb::dict>(outside[0]), nb::borrow(outside[1]), nb::borrow(outside[2]));
  return made[0];
}

std::map<std::string, nb::object> Reader::cells_of(nb::handle python) {
  std::map<std::string, nb::object> cells;
  nb::object closure = python.attr("__closure__");
  if (closure.is_none()) return cells;
  size_t i = 0;
  for (nb::handle name : python.attr("__code__").attr("co_freevars"))
    cells[nb::cast<std::string>(name)] = nb::borrow(closure[i++]);
  return cells;
}

std::set<std::string> Reader::locals_of(nb::handle python) {
  std::set<std::string> locals;
  for (const char* names : {"co_varnames", "co_cellvars"})
    for (nb::handle name : python.attr("__code__").attr(names)) locals.insert(nb::cast<std::string>(name));
  return locals;
}

Place Reader::place(nb::handle node) const {
  if (frame_->yields) return frame_->at;
  return {nb::cast<int>(node.attr("lineno")) - frame_->def_line + 1, nb::cast<int>(node.attr("col_offset"))};
}

void Reader::fail(nb::handle node, const std::string& what, const std::string& fix) const {
  Error error(ErrorKind::type, what);
  error.at(place_text(*frame_->function, place(node)));
  if (!fix.empty()) error.fix(fix);
  throw error;
}

void Reader::refuse_kwargs(nb::handle args) const {
  if (!args.attr("kwarg").is_none())
    throw Error(ErrorKind::type, "a compiled function cannot take **kwargs").at(place_text(*frame_->function, {1, 0}));
}

void Reader::add_rest(nb::handle args) {
  nb::object rest = args.attr("vararg");
  if (rest.is_none()) return;
  Parameter parameter;
  parameter.name = nb::cast<std::string>(rest.attr("arg"));
  parameter.is_rest = true;
  frame_->function->parameters.push_back(std::move(parameter));
}

void Reader::parameters(nb::handle args) {
  nb::object defaults = frame_->python.attr("__defaults__");
  std::vector<nb::handle> nodes;
  for (const char* list : {"posonlyargs", "args"})
    for (nb::handle arg : args.attr(list)) nodes.push_back(arg);
  refuse_kwargs(args);
  const size_t n_defaults = defaults.is_none() ? 0 : nb::len(defaults);
  for (size_t i = 0; i < nodes.size(); ++i) {
    Parameter parameter;
    parameter.name = nb::cast<std::string>(nodes[i].attr("arg"));
    if (i + n_defaults >= nodes.size()) {
      parameter.has_default = true;
      parameter.default_value = classify(nb::borrow(defaults[i + n_defaults - nodes.size()]), parameter.name);
    }
    frame_->function->parameters.push_back(std::move(parameter));
  }
  add_rest(args);
  nb::object keyword_defaults = frame_->python.attr("__kwdefaults__");
  for (nb::handle arg : args.attr("kwonlyargs")) {
    Parameter parameter;
    parameter.name = nb::cast<std::string>(arg.attr("arg"));
    parameter.is_by_name = true;
    if (!keyword_defaults.is_none() && nb::cast<nb::dict>(keyword_defaults).contains(parameter.name.c_str())) {
      parameter.has_default = true;
      parameter.default_value = classify(nb::borrow(keyword_defaults[parameter.name.c_str()]), parameter.name);
    }
    frame_->function->parameters.push_back(std::move(parameter));
  }
}

void ask(const Overload& asked, bool in_kernels) {
  nb::list arguments;
  for (const Type& type : asked.arguments) arguments.append(nb::make_tuple(description(type), type.text));
  nb::module_::import_("kasoku._overloads").attr("ask")(asked.of, arguments, asked.by_name, in_kernels);
}

ReadFunction read_function(const JitObject& function) { return Reader(function.options).run(function); }

}  // namespace kasoku
