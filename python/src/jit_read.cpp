/// \file python/src/jit_read.cpp
#include "jit_read.h"

#include "kasoku/base/error.h"
#include "kasoku/jit/intrinsics.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace kasoku {

using namespace jit;

bool Dependency::holds() const {
  if (PyDict_Check(container.ptr())) return PyDict_GetItem(container.ptr(), name.ptr()) == value.ptr();
  PyObject* content = PyObject_GetAttrString(container.ptr(), "cell_contents");
  if (!content) return PyErr_Clear(), false;
  Py_DECREF(content);
  return content == value.ptr();
}

namespace {

/// Python object -> name of a row of intrinsics.def. Objects of modules that are not imported
/// cannot be met, so they are looked up when their module is there.
class Known {
 public:
  const std::string* find(nb::handle object) {
    refresh();
    const auto found = names_.find(object.ptr());
    return found == names_.end() ? nullptr : &found->second;
  }

 private:
  void refresh() {
    nb::dict modules = nb::borrow<nb::dict>(nb::module_::import_("sys").attr("modules"));
    const bool has_numpy = modules.contains("numpy"), has_cuda = modules.contains("kasoku.cuda");
    if (is_ready_ && has_numpy == has_numpy_ && has_cuda == has_cuda_) return;
    is_ready_ = true, has_numpy_ = has_numpy, has_cuda_ = has_cuda;
    for (const Intrinsic* row : intrinsics()) {
      std::string path(row->name);
      if (path.starts_with("array.")) continue;
      const std::string top = path.substr(0, path.find('.'));
      if ((top == "numpy" && !has_numpy) || (path.starts_with("kasoku.cuda") && !has_cuda)) continue;
      if (path == "kasoku.prange") path = "kasoku._jit.prange";
      try {
        nb::object at = nb::module_::import_(top.c_str());
        std::string module = top;
        for (size_t dot = path.find('.'); dot != std::string::npos;) {
          const size_t next = path.find('.', dot + 1);
          const std::string part = path.substr(dot + 1, next == std::string::npos ? next : next - dot - 1);
          module += "." + part;
          if (modules.contains(module.c_str())) at = nb::borrow(modules[module.c_str()]);
          else at = at.attr(part.c_str());
          dot = next;
        }
        keep_.push_back(at);
        names_.emplace(at.ptr(), std::string(row->name));
      } catch (const nb::python_error&) {
        // This version of the module has no such name.
      }
    }
  }

  bool is_ready_ = false, has_numpy_ = false, has_cuda_ = false;
  std::unordered_map<PyObject*, std::string> names_;
  std::vector<nb::object> keep_;
};
Known& known() {
  static Known& all = *new Known;
  return all;
}

nb::handle ast_class(const char* name) {
  static std::map<std::string, nb::object>& classes = *new std::map<std::string, nb::object>;
  const auto found = classes.find(name);
  if (found != classes.end()) return found->second;
  return classes[name] = nb::module_::import_("ast").attr(name);
}

std::string class_name(nb::handle node) {
  return nb::cast<std::string>(nb::handle((PyObject*)Py_TYPE(node.ptr())).attr("__name__"));
}

std::string describe(nb::handle object) {
  return "a " + nb::cast<std::string>(nb::handle((PyObject*)Py_TYPE(object.ptr())).attr("__name__"));
}

class Reader {
 public:
  explicit Reader(const Options& options) : options_(options), unit_(std::make_shared<Unit>()) {}

  ReadFunction run(nb::handle function) {
    read(function, options_, true);
    unit_->n_hidden = static_cast<int>(arrays_.size());
    return {unit_, std::move(dependencies_), std::move(arrays_)};
  }

 private:
  /// The function being read.
  struct Frame {
    Function* function;
    nb::object python;
    nb::dict globals;
    std::map<std::string, nb::object> cells;
    std::set<std::string> locals;
    int def_line = 1;
  };

