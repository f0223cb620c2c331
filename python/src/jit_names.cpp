/// \file python/src/jit_names.cpp
/// What the names that a function reads from outside mean.
#include "jit_instances.h"
#include "jit_reader.h"
#include "jit_records.h"
#include "jit_values.h"
#include "kasoku/base/error.h"
#include "kasoku/jit/intrinsics.h"

#include <fmt/format.h>

#include <unordered_map>

namespace kasoku {

using namespace jit;

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
    // A module that another thread imports stands there before it has its names: to import it waits for that.
    const auto has = [&](bool had, const char* module) {
      if (had || !modules.contains(module)) return had;
      nb::module_::import_(module);
      return true;
    };
    const bool has_numpy = has(has_numpy_, "numpy"), has_cuda = has(has_cuda_, "kasoku.cuda"), has_library = has(has_library_, "kasoku._library");
    if (is_ready_ && has_numpy == has_numpy_ && has_cuda == has_cuda_ && has_library == has_library_) return;
    for (const Intrinsic* row : intrinsics()) {
      std::string path(row->name);
      if (path.starts_with("array.") || path.starts_with("list.") || path.starts_with("str.") || path.starts_with("group.") || path.starts_with("dict.") || path.starts_with("set.")) continue;
      const std::string top = path.substr(0, path.find('.'));
      if ((top == "numpy" && !has_numpy) || (path.starts_with("kasoku.cuda") && !has_cuda) || (path.starts_with("kasoku._library") && !has_library)) continue;
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
    is_ready_ = true, has_numpy_ = has_numpy, has_cuda_ = has_cuda, has_library_ = has_library;
  }

  bool is_ready_ = false, has_numpy_ = false, has_cuda_ = false, has_library_ = false;
  std::unordered_map<PyObject*, std::string> names_;
  std::vector<nb::object> keep_;
};
Known& known() {
  static Known& all = *new Known;
  return all;
}

}  // namespace

/// Asked at each call, so each once.
void Reader::depends_on_one(const nb::object& container, const nb::object& name, const nb::object& value) {
  const bool is_cell = !PyDict_Check(container.ptr());
  const bool is_known = std::ranges::any_of(dependencies_, [&](const Dependency& each) { return each.container.is(container) && (is_cell || each.name.is(name)); });
  if (!is_known) dependencies_.push_back({container, name, value});
}

void Reader::depends_on(const nb::dict& globals, nb::object name, const nb::object& value) {
  const nb::object module = nb::borrow(PyDict_GetItemString(globals.ptr(), "__name__"));
  if (module.is_valid() && nb::isinstance<nb::str>(module) && nb::cast<std::string_view>(module).starts_with("kasoku._library")) return;
  PyObject* interned = name.release().ptr();
  PyUnicode_InternInPlace(&interned);
  const nb::object key = nb::steal(interned);
  depends_on_one(globals, key, value);
}

nb::object Reader::look_up(const std::string& name, nb::handle node) {
  const Frame* own = frame_;
  while (own->outer) own = own->outer;
  const auto cell = frame_->cells.find(name);
  if (cell != frame_->cells.end()) {
    if (!nb::hasattr(cell->second, "cell_contents") && name == own->function->name) return own->python;
    nb::object value = cell->second.attr("cell_contents");
    depends_on_one(cell->second, nb::str(name.c_str()), value);
    return value;
  }
  nb::str key(name.c_str());
  if (frame_->globals.contains(key)) {
    nb::object value = nb::borrow(frame_->globals[key]);
    if (!PyModule_Check(value.ptr())) depends_on(frame_->globals, std::move(key), value);
    return value;
  }
  // Compiled ahead, by its decorator, a function has no name yet: it is itself.
  if (name == own->function->name) return own->python;
  nb::object builtins = nb::module_::import_("builtins");
  if (nb::hasattr(builtins, name.c_str())) return builtins.attr(name.c_str());
  fail(node, fmt::format("'{}' is not defined", name));
}

