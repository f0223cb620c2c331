/// \file python/src/numpy_function_object.cpp
/// NumPy's functions as a program that is written for NumPy finds them (kasoku run --numpy).
#include "numpy_calls.h"

#include "arguments.h"
#include "array_object.h"
#include "guarded.h"
#include "numpy_functions.h"
#include "vectorcall.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace kasoku::by_numpy {

namespace {

/// Where NumPy's functions that make arrays have `order`, where ours have a device or a shape; 0: nowhere.
size_t place_of_order(std::string_view name) {
  static constexpr std::pair<std::string_view, size_t> places[] = {
      {"zeros", 2},      {"ones", 2},      {"empty", 2},      {"asarray", 2},   {"asanyarray", 2}, {"full", 3},
      {"zeros_like", 2}, {"ones_like", 2}, {"empty_like", 2}, {"full_like", 3}, {"eye", 4}};
  const auto* const found = std::ranges::find(places, name, &std::pair<std::string_view, size_t>::first);
  return found == std::end(places) ? 0 : found->second;
}

/// One of NumPy's functions for a program that is written for NumPy (kasoku run --numpy): ours where there is one and
/// it is called with arrays of ours or makes one; NumPy's own for its numbers, and for what only it has.
struct NumpyFunction {
  std::string name;
  nb::object numpys, ours;  ///< `ours`: null if we have no such
  bool makes_arrays;
  int64_t least;  ///< above 0: ours is called where an argument asks for so many elements at least
  std::string_view last = std::string_view(name).substr(name.rfind('.') + 1);
  bool is_ufunc = is_instance(numpys, "ufunc"), writes_first = by_numpy::writes_first(last), moves_elements = kasoku::moves_elements(last);
  size_t order_at = name.starts_with("numpy.") ? place_of_order(last) : 0;
};

/// Whether an argument is an array of ours, or a list that has one.
bool holds_array(nb::handle object) { return holds(object, is_array); }

/// Arguments with our arrays in place of objects whose __array__() gives them, which NumPy refuses.
nb::object with_arrays_of_own_classes(nb::handle given) {
  if (PyTuple_CheckExact(given.ptr()) || PyList_CheckExact(given.ptr())) {
    nb::list items;
    for (nb::handle one : nb::iter(given)) items.append(with_arrays_of_own_classes(one));
    return PyList_CheckExact(given.ptr()) ? nb::object(items) : nb::object(nb::tuple(items));
  }
  const nb::object array = PyType_Check(given.ptr()) || is_array(given) || !nb::hasattr(given, "__array__")
                               ? nb::object()
                               : nb::object(given.attr("__array__")());
  return array.is_valid() && is_array(array) ? array : nb::borrow(given);
}

/// Whether a call gives one of its arguments, such as what it was to write into: that stays an array.
bool is_given(nb::handle result, nb::handle argument) {
  return argument.is(result) || (PyTuple_Check(argument.ptr()) && std::ranges::any_of(nb::borrow<nb::tuple>(argument), [&](nb::handle one) { return one.is(result); }));
}

/// The arguments of a call by Python's vector protocol.
struct GivenArguments {
  PyObject* const* all;
  size_t n_and_flag;
  PyObject* names;