  const Function* read(nb::handle python, const Options& options, bool is_jitted) {
    nb::object code = python.attr("__code__");
    const auto key = std::make_pair(code.ptr(), python.attr("__closure__").is_none() ? nullptr : python.ptr());
    const auto found = read_.find(key);
    if (found != read_.end()) return found->second;
    unit_->functions.push_back(std::make_unique<Function>());
    Function& function = *unit_->functions.back();
    read_[key] = &function;
    function.name = nb::cast<std::string>(python.attr("__name__"));
    if (function.name == "<lambda>") function.name = "lambda_";
    function.options = options;
    function.is_jitted = is_jitted;

    nb::tuple source = nb::borrow<nb::tuple>(nb::module_::import_("kasoku._jit").attr("_source")(python));
    nb::object node = source[0];
    function.file = nb::cast<std::string>(source[1]);
    Frame frame{&function, nb::borrow(python), nb::borrow<nb::dict>(python.attr("__globals__")), {}, {}, 1};
    frame.def_line = nb::cast<int>(node.attr("lineno"));
    function.first_line = nb::cast<int>(source[2]) + frame.def_line - 1;
    const auto lines = nb::cast<std::vector<std::string>>(source[3]);
    if (frame.def_line <= static_cast<int>(lines.size()))
      function.lines.assign(lines.begin() + frame.def_line - 1, lines.end());
    for (nb::handle name : code.attr("co_varnames")) frame.locals.insert(nb::cast<std::string>(name));
    for (nb::handle name : code.attr("co_cellvars")) frame.locals.insert(nb::cast<std::string>(name));
    nb::object closure = python.attr("__closure__");
    if (!closure.is_none()) {
      size_t i = 0;
      for (nb::handle name : code.attr("co_freevars"))
        frame.cells[nb::cast<std::string>(name)] = nb::borrow(closure[i++]);
    }
    Frame* outer = std::exchange(frame_, &frame);
    parameters(node.attr("args"));
    if (node.type().is(ast_class("Lambda"))) {
      auto stmt = std::make_unique<Stmt>();
      stmt->kind = StmtKind::return_;
      stmt->place = place(node);
      stmt->expr = expr(node.attr("body"));
      function.body.push_back(std::move(stmt));
    } else {
      function.body = block(node.attr("body"));
    }
    frame_ = outer;
    return &function;
  }

  Place place(nb::handle node) const {
    return {nb::cast<int>(node.attr("lineno")) - frame_->def_line + 1, nb::cast<int>(node.attr("col_offset"))};
  }

  [[noreturn]] void fail(nb::handle node, const std::string& what, const std::string& fix = "") const {
    Error error(ErrorKind::type, what);
    error.at(place_text(*frame_->function, place(node)));
    if (!fix.empty()) error.fix(fix);
    throw error;
  }

  void parameters(nb::handle args) {
    nb::object defaults = frame_->python.attr("__defaults__");
    std::vector<nb::handle> nodes;
    for (const char* list : {"posonlyargs", "args"})
      for (nb::handle arg : args.attr(list)) nodes.push_back(arg);
    if (!args.attr("vararg").is_none() || !args.attr("kwarg").is_none()) {
      Error error(ErrorKind::type, "a compiled function cannot take *args or **kwargs");
      error.at(place_text(*frame_->function, {1, 0}));
      throw error;
    }
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
    nb::object keyword_defaults = frame_->python.attr("__kwdefaults__");
    for (nb::handle arg : args.attr("kwonlyargs")) {
      Parameter parameter;
      parameter.name = nb::cast<std::string>(arg.attr("arg"));
      if (!keyword_defaults.is_none() && nb::cast<nb::dict>(keyword_defaults).contains(parameter.name.c_str())) {
        parameter.has_default = true;
        parameter.default_value = classify(nb::borrow(keyword_defaults[parameter.name.c_str()]), parameter.name);
      }
      frame_->function->parameters.push_back(std::move(parameter));
    }
  }

  // --- names outside ----------------------------------------------------------------------