Binding Reader::classify(nb::object object, const std::string& name, int depth) {
  const std::string key = PyCallable_Check(object.ptr()) ? overloaded(object) : "";
  const bool is_stub = !key.empty() && object.type().is(nb::module_::import_("types").attr("FunctionType"));
  Binding binding;  // the body of a program's own function is for the interpreter then
  if (is_stub) binding.name = name;
  else binding = classify_known(object, name, depth);
  binding.overloaded = key;
  return binding;
}

std::string Reader::overloaded(nb::handle key) {
  nb::dict modules = nb::borrow<nb::dict>(nb::module_::import_("sys").attr("modules"));
  if (!modules.contains("kasoku._overloads")) return "";
  const std::string found = nb::cast<std::string>(nb::object(modules["kasoku._overloads"].attr("key")(key)));
  if (!found.empty()) overloaded_.insert(found);
  return found;
}

void Reader::read_overloads() {
  std::set<std::string> done;
  while (done.size() < overloaded_.size()) {
    const std::set<std::string> keys = overloaded_;
    for (const std::string& key : keys) {
      if (!done.insert(key).second) continue;
      for (nb::handle known :
           nb::object(nb::module_::import_("kasoku._overloads").attr("known")(key, options_.is_cuda))) {
        Overload overload{key, {}, nb::cast<std::vector<std::string>>(known[1]), nullptr};
        for (nb::handle argument : nb::object(known[0])) {
          Type type = type_of_description(argument[0]);
          type.text = nb::cast<std::string>(argument[1]);
          overload.arguments.push_back(std::move(type));
        }
        if (nb::object function = known[2]; !function.is_none()) overload.function = read({function, options_, {}}, false);
        unit_->overloads.push_back(std::move(overload));
      }
    }
  }
}

/// Whether the object is a dtype, of numbers or of records; the binding is then that.
static bool binds_dtype(nb::object object, Binding& binding) try {
  if (!PyType_Check(object.ptr()) && !nb::hasattr(object, "dtype") && !nb::hasattr(object, "type")) return false;
  nb::object numpy = nb::module_::import_("numpy");
  nb::object dtype = numpy.attr("dtype");
  const bool is_dtype = PyObject_IsInstance(object.ptr(), dtype.ptr()) == 1 ||
                        (PyType_Check(object.ptr()) && PyObject_IsSubclass(object.ptr(), numpy.attr("generic").ptr()) == 1);
  nb::object records =
      PyObject_IsInstance(object.ptr(), dtype.ptr()) == 1 ? object : nb::object(nb::getattr(object, "dtype", nb::none()));
  if (PyObject_IsInstance(records.ptr(), dtype.ptr()) == 1 && !nb::object(records.attr("fields")).is_none()) {
    binding.kind = Binding::Kind::dtype;
    binding.type = record_type(records, true);
    return true;
  }
  if (is_dtype)
    if (const auto found = dtype_from_name(nb::cast<std::string>(dtype(object).attr("name")))) {
      binding.kind = Binding::Kind::dtype;
      binding.dtype = *found;
      return true;
    }
  return false;
} catch (const nb::python_error&) {
  return false;
}

/// Whether the object is an integer, a float, a complex number or a text, of Python's or, by `type`, of NumPy's. The
/// binding then has its value, or says by its name why compiled code has none.
static bool binds_value(nb::object object, const Type& type, Binding& binding) {
  PyObject* p = object.ptr();
  const auto value = [&](Value v) {
    binding.kind = Binding::Kind::value;
    binding.value = std::move(v);
    return true;
  };
  const auto no_value = [&](const char* why) {
    binding.name = why;
    return true;
  };
  const auto complex = [](PyObject* z) { return std::complex<double>(PyComplex_RealAsDouble(z), PyComplex_ImagAsDouble(z)); };
  if (PyLong_CheckExact(p)) {
    int overflow = 0;
    const long long n = PyLong_AsLongLongAndOverflow(p, &overflow);
    if (!overflow) return value(static_cast<int64_t>(n));
    const unsigned long long u = PyLong_AsUnsignedLongLong(p);
    if (!PyErr_Occurred()) return value(static_cast<uint64_t>(u));
    PyErr_Clear();
    return no_value("an integer of more than 64 bits");
  }
  if (PyFloat_CheckExact(p)) return value(PyFloat_AsDouble(p));
  if (PyUnicode_Check(p)) {
    if (std::optional<std::string> text = text_of_unicode(object)) return value(std::move(*text));
    return no_value("a text with half of a surrogate pair");
  }
  if (PyComplex_CheckExact(p)) return value(complex(p));
  if (!type.is_scalar()) return false;  // else a NumPy scalar, an IntEnum
  binding.dtype = type.dtype;
  binding.type = type;
  if (is_complex(type.dtype)) return value(complex(nb::object(nb::module_::import_("builtins").attr("complex")(object)).ptr()));
  if (is_floating(type.dtype)) return value(nb::cast<double>(nb::float_(object)));
  if (type.dtype == Dtype::bool_) return value(PyObject_IsTrue(p) == 1);
  if (type.dtype == Dtype::uint64) return value(nb::cast<uint64_t>(nb::int_(object)));
  return value(nb::cast<int64_t>(nb::int_(object)));
}

