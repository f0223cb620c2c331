/// \file numpy_functions.cpp
/// `__array_function__`: a function of ours where there is one, else NumPy's own over our memory.
#include "numpy_functions.h"

#include "arguments.h"
#include "array_object.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/shape.h"
#include "kasoku/compile/backends.h"
#include "numpy_calls.h"
#include "to_python.h"
#include "vectorcall.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <string>

namespace kasoku {

namespace {

using namespace nb::literals;

bool gives_numpys_numbers = false;

/// A computed value of no axes is a number there; what its statement goes on with stays an array, and so does what a function
/// gives that only moves elements.
nb::object number_or_array(nb::object result, bool moves_elements) {
  const Array* const x = gives_numpys_numbers ? array_of(result) : nullptr;
  if (!x || x->ndim() > 0 || moves_elements || x->is_pending() || info(x->dtype()).code.empty()) return result;
  return numpy_number(*x);
}

/// What makes files and text of arrays, in which NumPy's own are as good.
bool is_written_by_numpy(const std::string& name) {
  return by_numpy::is_one_of(name, {"save", "savez", "savez_compressed", "savetxt", "array2string", "array_repr", "array_str"});
}

/// Our function that stands for one of NumPy's; none if we have no such.
nb::object function_of_ours(nb::handle function, const std::string& name, const std::string& module) {
  if (name.empty() || name[0] == '_') return {};
  const char* const home = module == "numpy"          ? "kasoku"
                           : module == "numpy.linalg" ? "kasoku.linalg"
                           : module == "numpy.fft"    ? "kasoku.fft"
                                                      : nullptr;
  if (!home) return {};
  static auto& known = *new std::map<PyObject*, nb::object>;  // NumPy's functions live as long as NumPy
  const auto [at, is_new] = known.try_emplace(function.ptr());
  if (is_new) {
    const nb::object namespace_ = nb::module_::import_(home);
    const nb::object found = nb::getattr(namespace_, name.c_str(), nb::none());
    if (!found.is_none() && !found.is(function) && !is_written_by_numpy(name)) at->second = found;
  }
  return at->second;
}

/// Whether a function looks at dtypes and shapes alone.
bool asks_for_facts(const std::string& name) {
  return by_numpy::is_one_of(name, {"shape", "ndim", "size", "result_type", "can_cast", "common_type", "iscomplexobj",
                          "isrealobj", "min_scalar_type"});
}

/// An array of NumPy's with the dtype and shape of ours and no elements of its own.
nb::object without_values(nb::handle object) {
  if (is_array(object)) {
    const Array& x = *array_of(object);
    return numpy().attr("broadcast_to")(numpy().attr("empty")(nb::tuple(), numpy_dtype(x.dtype())),
                                        tuple_from(x.shape()));
  }
  return nb::borrow(object);
}

/// NumPy's functions on our arrays: the function of that name, on their device.
nb::object array_function(nb::handle, nb::handle function, nb::handle, nb::handle args, nb::handle kwargs) {
  const std::string name = nb::cast<std::string>(function.attr("__name__"));
  const std::string module = nb::cast<std::string>(nb::str(function.attr("__module__")));
  const nb::tuple given = nb::borrow<nb::tuple>(args);
  if (asks_for_facts(name)) {
    nb::list facts;
    for (nb::handle one : given) facts.append(without_values(one));
    return function(*nb::tuple(facts), **nb::borrow<nb::kwargs>(kwargs));
  }
  const nb::object ours = function_of_ours(function, name, module);
  const bool is_into_numpys = by_numpy::writes_first(name) && given.size() > 0 && !is_array(given[0]);
  if (ours.is_valid() && !is_into_numpys && !by_numpy::holds_what_is_numpys_alone(given)) {
    try {
      return ours(*given, **nb::borrow<nb::kwargs>(kwargs));
    } catch (nb::python_error& error) {
      if (!by_numpy::declines(error)) throw;
    }
  }
  return call_numpy(module + "." + name, function, args, kwargs);
}

}  // namespace

namespace by_numpy {

bool holds(nb::handle object, bool (*is_such)(nb::handle), int axes) {
  if (is_such(object)) return true;
  if (axes == 0) return false;
  if (PyTuple_Check(object.ptr())) {
    for (Py_ssize_t i = 0; i < PyTuple_Size(object.ptr()); ++i)
      if (holds(PyTuple_GetItem(object.ptr(), i), is_such, axes - 1)) return true;
  } else if (PyList_CheckExact(object.ptr())) {
    for (Py_ssize_t i = 0; i < PyList_Size(object.ptr()); ++i)
      if (holds(PyList_GetItem(object.ptr(), i), is_such, axes - 1)) return true;
  }
  return false;
}

bool is_instance(nb::handle object, const char* name) {
  return PyObject_IsInstance(object.ptr(), nb::object(numpy().attr(name)).ptr()) == 1;
}

nb::object numbers_or_arrays(nb::object result, bool moves_elements) {
  if (!gives_numpys_numbers || !PyTuple_Check(result.ptr()) || PyTuple_CheckExact(result.ptr())) return number_or_array(std::move(result), moves_elements);
  nb::list items;
  for (nb::handle item : nb::iter(result)) items.append(number_or_array(nb::borrow(item), moves_elements));
  return nb::hasattr(result.type(), "_make") ? result.type().attr("_make")(items) : std::move(result);
}

bool is_numpys_alone(nb::handle object) {
  if (is_array(object) || PyLong_CheckExact(object.ptr()) || PyFloat_CheckExact(object.ptr())) return false;
  return has_rules_of_its_own(object) || is_of_other_elements(object);
}

bool holds_what_is_numpys_alone(nb::handle object) { return holds(object, is_numpys_alone); }

}  // namespace by_numpy

bool moves_elements(std::string_view name) {
  static constexpr std::string_view movers[] = {"array", "asarray", "asanyarray", "astype", "broadcast_to", "copy", "empty", "empty_like", "full", "full_like", "imag", "ones", "ones_like", "real", "reshape", "squeeze", "transpose", "view", "zeros", "zeros_like"};
  return std::ranges::find(movers, name) != std::end(movers);
}

nb::object as_numpys_method(nb::object result, nb::handle numpys, bool moves_elements, std::span<PyObject* const> args, PyObject* names) {
  const Array* const x = result.is_valid() ? array_of(result) : nullptr;
  if (result.is_valid() && (!x || x->ndim() > 0 || std::ranges::find(args, result.ptr()) != args.end())) return result;
  if (x) return number_or_array(std::move(result), moves_elements);
  nb::python_error error;
  if (!by_numpy::declines(error)) throw error;
  const auto [given, named] = tuple_and_dict(args, names);
  return by_numpy::through_numpy("numpy.ndarray." + nb::cast<std::string>(numpys.attr("__name__")), numpys, given, named, true);
}

nb::object number_of_host(nb::object result) {
  const Array* const x = gives_numpys_numbers ? array_of(result) : nullptr;
  return x && x->device().is_host() ? number_or_array(std::move(result), false) : std::move(result);
}

nb::object numpy_number(const Array& array) {
  alignas(16) char element[16];
  number_of(array).store(array.dtype(), element);
  return as_numpys_number(element, array.dtype());
}

bool has_rules_of_its_own(nb::handle object) {
  if (is_array(object) || PyLong_CheckExact(object.ptr()) || PyFloat_CheckExact(object.ptr()) || object.is_none() ||
      PyUnicode_CheckExact(object.ptr()))
    return false;
  PyTypeObject* const type = Py_TYPE(object.ptr());
  static auto& known = *new std::map<PyTypeObject*, bool>;  // with a share in each class
  static std::mutex& mutex = *new std::mutex;               // not held where Python code may run
  {
    const std::lock_guard lock(mutex);
    if (const auto at = known.find(type); at != known.end()) return at->second;
  }
  const nb::handle cls(reinterpret_cast<PyObject*>(type)), arrays = nb::object(numpy().attr("ndarray"));
  const auto speaks = [&](const char* protocol) {
    return !nb::object(nb::getattr(cls, protocol, nb::none())).is_none();
  };
  const bool is_numpys = PyObject_IsSubclass(cls.ptr(), arrays.ptr()) == 1;
  const bool has_rules = is_numpys ? !cls.is(arrays) && !cls.is(nb::object(numpy().attr("memmap")))
                                   : speaks("__array_function__") || speaks("__array_ufunc__");
  const std::lock_guard lock(mutex);
  if (known.try_emplace(type, has_rules).second) Py_INCREF(cls.ptr());
  return has_rules;
}

bool elements_are_numpys() { return gives_numpys_numbers; }

void bind_numpy_functions(nb::module_& m) {
  nb::object cls = m.attr("Array");
  add_method(cls, "__array_function__", &array_function);
  m.def("_numpy_function", &by_numpy::make_numpy_function, "name"_a, "numpys"_a, "ours"_a.none(), "makes_arrays"_a, "least"_a = 0,
        "One of NumPy's functions for a program that is written for NumPy; ours where there is one, if `least` is given for so many elements.");
  m.def(
      "_is_any_array", [](nb::handle object) { return is_array(object) || by_numpy::is_instance(object, "ndarray"); }, "object"_a.none(),
      "Whether it is an array of ours or of NumPy's.");
  m.def(
      "_elements_are_numpys", [](bool value) { return std::exchange(gives_numpys_numbers, value); }, "value"_a,
      "Whether x[i] is a number of NumPy's, for the whole process; what it was.");
  m.def(
      "_numpy_tells_errors", [](bool value) { return std::exchange(tells_errors, value); }, "value"_a,
      "Whether NumPy computes, because it is to raise or tell floating-point errors; what it was.");
}

}  // namespace kasoku
