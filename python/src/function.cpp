/// \file function.cpp
/// nanobind's functions have signatures of their own kind and take no attributes. Those of the module stand in objects that
/// hand calls on, for `inspect`, editors and documentation; and elementwise operations are ufuncs, whose methods are
/// Python's (kasoku/_namespace/ufuncs.py).
#include "function.h"

#include "arguments.h"
#include "array_object.h"
#include "convert.h"
#include "given.h"
#include "guarded.h"
#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/algorithms/sort.h"
#include "kasoku/array/basic_index.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/few_places.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/codegen/ops.h"
#include "kasoku/base/error.h"
#include "numpy_functions.h"
#include "to_python.h"
#include "vectorcall.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>

namespace kasoku {

/// An argument that is there in the last pass over a function's overloads alone, where values are converted.
struct LastPass {};

}  // namespace kasoku

template <>
struct nanobind::detail::type_caster<kasoku::LastPass> {
  NB_TYPE_CASTER(kasoku::LastPass, const_name("object"))
  bool from_python(handle, uint32_t flags, cleanup_list*) noexcept { return flags & static_cast<uint32_t>(cast_flags::convert); }
};

namespace kasoku {

namespace {

using namespace nb::literals;

/// More of a type's flags.
constexpr unsigned int is_method_descriptor = 1u << 17, is_immutable = 1u << 8;

using Handles = std::span<const nb::handle>;

/// What a function gives for few arguments by place alone, if that is known for such; none if it is for nanobind's function.
struct ShortWay {
  nb::object (*give)(int which, Handles args) = nullptr;
  int which = 0;  ///< the operation, or what else it is told
  uint8_t least = 0, most = 3;  ///< arguments
  bool of_array = true;  ///< it is for an array and what comes behind it

  bool is_for(PyObject* const* args, size_t n) const { return give && least <= n && n <= most && (!of_array || is_array(args[0])); }
};

struct FunctionObject {
  PyObject base;
  VectorCall vectorcall;
  ShortWay short_way;
  PyObject* function;  ///< nanobind's
  PyObject* numpys;    ///< the method that takes over what `function` declines; mostly null
  bool moves_elements;  ///< that method: as numpy_functions.h has it
};

PyTypeObject *function_type = nullptr, *ufunc_type = nullptr, *method_type = nullptr, *face_function_type = nullptr;

PyObject* wrapped(PyObject* self) { return reinterpret_cast<FunctionObject*>(self)->function; }

/// Null, with an error that says of a call that does not fit its function what is wrong with it, in the place of nanobind's
/// list of types (kasoku/_namespace/signatures.py). Where arguments had names that other packages have for them, what the call gives.
template <class Arguments>
[[gnu::cold, gnu::noinline]] PyObject* worded(nb::handle function, const Arguments& arguments) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError) || !class_name(function).starts_with("nb_")) return nullptr;
  return guarded([&]() -> PyObject* {
    nb::python_error error;
    const auto [args, named] = arguments();
    const nb::object said = nb::module_::import_("kasoku._namespace.signatures").attr("worded")(function, error.value(), args, named);
    if (said.is_none()) throw error;
    if (PyDict_Check(said.ptr())) return PyObject_Call(function.ptr(), args.ptr(), said.ptr());
    PyErr_SetObject(said.type().ptr(), said.ptr());
    return nullptr;
  });
}

nb::object operation_again(int which, Handles args) { return again(static_cast<Op>(which), args); }

/// A method's, of all elements.
nb::object reduction_again(int which, Handles args) {
  Array result = reduce_again(static_cast<ReduceOp>(which), *array_inside(args[0]));
  if (result.is_null()) return {};
  result.state().stands_for_number = true;
  return object_of(std::move(result));
}

/// The same where it is NumPy's number.
nb::object number_again(int which, Handles args) {
  alignas(16) char element[16];
  Dtype dtype{};
  const bool is_known = elements_are_numpys() && reduce_again(static_cast<ReduceOp>(which), *array_inside(args[0]), element, dtype);
  return is_known && !info(dtype).code.empty() ? as_numpys_number(element, dtype) : nb::object();
}