int Reader::hidden_argument(nb::object array) {
  for (size_t i = 0; i < arrays_.size(); ++i)
    if (arrays_[i].is(array)) return static_cast<int>(i);
  arrays_.push_back(array);
  return static_cast<int>(arrays_.size()) - 1;
}

const Function* Reader::maker_of(nb::handle cls) {
  const Type type = type_of_instances(cls);
  if (!type.is_known()) return nullptr;
  nb::object parts = cls.attr("__kasoku_forms__").attr("parts")();
  if (parts.is_none()) return nullptr;
  const Function* maker = read({parts[0], options_, {}}, false);
  if (unit_->classes.contains(type.text)) return maker;
  unit_->classes[type.text];
  const auto read_all = [&](nb::handle functions, std::map<std::string, const Function*> Class::* to) {
    for (auto [name, function] : nb::borrow<nb::dict>(functions)) {
      const auto before = read_;
      Frame* const frame = frame_;
      try {
        const Function* method = read({nb::borrow(function), options_, {}}, false);
        (unit_->classes[type.text].*to)[nb::cast<std::string>(name)] = method;
      } catch (const Error&) {  // who calls it has no compiled form
        read_ = before;
        frame_ = frame;
      }
    }
  };
  read_all(parts[1], &Class::methods);
  read_all(parts[2], &Class::getters);
  return maker;
}

const Function* Reader::function_of(nb::object object) {
  if (nb::hasattr(object, "__kasoku_forms__")) return maker_of(object);
  JitObject jitted;
  if (as_jit_object(object, jitted)) {
    jitted.options.is_cuda = options_.is_cuda;
    if (options_.is_cuda) {  // a device function raises as its kernel does
      jitted.options.boundscheck = options_.boundscheck;
      jitted.options.python_errors = options_.python_errors;
    }
    return read(jitted, true);
  }
  const Frame* own = frame_;
  while (own->outer) own = own->outer;
  if (object.is(own->python)) return own->function;
  if (PyCallable_Check(object.ptr())) {
    // What NumPy has and compiled code does not, in Python that is compiled along.
    nb::object written = library().attr("function")(object);
    if (!written.is_none()) return read({written, options_, {}}, false);
  }
  // A plain function is compiled along, unless it is a library's.
  const bool is_plain = object.type().is(nb::module_::import_("types").attr("FunctionType"));
  return is_plain ? read({object, options_, {}}, false) : nullptr;
}