  nb::object look_up(const std::string& name, nb::handle node) {
    const auto cell = frame_->cells.find(name);
    if (cell != frame_->cells.end()) {
      nb::object value = cell->second.attr("cell_contents");
      dependencies_.push_back({cell->second, nb::str(name.c_str()), value});
      return value;
    }
    nb::str key(name.c_str());
    if (frame_->globals.contains(key)) {
      nb::object value = nb::borrow(frame_->globals[key]);
      PyObject* interned = key.release().ptr();
      PyUnicode_InternInPlace(&interned);
      if (!PyModule_Check(value.ptr())) dependencies_.push_back({frame_->globals, nb::steal(interned), value});
      else Py_DECREF(interned);
      return value;
    }
    nb::object builtins = nb::module_::import_("builtins");
    if (nb::hasattr(builtins, name.c_str())) return builtins.attr(name.c_str());
    fail(node, fmt::format("'{}' is not defined", name));
  }

  Binding classify(nb::object object, const std::string& name, int depth = 0) {
    Binding binding;
    binding.name = name;
    PyObject* p = object.ptr();
    const auto value = [&](Value v) {
      binding.kind = Binding::Kind::value;
      binding.value = std::move(v);
      return binding;
    };
    if (object.is_none()) return value(None{});
    if (PyBool_Check(p)) return value(p == Py_True);
    if (const std::string* intrinsic = known().find(object)) {
      binding.kind = Binding::Kind::intrinsic;
      binding.name = *intrinsic;
      return binding;
    }
    if (nb::hasattr(object, "__kasoku_dtype__")) {
      if (const auto dtype = dtype_from_name(nb::cast<std::string>(nb::str(object.attr("__kasoku_dtype__"))))) {
        binding.kind = Binding::Kind::dtype;
        binding.dtype = *dtype;
        return binding;
      }
    }
    const Type type = type_of_value(object);
    if (PyLong_CheckExact(p)) {
      int overflow = 0;
      const long long n = PyLong_AsLongLongAndOverflow(p, &overflow);
      if (!overflow) return value(static_cast<int64_t>(n));
      const unsigned long long u = PyLong_AsUnsignedLongLong(p);
      if (PyErr_Occurred()) PyErr_Clear();
      else return value(static_cast<uint64_t>(u));
      binding.name = "an integer of more than 64 bits";
      return binding;
    }
    if (PyFloat_CheckExact(p)) return value(PyFloat_AsDouble(p));
    if (PyUnicode_Check(p)) return value(nb::cast<std::string>(object));
    if (PyComplex_CheckExact(p))
      return value(std::complex<double>(PyComplex_RealAsDouble(p), PyComplex_ImagAsDouble(p)));
    if (type.is_scalar()) {  // a NumPy scalar, an IntEnum
      binding.dtype = type.dtype;
      if (is_complex(type.dtype)) {
        nb::object z = nb::module_::import_("builtins").attr("complex")(object);
        return value(std::complex<double>(PyComplex_RealAsDouble(z.ptr()), PyComplex_ImagAsDouble(z.ptr())));
      }
      if (is_floating(type.dtype)) return value(nb::cast<double>(nb::float_(object)));
      if (type.dtype == Dtype::bool_) return value(PyObject_IsTrue(p) == 1);
      return value(nb::cast<int64_t>(nb::int_(object)));
    }
    if ((PyTuple_Check(p) || PyList_Check(p)) && depth < 4) {
      binding.kind = Binding::Kind::tuple;
      for (nb::handle item : object) binding.items.push_back(classify(nb::borrow(item), name, depth + 1));
      return binding;
    }
    if (type.is_array()) {
      binding.kind = Binding::Kind::array;
      binding.type = type;
      binding.dtype = type.dtype;
      binding.hidden = static_cast<int>(arrays_.size());
      for (size_t i = 0; i < arrays_.size(); ++i)
        if (arrays_[i].is(object)) binding.hidden = static_cast<int>(i);
      if (binding.hidden == static_cast<int>(arrays_.size())) arrays_.push_back(object);
      return binding;
    }
    JitObject jitted;
    if (as_jit_object(object, jitted)) {
      jitted.options.is_cuda = options_.is_cuda;
      binding.kind = Binding::Kind::function;
      binding.function = read(jitted.function, jitted.options, true);
      return binding;
    }
    if (object.type().is(nb::module_::import_("types").attr("FunctionType"))) {
      // A plain function is compiled along, unless it is a library's.
      binding.kind = Binding::Kind::function;
      binding.function = read(object, options_, false);
      return binding;
    }
    if (PyType_Check(p) || nb::hasattr(object, "dtype") || nb::hasattr(object, "type")) {
      try {
        nb::object numpy = nb::module_::import_("numpy");
        nb::object dtype = numpy.attr("dtype");
        const bool is_dtype = PyObject_IsInstance(p, dtype.ptr()) == 1 ||
                              (PyType_Check(p) && PyObject_IsSubclass(p, numpy.attr("generic").ptr()) == 1);
        if (is_dtype)
          if (const auto found = dtype_from_name(nb::cast<std::string>(dtype(object).attr("name")))) {
            binding.kind = Binding::Kind::dtype;
            binding.dtype = *found;
            return binding;
          }
      } catch (const nb::python_error&) {
      }
    }
    binding.name = describe(object);
    return binding;
  }