nb::object multiplied(int, Handles args) { return is_array(args[1]) ? dot_product(*array_inside(args[0]), *array_inside(args[1])) : nb::object(); }
nb::object made_anew(int, Handles args) { return settled_object_of(new_array(args[0], args.size() > 1 ? args[1] : nb::none())); }
nb::object sort_row(int, Handles args) { return settled_object_of(without_lock_of(array_inside(args[0])->size(), [&] { return sort(*array_inside(args[0])); })); }
nb::object arg_sort_row(int, Handles args) { return settled_object_of(without_lock_of(array_inside(args[0])->size(), [&] { return argsort(*array_inside(args[0])); })); }
nb::object sorted_in_place(int, Handles args) { return sort_few(*array_inside(args[0]), -1) ? nb::none() : nb::object(); }
nb::object positions_of_nonzero(int, Handles args) { return nonzero_of(*array_inside(args[0])); }

nb::object filled_in_place(int, Handles args) {
  const Array& x = *array_inside(args[0]);
  const std::optional<Scalar> number = plain_number(args[1]);
  if (!number) return {};
  must_fit(*number, x.dtype());
  return set_few(x, std::span<const BasicIndex>(), *number) ? nb::none() : nb::object();
}

nb::object join_few(int, Handles args) {
  const bool are_arrays = PyList_CheckExact(args[0].ptr()) ? PyList_Size(args[0].ptr()) > 0 && is_array(PyList_GetItem(args[0].ptr(), 0))
                                                           : PyTuple_CheckExact(args[0].ptr()) && PyTuple_Size(args[0].ptr()) > 0 && is_array(PyTuple_GetItem(args[0].ptr(), 0));
  if (!are_arrays) return {};
  const std::vector<Array> parts = arrays_from(args[0]);
  return settled_object_of(without_lock([&] { return concatenate(parts, 0); }));
}
nb::object filled_anew(int value, Handles args) { return settled_object_of(new_filled(args[0], value, args.size() > 1 ? args[1] : nb::none())); }

/// What moves elements, f(x, arguments behind it); null if it is for nanobind's function.
template <auto f>
nb::object moved(int, Handles args) {
  if (args.back().is_none()) return {};
  Array result;
  {
    const GilUntilBlocked keep;
    result = f(*array_inside(args[0]), args.subspan(1));
  }
  return result.is_null() ? nb::object() : settled_object_of(std::move(result));
}

Array reshape_to(const Array& x, Handles lengths) {
  if (lengths.size() == 1) return reshape(x, shape_from(lengths[0]));
  const bool are_numbers = PyLong_CheckExact(lengths[0].ptr()) && PyLong_CheckExact(lengths[1].ptr());
  return are_numbers ? reshape(x, {nb::cast<int64_t>(lengths[0]), nb::cast<int64_t>(lengths[1])}) : Array();
}

Array repeat_by_number(const Array& x, Handles times) {
  const std::optional<Scalar> n = PyLong_CheckExact(times[0].ptr()) ? plain_number(times[0]) : std::nullopt;
  return n ? repeat(x, n->i) : Array();
}

Array take_few(const Array& x, Handles places) {
  const Array* const at = array_of(places[0]);
  return at && x.ndim() == 1 && at->dtype() == Dtype::int64 ? get_few(x, *at) : Array();
}