Binding Reader::classify_known(nb::object object, const std::string& name, int depth) {
  Binding binding;
  binding.name = name;
  PyObject* p = object.ptr();
  if (object.is_none() || PyBool_Check(p)) {
    binding.kind = Binding::Kind::value;
    binding.value = object.is_none() ? Value(None{}) : Value(p == Py_True);
    return binding;
  }
  if (nb::hasattr(object, "__kasoku_numpys__"))  // a function of a face, of which NumPy has one of the name and rules
    return classify(object.attr("__kasoku_numpys__"), name, depth);
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
  if (nb::hasattr(object, "__kasoku_new__")) {
    binding.kind = Binding::Kind::instance;
    binding.type = type_of_instances(object.attr("__kasoku_new__"));
    return binding;
  }
  const Type type = type_of_value(object);
  if (type.kind == TypeKind::member) {
    binding.kind = Binding::Kind::member;
    binding.name = type.text;
    return binding;
  }
  if (binds_value(object, type, binding)) return binding;
  if ((PyTuple_Check(p) || PyList_Check(p)) && depth < 4) {
    binding.kind = Binding::Kind::tuple;
    for (nb::handle item : object) binding.items.push_back(classify(nb::borrow(item), name, depth + 1));
    return binding;
  }
  if (type.is_array()) {
    binding.kind = Binding::Kind::array;
    binding.type = type;
    binding.dtype = type.dtype;
    binding.hidden = hidden_argument(object);
    return binding;
  }
  if (const Function* function = function_of(object)) {
    binding.kind = Binding::Kind::function;
    binding.function = function;
    return binding;
  }
  if (binds_dtype(object, binding)) return binding;
  binding.name = describe(object);
  return binding;
}

nb::object Reader::library() { return nb::module_::import_("kasoku._library"); }

ExprPtr Reader::global(nb::object object, const std::string& name, nb::handle node) {
  ExprPtr e = make_expr(ExprKind::global, place(node));
  e->text = name;
  e->binding = classify(object, name);
  return e;
}

nb::object Reader::resolve(nb::handle node) {
  if (node.type().is(ast_class("Name"))) {
    const std::string name = nb::cast<std::string>(node.attr("id"));
    Frame* home = nullptr;
    if (frame_->locals.contains(name) || inner(name, home)) return {};
    return look_up(name, node);
  }
  if (node.type().is(ast_class("Attribute"))) {
    nb::object object = resolve(node.attr("value"));
    if (!object.is_valid()) return {};
    // Attributes of arrays and numbers are values; of anything else, names.
    const Type type = type_of_value(object);
    if (type.is_known() && !type.is_symbol() && !PyModule_Check(object.ptr())) return {};
    const std::string name = nb::cast<std::string>(node.attr("attr"));
    if (!nb::hasattr(object, name.c_str())) fail(node, fmt::format("{} has no attribute '{}'", describe(object), name));
    return object.attr(name.c_str());
  }
  if (node.type().is(ast_class("Subscript")) &&
      nb::object(node.attr("slice")).type().is(ast_class("Constant"))) {  // Color["red"]
    nb::object kind = nb::object(node.attr("value")).type().is(ast_class("Name")) ? resolve(node.attr("value"))
                                                                                  : nb::object(),
               key = node.attr("slice").attr("value");
    const bool is_enum =
        kind.is_valid() &&
        PyObject_IsInstance(kind.ptr(), nb::object(nb::module_::import_("enum").attr("EnumMeta")).ptr()) == 1;
    if (!is_enum || !nb::isinstance<nb::str>(key)) return {};
    if (!nb::cast<bool>(kind.attr("__members__").attr("__contains__")(key)))
      fail(node, fmt::format("{} has no member '{}'", describe(kind), nb::cast<std::string>(key)));
    return kind[key];
  }
  if (node.type().is(ast_class("Call")) && nb::len(nb::object(node.attr("args"))) == 1 && nb::len(nb::object(node.attr("keywords"))) == 0) {
    // np.finfo(np.float64): what is known of a type.
    nb::object function = node.attr("func");
    if (!function.type().is(ast_class("Attribute"))) return {};
    function = resolve(function);
    if (!function.is_valid()) return {};
    nb::object numpy = nb::module_::import_("numpy");
    bool asks = false;
    for (const char* name : {"finfo", "iinfo", "dtype"}) asks |= function.is(nb::object(numpy.attr(name)));
    nb::object given = asks ? resolve(node.attr("args")[0]) : nb::object();
    if (given.is_valid()) return function(nb::hasattr(given, "__kasoku_dtype__") ? nb::object(given.attr("__kasoku_dtype__")) : given);
  }
  return {};
}

}  // namespace kasoku