  ExprPtr global(nb::object object, const std::string& name, nb::handle node) {
    auto e = std::make_unique<Expr>();
    e->kind = ExprKind::global;
    e->place = place(node);
    e->text = name;
    e->binding = classify(object, name);
    return e;
  }

  /// math.sqrt, np.random.rand, settings.N: the object at compile time, if the root is outside.
  nb::object resolve(nb::handle node) {
    if (node.type().is(ast_class("Name"))) {
      const std::string name = nb::cast<std::string>(node.attr("id"));
      if (frame_->locals.contains(name)) return {};
      return look_up(name, node);
    }
    if (node.type().is(ast_class("Attribute"))) {
      nb::object object = resolve(node.attr("value"));
      if (!object.is_valid()) return {};
      // Attributes of arrays and numbers are values; of anything else, names.
      if (type_of_value(object).is_known() && !PyModule_Check(object.ptr())) return {};
      const std::string name = nb::cast<std::string>(node.attr("attr"));
      if (!nb::hasattr(object, name.c_str())) fail(node, fmt::format("{} has no attribute '{}'", describe(object), name));
      return object.attr(name.c_str());
    }
    return {};
  }

  // --- expressions ------------------------------------------------------------------------

  static Operator operator_of(nb::handle op) {
    static const std::map<std::string, Operator> names = {
        {"Add", Operator::add}, {"Sub", Operator::subtract}, {"Mult", Operator::multiply},
        {"Div", Operator::divide}, {"FloorDiv", Operator::floor_divide}, {"Mod", Operator::modulo},
        {"Pow", Operator::power}, {"MatMult", Operator::matmul}, {"LShift", Operator::left_shift},
        {"RShift", Operator::right_shift}, {"BitAnd", Operator::bit_and}, {"BitOr", Operator::bit_or},
        {"BitXor", Operator::bit_xor}, {"USub", Operator::negative}, {"UAdd", Operator::positive},
        {"Invert", Operator::invert}, {"Not", Operator::not_}, {"And", Operator::and_}, {"Or", Operator::or_},
        {"Lt", Operator::less}, {"LtE", Operator::less_equal}, {"Gt", Operator::greater},
        {"GtE", Operator::greater_equal}, {"Eq", Operator::equal}, {"NotEq", Operator::not_equal},
        {"Is", Operator::is}, {"IsNot", Operator::is_not}, {"In", Operator::in}, {"NotIn", Operator::not_in}};
    return names.at(class_name(op));
  }

  ExprPtr optional(nb::handle node) { return node.is_none() ? nullptr : expr(node); }