/// Finds it for an object of this type and a function of this name.
ShortWay short_way_of(PyTypeObject* type, std::string_view name, bool is_beside_numpys) {
  if (type == ufunc_type) {
    const Op op = *op_from_name(name);
    const auto arity = static_cast<uint8_t>(info(op).arity);
    return {operation_again, static_cast<int>(op), arity, arity, false};
  }
  static const struct {
    PyTypeObject* type;
    std::string_view name;
    ShortWay way;
  } ways[] = {
      {method_type, "item", {[](int, Handles args) { return item_by_key(*array_inside(args[0]), args[1]); }, 0, 2, 2}},
      {method_type, "reshape", {moved<reshape_to>, 0, 2, 3}},
      {method_type, "ravel", {moved<[](const Array& x, Handles) { return ravel(x); }>, 0, 1, 1}},
      {method_type, "flatten", {moved<[](const Array& x, Handles) { return x.ndim() == 1 ? copy(x) : copy(ravel(x)); }>, 0, 1, 1}},
      {method_type, "transpose", {moved<[](const Array& x, Handles) { return transpose(x); }>, 0, 1, 1}},
      {method_type, "copy", {moved<[](const Array& x, Handles) { return copy(x); }>, 0, 1, 1}},
      {method_type, "astype", {moved<[](const Array& x, Handles dtype) { return astype(x, dtype_from(dtype[0])); }>, 0, 2, 2}},
      {method_type, "take", {moved<take_few>, 0, 2, 2}},
      {function_type, "take", {moved<take_few>, 0, 2, 2}},
      {method_type, "repeat", {moved<repeat_by_number>, 0, 2, 2}},
      {function_type, "repeat", {moved<repeat_by_number>, 0, 2, 2}},
      {method_type, "round", {moved<[](const Array& x, Handles) { return is_complex(x.dtype()) ? Array() : rounded(x, 0); }>, 0, 1, 1}},
      {method_type, "fill", {filled_in_place, 0, 2, 2}},
      {method_type, "sort", {sorted_in_place, 0, 1, 1}},
      {function_type, "sort", {sort_row, 0, 1, 1}},
      {method_type, "argsort", {arg_sort_row, 0, 1, 1}},
      {function_type, "argsort", {arg_sort_row, 0, 1, 1}},
      {method_type, "nonzero", {positions_of_nonzero, 0, 1, 1}},
      {function_type, "nonzero", {positions_of_nonzero, 0, 1, 1}},
      {function_type, "concatenate", {join_few, 0, 1, 1, false}},
      {method_type, "tolist", {[](int, Handles args) { return list_of(*array_inside(args[0])); }, 0, 1, 1}},
      {method_type, "dot", {multiplied, 0, 2, 2}},
      {function_type, "dot", {multiplied, 0, 2, 2}},
      {function_type, "asarray", {[](int, Handles args) { return nb::borrow(args[0]); }, 0, 1, 1}},
      {function_type, "array", {made_anew, 0, 1, 2, false}},
      {function_type, "empty", {[](int, Handles args) { return settled_object_of(new_empty(args[0])); }, 0, 1, 1, false}},
      {function_type, "zeros", {filled_anew, 0, 1, 2, false}},
      {function_type, "ones", {filled_anew, 1, 1, 2, false}},
      {function_type, "arange", {[](int, Handles args) { return settled_object_of(new_range(args[0])); }, 0, 1, 1, false}},
  };
  for (const auto& row : ways)
    if (type == row.type && name == row.name) return row.way;
  for (size_t i = 0; i < n_reductions; ++i)
    if ((type == method_type || type == function_type) && name == reduction_table[i].name && reduction_table[i].n_numbers() == 1)
      return {is_beside_numpys ? number_again : reduction_again, static_cast<int>(i), 1, 1};
  return {};
}

PyObject* call_wrapped(PyObject* self, PyObject* const* args, size_t n_and_flag, PyObject* names) {
  const FunctionObject& object = *reinterpret_cast<FunctionObject*>(self);
  const size_t n = argument_count(n_and_flag, names);
  PyObject* result = nullptr;
  if (!names && object.short_way.is_for(args, n)) {
    const nb::handle operands[] = {n > 0 ? args[0] : nullptr, n > 1 ? args[1] : nullptr, n > 2 ? args[2] : nullptr};
    result = guarded([&] { return object.short_way.give(object.short_way.which, {operands, n}).release().ptr(); });
  }
  if (!result && !PyErr_Occurred()) result = handed_on(wrapped(self), args, n_and_flag, names);
  return result ? result : worded(wrapped(self), [=] { return tuple_and_dict({args, argument_count(n_and_flag, names)}, names); });
}

PyObject* call_in_face(PyObject* self, PyObject* const* args, size_t n_and_flag, PyObject* names) {
  const InFace scope;
  PyObject* const result = call_wrapped(self, args, n_and_flag, names);
  if (result && argument_count(n_and_flag, names)) know_view(result, args[0], Py_TYPE(self) == method_type);
  return result;
}