  size_t count() const { return argument_count(n_and_flag, names); }
  size_t by_place() const { return n_and_flag & ~NB_VECTORCALL_ARGUMENTS_OFFSET; }
  template <class F>
  bool any(F&& f) const { return std::any_of(all, all + count(), f); }
  /// Null if Python's error is set.
  nb::object call(const nb::object& function) const { return nb::steal(handed_on(function.ptr(), all, n_and_flag, names)); }
  nb::tuple tuple() const {
    nb::list items;
    for (size_t i = 0; i < by_place(); ++i) items.append(nb::handle(all[i]));
    return nb::tuple(items);
  }
  nb::dict named() const {
    nb::dict items;
    for (size_t i = by_place(); i < count(); ++i) items[nb::handle(PyTuple_GetItem(names, static_cast<Py_ssize_t>(i - by_place())))] = nb::handle(all[i]);
    return items;
  }
};

/// Of how many elements an argument is the length or the shape; 0: it is neither.
int64_t elements_asked_for(nb::handle argument) {
  if (PyLong_CheckExact(argument.ptr())) {
    int overflow = 0;
    return PyLong_AsLongLongAndOverflow(argument.ptr(), &overflow);
  }
  if (!PyTuple_CheckExact(argument.ptr())) return 0;
  double all = 1;
  for (Py_ssize_t i = 0; i < PyTuple_Size(argument.ptr()); ++i) all *= static_cast<double>(elements_asked_for(PyTuple_GetItem(argument.ptr(), i)));
  return all < 0x1p40 ? static_cast<int64_t>(all) : 0;
}

/// Whether it is NumPy's array of bytes in another order than the machine's, in which its copies are wanted.
bool is_swapped(nb::handle object) {
  return is_plain_numpys(object) && !nb::cast<bool>(object.attr("dtype").attr("isnative"));
}

nb::object call_function(const NumpyFunction& f, const GivenArguments& given);

/// The same call with order=, and what NumPy has behind it, by name. Subclasses, `subok`, are none of ours.
nb::object call_by_names(const NumpyFunction& f, const GivenArguments& given) {
  nb::list names, values;
  const auto name = [&](const char* one, size_t place) {
    if (place >= given.by_place()) return;
    names.append(one);
    values.append(nb::handle(given.all[place]));
  };
  name("order", f.order_at);
  name("shape", f.order_at + 2);
  std::vector<PyObject*> all(given.all, given.all + f.order_at);
  for (nb::handle value : values) all.push_back(value.ptr());
  for (size_t i = given.by_place(); i < given.count(); ++i) {
    names.append(nb::handle(PyTuple_GetItem(given.names, static_cast<Py_ssize_t>(i - given.by_place()))));
    all.push_back(given.all[i]);
  }
  const nb::tuple given_names(names);
  return call_function(f, {all.data(), f.order_at, given_names.ptr()});
}

nb::object call_known(const NumpyFunction& f, const GivenArguments& given) {
  if (f.order_at && given.by_place() > f.order_at) return call_by_names(f, given);
  if (tells_errors && !f.makes_arrays && given.any(holds_array))
    return through_numpy(f.name, f.numpys, given.tuple(), given.named(), true);
  std::optional<bool> found_arrays;  // looked for where it is asked
  const auto has_arrays = [&] { return found_arrays ? *found_arrays : found_arrays.emplace(given.any(holds_array)); };
  const bool makes_arrays = f.makes_arrays || (f.least > 0 && !has_arrays() && given.any([&](nb::handle one) { return elements_asked_for(one) >= f.least; }));
  const auto number_if_new = [&](nb::object result) {
    return given.any([&](nb::handle one) { return is_given(result, one); }) ? std::move(result) : numbers_or_arrays(std::move(result), f.moves_elements);
  };
  const auto asks_for_other_dtype = [&] {
    for (size_t i = given.by_place(); i < given.count(); ++i)
      if (PyUnicode_CompareWithASCIIString(PyTuple_GetItem(given.names, static_cast<Py_ssize_t>(i - given.by_place())), "dtype") == 0) return is_other_dtype(given.all[i]);
    return false;
  };
  const auto has_other_rules = [&] {
    return f.makes_arrays ? given.any(is_numpys_alone) || asks_for_other_dtype() : given.any(holds_what_is_numpys_alone);
  };
  if (f.ours.is_valid() && (makes_arrays || (f.least == 0 && has_arrays())) &&
      !(f.makes_arrays && given.any(is_swapped)) && !has_other_rules() &&
      (!f.writes_first || (given.by_place() > 0 && is_array(given.all[0])))) {
    if (nb::object result = given.call(f.ours); result.is_valid()) return array_of(result) && array_of(result)->ndim() > 0 ? std::move(result) : number_if_new(std::move(result));
    nb::python_error error;
    if (!(makes_arrays && (error.matches(PyExc_TypeError) || (error.matches(PyExc_ValueError) && has_arrays()))) && !declines(error)) throw error;
  }
  if (!f.is_ufunc && has_arrays()) return through_numpy(f.name, f.numpys, given.tuple(), given.named(), true);
  nb::object result = given.call(f.numpys);  // of our arrays a ufunc asks __array_ufunc__
  if (result.is_valid())
    return has_arrays()                  ? number_if_new(std::move(result))
           : PyFloat_Check(result.ptr()) ? std::move(result)
                                         : taken(f.name, f.ours.is_valid(), result);
  throw nb::python_error();
}

nb::object call_function(const NumpyFunction& f, const GivenArguments& given) {
  try {
    return call_known(f, given);
  } catch (nb::python_error& error) {
    if (std::string_view(error.what()).find("__array__ method not producing an array") == std::string_view::npos) throw;
    return through_numpy(f.name, f.numpys, with_arrays_of_own_classes(given.tuple()), given.named(), true);
  }
}

/// The function as an object of Python's.
struct NumpyFunctionObject {
  PyObject base;
  VectorCall vectorcall;
  PyObject *dict, *weak;
  NumpyFunction* function;
};

const NumpyFunction& function_in(PyObject* self) { return *reinterpret_cast<NumpyFunctionObject*>(self)->function; }

PyObject* call_object(PyObject* self, PyObject* const* args, size_t n_and_flag, PyObject* names) {
  return guarded([=] { return call_function(function_in(self), {args, n_and_flag, names}).release().ptr(); });
}

/// Attributes are those of NumPy's function, but for what the program gave the object and what every object of Python's has.
PyObject* attribute_of_numpys(PyObject* self, PyObject* name) {
  const auto is_any = [&](std::initializer_list<const char*> names) {
    return std::ranges::any_of(names, [&](const char* one) { return PyUnicode_CompareWithASCIIString(name, one) == 0; });
  };
  const PyObject* const given = reinterpret_cast<NumpyFunctionObject*>(self)->dict;
  const bool is_pythons = PyUnicode_GetLength(name) > 2 && PyUnicode_ReadChar(name, 0) == '_' && PyUnicode_ReadChar(name, 1) == '_';
  if (is_pythons ? is_any({"__module__", "__doc__"}) : !given) return PyObject_GetAttr(function_in(self).numpys.ptr(), name);
  PyObject* const found = PyObject_GenericGetAttr(self, name);
  if (found || !PyErr_ExceptionMatches(PyExc_AttributeError)) return found;
  PyErr_Clear();
  return PyObject_GetAttr(function_in(self).numpys.ptr(), name);
}

PyObject* pickle_by_name(PyObject* self, PyObject*) {
  return guarded([=] {
    return nb::make_tuple(nb::module_::import_("kasoku.compat.numpy").attr("_found"), nb::make_tuple(function_in(self).name)).release().ptr();
  });
}

/// It is NumPy's function, by which NumPy's protocols name it to a program's own classes.
PyObject* compare(PyObject* self, PyObject* other, int how) {
  PyObject* const its = Py_TYPE(other) == Py_TYPE(self) ? function_in(other).numpys.ptr() : other;
  return PyObject_RichCompare(function_in(self).numpys.ptr(), its, how);
}

void destroy_numpy_function(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  auto& object = *reinterpret_cast<NumpyFunctionObject*>(self);
  if (object.weak) PyObject_ClearWeakRefs(self);
  Py_CLEAR(object.dict);
  delete object.function;
  PyObject_Free(self);
  Py_DECREF(type);
}

PyTypeObject* numpy_function_type() {
  static PyMemberDef members[] = {{"__vectorcalloffset__", member_ssize, offsetof(NumpyFunctionObject, vectorcall), member_readonly, nullptr},
                                  {"__dictoffset__", member_ssize, offsetof(NumpyFunctionObject, dict), member_readonly, nullptr},
                                  {"__weaklistoffset__", member_ssize, offsetof(NumpyFunctionObject, weak), member_readonly, nullptr},
                                  {nullptr, 0, 0, 0, nullptr}};
  static PyMethodDef methods[] = {{"__reduce__", pickle_by_name, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
  static PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_with_tuple<call_object>)},
                                {Py_tp_dealloc, reinterpret_cast<void*>(destroy_numpy_function)},
                                {Py_tp_getattro, reinterpret_cast<void*>(attribute_of_numpys)},
                                {Py_tp_repr, reinterpret_cast<void*>(+[](PyObject* self) { return PyObject_Repr(function_in(self).numpys.ptr()); })},
                                {Py_tp_hash, reinterpret_cast<void*>(+[](PyObject* self) { return PyObject_Hash(function_in(self).numpys.ptr()); })},
                                {Py_tp_richcompare, reinterpret_cast<void*>(compare)},
                                {Py_tp_members, members},
                                {Py_tp_methods, methods},
                                {0, nullptr}};
  static PyType_Spec spec = {"kasoku._core._NumpyFunction", sizeof(NumpyFunctionObject), 0, Py_TPFLAGS_DEFAULT | has_vectorcall, slots};
  static auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!type) throw nb::python_error();
  return type;
}

}  // namespace

nb::object make_numpy_function(const std::string& name, nb::object numpys, nb::handle ours, bool makes_arrays, int64_t least) {
  auto* const object = PyObject_New(NumpyFunctionObject, numpy_function_type());
  if (!object) throw nb::python_error();
  object->vectorcall = call_object;
  object->dict = object->weak = nullptr;
  object->function = new NumpyFunction{name, std::move(numpys), ours.is_none() ? nb::object() : nb::borrow(ours), makes_arrays, least};
  return nb::steal(reinterpret_cast<PyObject*>(object));
}

}  // namespace kasoku::by_numpy