  ExprPtr expr(nb::handle node) {
    auto e = std::make_unique<Expr>();
    e->place = place(node);
    const std::string kind = class_name(node);
    const auto add = [&](const char* name) { e->items.push_back(expr(node.attr(name))); };
    const auto all = [&](const char* name) {
      for (nb::handle item : node.attr(name)) e->items.push_back(expr(item));
    };
    if (kind == "Constant") {
      nb::object value = node.attr("value");
      if (value.is(nb::handle(Py_Ellipsis))) {
        e->kind = ExprKind::ellipsis;
        return e;
      }
      Binding binding = classify(value, "constant");
      if (binding.kind != Binding::Kind::value) fail(node, fmt::format("{} cannot be used in compiled code", binding.name));
      e->kind = ExprKind::constant;
      e->value = binding.value;
    } else if (kind == "Name") {
      const std::string name = nb::cast<std::string>(node.attr("id"));
      if (!frame_->locals.contains(name)) return global(look_up(name, node), name, node);
      e->kind = ExprKind::name;
      e->text = name;
    } else if (kind == "Attribute") {
      nb::object object = resolve(node);
      const std::string name = nb::cast<std::string>(node.attr("attr"));
      if (object.is_valid()) return global(object, name, node);
      e->kind = ExprKind::attribute;
      e->text = name;
      add("value");
    } else if (kind == "Subscript") {
      e->kind = ExprKind::subscript;
      add("value"), add("slice");
    } else if (kind == "Slice") {
      e->kind = ExprKind::slice;
      for (const char* part : {"lower", "upper", "step"}) e->items.push_back(optional(node.attr(part)));
    } else if (kind == "UnaryOp") {
      e->kind = ExprKind::unary;
      e->op = operator_of(node.attr("op"));
      add("operand");
    } else if (kind == "BinOp") {
      e->kind = ExprKind::binary;
      e->op = operator_of(node.attr("op"));
      add("left"), add("right");
    } else if (kind == "Compare") {
      e->kind = ExprKind::compare;
      add("left"), all("comparators");
      for (nb::handle op : node.attr("ops")) e->ops.push_back(operator_of(op));
    } else if (kind == "BoolOp") {
      e->kind = ExprKind::logic;
      e->op = operator_of(node.attr("op"));
      all("values");
    } else if (kind == "IfExp") {
      e->kind = ExprKind::conditional;
      add("test"), add("body"), add("orelse");
    } else if (kind == "Call") {
      e->kind = ExprKind::call;
      add("func");
      for (nb::handle argument : node.attr("args")) {
        if (class_name(argument) == "Starred") fail(argument, "*arguments cannot be compiled");
        e->items.push_back(expr(argument));
      }
      for (nb::handle keyword : node.attr("keywords")) {
        if (keyword.attr("arg").is_none()) fail(node, "**arguments cannot be compiled");
        e->items.push_back(expr(keyword.attr("value")));
        e->keywords.push_back(nb::cast<std::string>(keyword.attr("arg")));
      }
    } else if (kind == "Tuple" || kind == "List") {
      e->kind = kind == "Tuple" ? ExprKind::tuple : ExprKind::list;
      all("elts");
    } else if (kind == "NamedExpr") {
      e->kind = ExprKind::walrus;
      add("target"), add("value");
    } else {
      fail(node, fmt::format("{} cannot be compiled yet", describe_syntax(kind)));
    }
    return e;
  }

  static std::string describe_syntax(const std::string& kind) {
    static const std::map<std::string, std::string> names = {
        {"ListComp", "a list comprehension"}, {"GeneratorExp", "a generator expression"}, {"Dict", "a dict"},
        {"Set", "a set"}, {"DictComp", "a dict comprehension"}, {"SetComp", "a set comprehension"},
        {"Lambda", "a lambda inside a compiled function"}, {"JoinedStr", "an f-string"}, {"Starred", "a starred expression"},
        {"Try", "try"}, {"With", "with"}, {"FunctionDef", "a function inside a compiled function"},
        {"ClassDef", "a class"}, {"Delete", "del"}, {"Global", "global"}, {"Nonlocal", "nonlocal"},
        {"Import", "import"}, {"ImportFrom", "import"}, {"Yield", "yield"}, {"Await", "await"}, {"Match", "match"}};
    const auto found = names.find(kind);
    return found == names.end() ? kind : found->second;
  }