/// Whether an operand is an array of the face's class, or a list or tuple that begins with one.
bool is_operand_of_face(PyObject* object) {
  if (PyList_CheckExact(object)) return PyList_Size(object) > 0 && is_of_face(PyList_GetItem(object, 0));
  if (PyTuple_CheckExact(object)) return PyTuple_Size(object) > 0 && is_of_face(PyTuple_GetItem(object, 0));
  return is_of_face(object);
}

/// Functions and methods give arrays of their operands' class.
PyObject* call_for_operands(PyObject* self, PyObject* const* args, size_t n_and_flag, PyObject* names) {
  const size_t n = face_array_type ? argument_count(n_and_flag, names) : 0;
  return std::any_of(args, args + n, is_operand_of_face) ? call_in_face(self, args, n_and_flag, names) : call_wrapped(self, args, n_and_flag, names);
}

PyObject* call_beside_numpys(PyObject* self, PyObject* const* args, size_t n_and_flag, PyObject* names) {
  return guarded([=] {
    PyObject* const result = call_for_operands(self, args, n_and_flag, names);
    return as_numpys_method(nb::steal(result), reinterpret_cast<FunctionObject*>(self)->numpys, reinterpret_cast<FunctionObject*>(self)->moves_elements, {args, argument_count(n_and_flag, names)}, names).release().ptr();
  });
}

PyObject* call_wrapped_with_tuple(PyObject* self, PyObject* args, PyObject* names) {
  PyObject* const result = PyObject_Call(wrapped(self), args, names);
  return result ? result : worded(wrapped(self), [=] { return std::pair(nb::borrow<nb::tuple>(args), names ? nb::borrow<nb::dict>(names) : nb::dict()); });
}

PyObject* call_in_face_with_tuple(PyObject* self, PyObject* args, PyObject* names) {
  const InFace scope;
  PyObject* const result = call_wrapped_with_tuple(self, args, names);
  if (result && PyTuple_Size(args)) know_view(result, PyTuple_GetItem(args, 0), false);
  return result;
}

void destroy_function(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  Py_CLEAR(reinterpret_cast<FunctionObject*>(self)->function);
  Py_CLEAR(reinterpret_cast<FunctionObject*>(self)->numpys);
  PyObject_Free(self);
  Py_DECREF(type);
}

PyObject* signature(PyObject* self) {
  return guarded([=] {
    const nb::object read = Py_TYPE(self) == face_function_type ? nb::module_::import_("inspect").attr("signature")
                                                                : nb::module_::import_("kasoku._namespace.signatures").attr("signature_of");
    return read(nb::handle(wrapped(self))).release().ptr();
  });
}

/// Names, documentation and what else nanobind knows of the function. Some the type has as well, of its own.
PyObject* get_attribute(PyObject* self, PyObject* name) {
  if (PyUnicode_CompareWithASCIIString(name, "__signature__") == 0) return signature(self);
  if (Py_TYPE(self) == face_function_type && PyUnicode_CompareWithASCIIString(name, "__kasoku_numpys__") == 0)  // in compiled code
    return guarded([=] { return nb::object(nb::module_::import_("numpy").attr(nb::handle(wrapped(self)).attr("__name__"))).release().ptr(); });
  for (const char* of_function : {"__module__", "__doc__", "__name__"})
    if (PyUnicode_CompareWithASCIIString(name, of_function) == 0) return PyObject_GetAttr(wrapped(self), name);
  PyObject* found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return PyObject_GetAttr(wrapped(self), name);
}

PyObject* repr(PyObject* self) {
  return guarded([=] {
    const nb::str kind(Py_TYPE(self) == ufunc_type ? "ufunc" : Py_TYPE(self) == method_type ? "method" : "function");
    return nb::object(nb::str("<{} {}>").attr("format")(kind, nb::handle(wrapped(self)).attr("__qualname__"))).release().ptr();
  });
}

/// Pickles name it, as they name Python's functions. What stands under the name of one in the face may be another.
PyObject* pickle_by_place(PyObject* self, PyObject*) {
  return guarded([=]() -> PyObject* {
    const nb::object name = nb::handle(wrapped(self)).attr("__qualname__");
    if (Py_TYPE(self) != face_function_type) return nb::object(name).release().ptr();
    nb::object found = nb::module_::import_("importlib").attr("import_module")(nb::handle(wrapped(self)).attr("__module__"));
    for (nb::handle part : name.attr("split")(".")) found = nb::getattr(found, part, nb::none());
    if (found.ptr() == self) return nb::object(name).release().ptr();
    return nb::make_tuple(nb::module_::import_("kasoku._core").attr("_in_face"), nb::make_tuple(nb::handle(wrapped(self)))).release().ptr();
  });
}

PyObject* bind(PyObject* self, PyObject* object, PyObject*) {
  if (!object || object == Py_None) return Py_NewRef(self);
  static PyObject* const bound = nb::object(nb::module_::import_("types").attr("MethodType")).release().ptr();
  return PyObject_CallFunctionObjArgs(bound, self, object, nullptr);
}

/// A function of a class is the function itself. By having this it is a routine for inspect, and help() shows it as
/// one.
PyObject* itself(PyObject* self, PyObject*, PyObject*) { return Py_NewRef(self); }

/// `doc`: the class's; null: it has none but those of its objects.
PyTypeObject* make_type(const char* name, const char* doc, bool is_method, bool is_in_face = false) {
  static PyMemberDef members[] = {
      {"__vectorcalloffset__", member_ssize, offsetof(FunctionObject, vectorcall), member_readonly, nullptr},
      {"__wrapped_function__", member_object, offsetof(FunctionObject, function), member_readonly, nullptr},
      {nullptr, 0, 0, 0, nullptr}};
  // help() looks for it past get_attribute().
  static PyGetSetDef properties[] = {
      {"__doc__", [](PyObject* self, void*) { return PyObject_GetAttrString(wrapped(self), "__doc__"); }, nullptr,
       nullptr, nullptr},
      {nullptr, nullptr, nullptr, nullptr, nullptr}};
  static PyMethodDef methods[] = {{"__reduce__", pickle_by_place, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(is_in_face ? call_in_face_with_tuple : call_wrapped_with_tuple)},
                         {Py_tp_dealloc, reinterpret_cast<void*>(destroy_function)},
                         {Py_tp_getattro, reinterpret_cast<void*>(get_attribute)},
                         {Py_tp_repr, reinterpret_cast<void*>(repr)},
                         {Py_tp_members, members},
                         {Py_tp_methods, methods},
                         doc ? PyType_Slot{Py_tp_doc, const_cast<char*>(doc)} : PyType_Slot{Py_tp_getset, properties},
                         {Py_tp_descr_get, reinterpret_cast<void*>(is_method ? bind : itself)},
                         {0, nullptr}};
  PyType_Spec spec = {name, sizeof(FunctionObject), 0, Py_TPFLAGS_DEFAULT | has_vectorcall | (is_method ? is_method_descriptor | is_immutable : 0), slots};  // the interpreter remembers where methods of such a type are
  auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!type) throw nb::python_error();
  return type;
}

nb::object make(PyTypeObject* type, nb::handle function, nb::handle numpys = nb::handle()) {
  auto* const object = PyObject_New(FunctionObject, type);
  if (!object) throw nb::python_error();
  object->vectorcall = numpys ? call_beside_numpys : type == face_function_type ? call_in_face : call_for_operands;
  object->function = Py_NewRef(function.ptr());
  object->numpys = Py_XNewRef(numpys.ptr());
  const nb::object name = nb::getattr(function, "__name__", nb::none());
  object->short_way = PyUnicode_Check(name.ptr()) ? short_way_of(type, nb::cast<std::string>(name), static_cast<bool>(numpys)) : ShortWay();
  object->moves_elements = numpys && moves_elements(nb::cast<std::string>(numpys.attr("__name__")));
  return nb::steal(reinterpret_cast<PyObject*>(object));
}

void show_methods(nb::handle cls) {
  nb::dict own = nb::borrow<nb::dict>(cls.attr("__dict__").attr("copy")());
  for (auto [name, value] : own)
    if (class_name(value) == "nb_method" && nb::cast<std::string>(name) != "__init__") nb::setattr(cls, name, make(method_type, value));
}