  // --- statements -------------------------------------------------------------------------

  Block block(nb::handle nodes) {
    Block statements;
    for (nb::handle node : nodes) {
      StmtPtr stmt = statement(node);
      if (stmt) statements.push_back(std::move(stmt));
    }
    return statements;
  }

  StmtPtr statement(nb::handle node) {
    auto stmt = std::make_unique<Stmt>();
    stmt->place = place(node);
    const std::string kind = class_name(node);
    const auto value = [&](const char* name) { stmt->expr = expr(node.attr(name)); };
    const auto bodies = [&] {
      stmt->body = block(node.attr("body"));
      stmt->orelse = block(node.attr("orelse"));
    };
    if (kind == "Assign") {
      stmt->kind = StmtKind::assign;
      value("value");
      for (nb::handle target : node.attr("targets")) stmt->targets.push_back(expr(target));
    } else if (kind == "AnnAssign") {
      if (node.attr("value").is_none()) return nullptr;
      stmt->kind = StmtKind::assign;
      value("value");
      stmt->targets.push_back(expr(node.attr("target")));
    } else if (kind == "AugAssign") {
      stmt->kind = StmtKind::augment;
      stmt->op = operator_of(node.attr("op"));
      stmt->targets.push_back(expr(node.attr("target")));
      value("value");
    } else if (kind == "Expr") {
      if (class_name(node.attr("value")) == "Constant") return nullptr;  // a docstring
      stmt->kind = StmtKind::expr;
      value("value");
    } else if (kind == "If" || kind == "While") {
      stmt->kind = kind == "If" ? StmtKind::if_ : StmtKind::while_;
      value("test");
      bodies();
    } else if (kind == "For") {
      stmt->kind = StmtKind::for_;
      stmt->targets.push_back(expr(node.attr("target")));
      value("iter");
      bodies();
    } else if (kind == "Break") {
      stmt->kind = StmtKind::break_;
    } else if (kind == "Continue") {
      stmt->kind = StmtKind::continue_;
    } else if (kind == "Return") {
      stmt->kind = StmtKind::return_;
      if (!node.attr("value").is_none()) value("value");
    } else if (kind == "Pass") {
      stmt->kind = StmtKind::pass;
    } else if (kind == "Assert") {
      stmt->kind = StmtKind::assert_;
      value("test");
      if (!node.attr("msg").is_none()) stmt->message = expr(node.attr("msg"));
    } else if (kind == "Raise") {
      stmt->kind = StmtKind::raise;
      nb::object raised = node.attr("exc");
      if (raised.is_none()) fail(node, "raise without an exception cannot be compiled");
      if (class_name(raised) == "Call") {
        if (nb::len(nb::object(raised.attr("args"))) > 0) {
          nb::object message = raised.attr("args")[0];
          if (class_name(message) == "Constant") stmt->message = expr(message);
        }
        raised = raised.attr("func");
      }
      if (class_name(raised) != "Name") fail(node, "raise takes the name of an exception in compiled code");
      stmt->text = nb::cast<std::string>(raised.attr("id"));
    } else {
      fail(node, fmt::format("{} cannot be compiled yet", describe_syntax(kind)));
    }
    return stmt;
  }

  const Options options_;
  std::shared_ptr<Unit> unit_;
  std::map<std::pair<PyObject*, PyObject*>, const Function*> read_;
  std::vector<Dependency> dependencies_;
  std::vector<nb::object> arrays_;
  Frame* frame_ = nullptr;
};

}  // namespace

ReadFunction read_function(nb::handle function, const Options& options) { return Reader(options).run(function); }

}  // namespace kasoku