/// Has a call that does not fit a class be told so as that of a function.
void word_constructor(nb::handle cls) {
  const nb::dict own = nb::borrow<nb::dict>(cls.attr("__dict__").attr("copy")());
  if (!own.contains("__init__") || class_name(nb::object(own["__init__"])) != "nb_method") return;
  if (nb::cast<std::string>(own["__init__"].attr("__nb_signature__")[0][0]).find("*args") != std::string::npos) return;  // it words that itself
  const auto refuse = [cls](nb::handle args, nb::handle kwargs) {
    const nb::object said = nb::module_::import_("kasoku._namespace.signatures").attr("unfit")(cls, args, kwargs);
    PyErr_SetObject(said.type().ptr(), said.ptr());
    throw nb::python_error();
  };
  const auto last = nb::arg("last") = nb::none();
  if (own.contains("__new__") && class_name(nb::object(own["__new__"])) == "nb_func")
    nb::cpp_function_def([refuse](nb::args args, LastPass, nb::kwargs kwargs) { refuse(nb::steal(PyTuple_GetSlice(args.ptr(), 1, PyTuple_Size(args.ptr()))), kwargs); }, nb::scope(cls),
                         nb::name("__new__"), "args"_a, last, "kwargs"_a);
  else
    nb::cpp_function_def([refuse](nb::handle, nb::args args, LastPass, nb::kwargs kwargs) { refuse(args, kwargs); }, nb::scope(cls), nb::name("__init__"),
                         nb::is_method(), "args"_a, last, "kwargs"_a);
}

}  // namespace

bool is_function(nb::handle object) {
  if (Py_TYPE(object.ptr()) == face_function_type) return is_function(wrapped(object.ptr()));
  return Py_TYPE(object.ptr()) == function_type || Py_TYPE(object.ptr()) == ufunc_type;
}

void show_functions(nb::module_& m) {
  if (!function_type) {
    function_type = make_type("kasoku._core._Function", nullptr, false);
    ufunc_type = make_type("kasoku._core.ufunc", R"(An elementwise operation, with NumPy's methods: reduce, accumulate, outer, at, reduceat.

>>> ks.add.outer([1, 2], [10, 20])
array([[11, 21],
       [12, 22]]))", false);
    method_type = make_type("kasoku._core._Method", nullptr, true);
    face_function_type = make_type("kasoku._core._FaceFunction", nullptr, true, true);
    m.attr("_Function") = nb::borrow(reinterpret_cast<PyObject*>(function_type));
    m.attr("ufunc") = nb::borrow(reinterpret_cast<PyObject*>(ufunc_type));
    m.attr("_Method") = nb::borrow(reinterpret_cast<PyObject*>(method_type));
    m.attr("_FaceFunction") = nb::borrow(reinterpret_cast<PyObject*>(face_function_type));
    m.def("_in_face", [](nb::handle function) { return Py_TYPE(function.ptr()) == face_function_type ? nb::borrow(function) : make(face_function_type, function); },
          nb::arg("function"), "The function, giving arrays of the face's class (_face_class).");
  }
  m.def("_method_beside_numpys", [](nb::handle ours, nb::handle numpys) { return make(method_type, Py_TYPE(ours.ptr()) == method_type ? wrapped(ours.ptr()) : ours.ptr(), numpys); }, "ours"_a, "numpys"_a,
        "A method that gives NumPy's numbers under kasoku run --numpy; NumPy's own takes over what ours declines.");
  nb::dict ufuncs;  // of a function by two names there is one
  nb::dict own = nb::borrow<nb::dict>(m.attr("__dict__").attr("copy")());
  for (auto [name, value] : own) {
    if (PyType_Check(value.ptr()) && class_name(value).starts_with("nb_type")) {
      show_methods(value);
      const auto own_name = nb::cast<std::string>(value.attr("__name__"));  // of a class by two names it is one
      if (own_name[0] != '_' && own_name == nb::cast<std::string>(name)) word_constructor(value);
    }
    if (class_name(value) != "nb_func") continue;
    if (!ufuncs.contains(value)) {
      const auto op = op_from_name(nb::cast<std::string>(value.attr("__name__")));
      ufuncs[value] = make(op && info(*op).arity < 3 ? ufunc_type : function_type, value);
    }
    nb::setattr(m, name, ufuncs[value]);
  }
}

}  // namespace kasoku
