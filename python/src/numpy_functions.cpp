/// \file numpy_functions.cpp
/// `__array_function__`, `__array_ufunc__`: a function of ours where there is one, else NumPy's own over our memory.
#include "numpy_functions.h"

#include "arguments.h"
#include "array_object.h"
#include "guarded.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/codegen/scans.h"
#include "kasoku/compile/backends.h"
#include "vectorcall.h"

#include <structmember.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace kasoku {

namespace {

using namespace nb::literals;

/// METH_FASTCALL, from before the stable interface named it.
constexpr int fast_call = 0x80;

/// Whether what lies on a GPU may go to the host and back, because the program is written for NumPy and says so.
bool may_move = false;

bool gives_numpys_numbers = false;

/// A computed value of no axes is a number there; what its statement goes on with stays an array, and so does what a function
/// gives that only moves elements.
nb::object number_or_array(nb::object result, bool moves_elements) {
  const Array* const x = gives_numpys_numbers ? array_of(result) : nullptr;
  if (!x || x->ndim() > 0 || moves_elements || x->is_pending() || info(x->dtype()).code.empty()) return result;
  return numpy_number(*x);
}

/// The same of all in a tuple with names, such as the results of linalg's functions.
nb::object numbers_or_arrays(nb::object result, bool moves_elements) {
  if (!gives_numpys_numbers || !PyTuple_Check(result.ptr()) || PyTuple_CheckExact(result.ptr())) return number_or_array(std::move(result), moves_elements);
  nb::list items;
  for (nb::handle item : nb::iter(result)) items.append(number_or_array(nb::borrow(item), moves_elements));
  return nb::hasattr(result.type(), "_make") ? result.type().attr("_make")(items) : std::move(result);
}

struct CallCounts {
  uint64_t count = 0, bytes_read = 0, bytes_made = 0, bytes_moved = 0;
};

/// What NumPy computed, by name. Under Python's lock.
std::map<std::string, CallCounts, std::less<>>& calls_of_numpy() {
  static auto& calls = *new std::map<std::string, CallCounts, std::less<>>;
  return calls;
}

CallCounts& calls_of_numpy(std::string_view name) {
  const auto found = calls_of_numpy().find(name);
  return found == calls_of_numpy().end() ? calls_of_numpy()[std::string(name)] : found->second;
}

bool is_instance(nb::handle object, const char* name) {
  return PyObject_IsInstance(object.ptr(), nb::object(numpy().attr(name)).ptr()) == 1;
}

/// A copy of a new array of NumPy's, if it has few elements, in C order and in the machine's order of bytes; else null.
Array copy_of_few(nb::handle object, Dtype dtype, Device& device) {
  if (!is_plain_numpys(object)) return {};
  const NumpysArray& x = numpys_array(object);
  if (x.base || !x.is_c_contiguous() || x.dtype != numpy_dtype(dtype).ptr()) return {};
  const Shape shape(x.lengths, x.lengths + x.rank);
  const size_t bytes = static_cast<size_t>(product(shape)) * info(dtype).size;
  if (bytes > few_bytes) return {};
  Array copy = Array::empty(shape, dtype, device);
  std::memcpy(copy.data(), x.data, bytes);
  copy.buffer()->history.filled_by_host = true;
  return copy;
}

/// The arguments of one call with NumPy's arrays in place of ours.
class Shown {
 public:
  /// `keeps_numbers`: NumPy's numbers stay what they are. `is_ours`: what was computed of lists and numbers is nothing
  /// that we lack.
  explicit Shown(std::string_view name, bool keeps_numbers = false, bool is_ours = false)
      : name_(name), keeps_numbers_(keeps_numbers), is_ours_(is_ours) {}

  nb::object show(nb::handle object) {
    if (is_array(object)) return show_array(object);
    if (PyTuple_Check(object.ptr()) || PyList_CheckExact(object.ptr())) {
      nb::list items;
      bool is_changed = false;
      for (nb::handle item : nb::iter(object)) {
        items.append(show(item));
        is_changed |= items[items.size() - 1].ptr() != item.ptr();
      }
      return is_changed ? as(object, std::move(items)) : nb::borrow(object);
    }
    if (PyDict_CheckExact(object.ptr())) {
      nb::dict items;
      for (auto [key, value] : nb::borrow<nb::dict>(object)) items[key] = show(value);
      return items;
    }
    return nb::borrow(object);
  }

  /// A result of NumPy's: its arrays become ours, what was given comes back as it was given.
  nb::object take(nb::handle result) {
    for (const Pair& pair : pairs_)
      if (pair.shown.is(result)) return pair.given;
    // Subclasses are more than their elements.
    if (is_plain_numpys(result) || (!keeps_numbers_ && is_instance(result, "generic"))) {
      const std::optional<Dtype> dtype = dtype_of_numpys(result.attr("dtype"));
      if (!dtype || info(*dtype).code.empty()) return nb::borrow(result);  // text, objects, times: NumPy's
      Device& to = device_ ? *device_ : default_device();
      // A few elements in C order that nobody else can see are as good in memory of ours, of which less is to be looked after.
      Array array = to.is_host() ? copy_of_few(result, *dtype, to) : Array();
      if (array.is_null()) array = import_host(result, std::nullopt, to, !to.is_host());
      if (!to.is_host()) calls().bytes_moved += array.nbytes();
      if (!is_ours_) calls().bytes_made += array.nbytes();
      return object_of(std::move(array));
    }
    if (PyTuple_Check(result.ptr()) || PyList_CheckExact(result.ptr())) {
      nb::list items;
      bool is_changed = false;
      for (nb::handle item : nb::iter(result)) {
        items.append(take(item));
        is_changed |= items[items.size() - 1].ptr() != item.ptr();
      }
      return is_changed ? as(result, std::move(items)) : nb::borrow(result);
    }
    return nb::borrow(result);
  }

  /// What NumPy wrote into copies goes to the arrays they are copies of.
  void give_back(nb::handle written) {
    if (PyTuple_Check(written.ptr())) {
      for (nb::handle item : nb::iter(written)) give_back(item);
      return;
    }
    for (const Pair& pair : pairs_) {
      const Array* const given = array_of(pair.given);
      if (!pair.shown.is(written) || given->device().is_host()) continue;
      const Array values = import_host(pair.shown, given->dtype(), given->device(), true);
      calls().bytes_moved += values.nbytes();
      const GilReleased release;
      given->assign(values);
    }
  }

 private:
  struct Pair {
    nb::object shown, given;
  };

  nb::object show_array(nb::handle object) {
    for (const Pair& pair : pairs_)
      if (pair.given.is(object)) return pair.shown;
    const Array& x = *array_of(object);
    if (!device_) device_ = &x.device();
    if (!x.device().is_host() && !may_move)
      throw Error(ErrorKind::type,
                  std::string(name_) + ": kasoku has no such function, and NumPy cannot read what lies on " + x.device().str())
          .fix("x.numpy() copies the array to the host");
    const bool is_shown = x.device().is_host() && !info(x.dtype()).code.empty();
    nb::object shown = is_shown ? numpy_view(x) : to_numpy(x);
    calls().bytes_read += x.nbytes();
    if (!x.device().is_host()) calls().bytes_moved += x.nbytes();
    pairs_.push_back({shown, nb::borrow(object)});
    return shown;
  }

  /// A list, a tuple or a named tuple like another, with other items.
  static nb::object as(nb::handle like, nb::list items) {
    if (PyList_CheckExact(like.ptr())) return items;
    if (PyTuple_CheckExact(like.ptr())) return nb::tuple(items);
    return nb::hasattr(like.type(), "_make") ? like.type().attr("_make")(items) : like.type()(items);
  }

  CallCounts& calls() {
    if (!calls_) ++(calls_ = &calls_of_numpy(name_))->count;
    return *calls_;
  }

  const std::string_view name_;
  const bool keeps_numbers_, is_ours_;
  CallCounts* calls_ = nullptr;    ///< those with arrays are counted
  Device* device_ = nullptr;  ///< of the first array
  std::vector<Pair> pairs_;
};

bool is_one_of(std::string_view name, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* one) { return name == one; });
}

/// What makes files and text of arrays, in which NumPy's own are as good.
bool is_written_by_numpy(const std::string& name) {
  return is_one_of(name, {"save", "savez", "savez_compressed", "savetxt", "array2string", "array_repr", "array_str"});
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

/// Whether a function of ours declined: arguments or dtypes that it has not (NumPy says if they are wrong), or what it does
/// not do.
bool declines(const nb::python_error& error) {
  if (error.matches(PyExc_NotImplementedError)) return true;
  if (!error.matches(PyExc_TypeError)) return false;
  if (nb::hasattr(error.value(), "signature")) return true;  // kasoku/_namespace/signatures.py
  const auto said = nb::cast<std::string>(nb::str(error.value()));  // what() has the traceback's lines
  return std::ranges::any_of(std::initializer_list<const char*>{"no kasoku array can hold", "no array can be made of",
                                                                " takes no ", "unexpected keyword argument",
                                                                "out is an array, not a ", " is not defined for "},
                             [&](const char* text) { return said.find(text) != std::string::npos; });
}

/// Functions that write into their first argument.
bool writes_first(std::string_view name) {
  return is_one_of(name, {"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "__setitem__"});
}

/// Whether a function looks at dtypes and shapes alone.
bool asks_for_facts(const std::string& name) {
  return is_one_of(name, {"shape", "ndim", "size", "result_type", "can_cast", "common_type", "iscomplexobj",
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

/// Whether it, or one in a tuple or list, is such; not deeper than arrays have axes, for a list may hold itself.
bool holds(nb::handle object, bool (*is_such)(nb::handle), int axes = 64) {
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

/// Whether NumPy computes with what no array of ours holds, or what has rules of its own.
bool is_numpys_alone(nb::handle object) {
  if (is_array(object) || PyLong_CheckExact(object.ptr()) || PyFloat_CheckExact(object.ptr())) return false;
  return has_rules_of_its_own(object) || is_of_other_elements(object);
}

bool holds_what_is_numpys_alone(nb::handle object) { return holds(object, is_numpys_alone); }

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
  const bool is_into_numpys = writes_first(name) && given.size() > 0 && !is_array(given[0]);
  if (ours.is_valid() && !is_into_numpys && !holds_what_is_numpys_alone(given)) {
    try {
      return ours(*given, **nb::borrow<nb::kwargs>(kwargs));
    } catch (nb::python_error& error) {
      if (!declines(error)) throw;
    }
  }
  return call_numpy(module + "." + name, function, args, kwargs);
}

/// The arguments of a ufunc's call that functions of ours take; false if there are others.
bool read_ufunc_arguments(const nb::kwargs& kwargs, bool is_operation, nb::kwargs& rest, nb::object& numpys) {
  for (auto [key, value] : kwargs) {
    const std::string k = nb::cast<std::string>(key);
    if (k == "out") {
      const nb::tuple outs = nb::borrow<nb::tuple>(value);
      if (outs.size() != 1) return false;
      if (nb::isinstance<Array>(outs[0]))
        rest["out"] = outs[0];
      else
        numpys = outs[0];
    } else if (k == "dtype" || k == "where" || (is_operation && (k == "casting" || k == "order"))) {
      rest[key] = value;
    } else if (k != "order" && k != "subok" && !(k == "casting" && value.equal(nb::str("same_kind")))) {
      return false;
    }
  }
  return !(numpys.is_valid() && (rest.contains("where") || rest.contains("casting")));
}

nb::object reshaped(nb::handle object, int64_t n_more) {
  const Array x = array_from(object, is_array(object) ? array_of(object)->device() : default_device());
  Shape shape = x.shape();
  for (int64_t i = 0; i < n_more; ++i) shape.push_back(1);
  return object_of(reshape(x, shape));
}

/// What we have for a ufunc: nothing where the name says nothing.
struct OursOfUfunc {
  explicit OursOfUfunc(nb::handle ufunc) : name(nb::cast<std::string>(ufunc.attr("__name__"))), op(op_from_name(name)) {
    const nb::object core = nb::module_::import_("kasoku._core");
    const auto found = [&](std::string_view one) { return nb::getattr(core, std::string(one).c_str(), nb::handle()); };
    call = found(name);
    at = found(name + "_at");
    if (op) operation = call;
    for (const ReductionInfo& row : reduction_table)
      if (op && row.join == *op && !row.keeps_position() && !reduce.is_valid()) reduce = found(row.name);
    for (const ScanInfo& row : scan_table)
      if (op && row.join == *op && row.takes == ReductionInfo::all && !accumulate.is_valid()) accumulate = found(row.name);
  }

  const std::string name;
  const std::optional<Op> op;
  nb::object call, operation, reduce, accumulate, at;
};

const OursOfUfunc& ours_of(nb::handle ufunc) {
  static auto& known = *new std::map<PyObject*, OursOfUfunc>;  // with a share in each, a program's own may go
  const auto found = known.find(ufunc.ptr());
  if (found != known.end()) return found->second;
  ufunc.inc_ref();
  return known.emplace(ufunc.ptr(), OursOfUfunc(ufunc)).first->second;
}

/// A ufunc on our arrays: the operation, reduction or scan of its name, on their device.
nb::object array_ufunc(nb::handle ufunc, nb::handle method, const nb::args& inputs, const nb::kwargs& kwargs) {
  const OursOfUfunc& its = ours_of(ufunc);
  const auto is_method = [&](const char* one) { return PyUnicode_CompareWithASCIIString(method.ptr(), one) == 0; };
  const bool is_call = is_method("__call__");
  const auto numpys = [&] {
    const auto how = nb::cast<std::string>(method);
    return is_call ? call_numpy("numpy." + its.name, ufunc, inputs, kwargs) : call_numpy("numpy." + its.name + "." + how, ufunc.attr(how.c_str()), inputs, kwargs);
  };
  const auto ours = [&](const nb::object& function, const nb::args& operands, const nb::kwargs& rest) -> nb::object {
    if (PyObject* const result = PyObject_Call(function.ptr(), operands.ptr(), rest.ptr())) return nb::steal(result);
    nb::python_error error;
    if (!declines(error)) throw error;
    return numpys();
  };
  for (nb::handle one : inputs)
    if (is_numpys_alone(one)) return numpys();
  if (is_call && its.operation.is_valid() && kwargs.size() == 0) return ours(its.operation, inputs, kwargs);
  if (is_call) {
    nb::kwargs rest;
    nb::object into;
    if (its.name == "divmod" && kwargs.size() == 0) {
      const nb::object core = nb::module_::import_("kasoku._core");
      return nb::make_tuple(core.attr("floor_divide")(*inputs), core.attr("remainder")(*inputs));
    }
    if (!its.call.is_valid() || !read_ufunc_arguments(kwargs, its.operation.is_valid(), rest, into)) return numpys();
    nb::object result = ours(its.call, inputs, rest);
    if (!into.is_valid()) return result;
    numpy().attr("copyto")(into, nb::isinstance<Array>(result) ? to_numpy(nb::cast<Array&>(result)) : result,
                           "casting"_a = "same_kind");
    return into;
  }
  if (is_method("outer") && its.op && inputs.size() == 2) {
    const nb::object right = reshaped(inputs[1], 0);
    nb::kwargs rest;
    nb::object into;
    if (read_ufunc_arguments(kwargs, true, rest, into) && !into.is_valid())
      return ours(its.call, nb::borrow<nb::args>(nb::make_tuple(reshaped(inputs[0], array_of(right)->ndim()), right)),
                  rest);
  }
  const nb::object& joined = is_method("reduce") ? its.reduce : is_method("accumulate") ? its.accumulate : nb::object();
  const bool is_into_numpys = kwargs.contains("out") && !nb::isinstance<Array>(nb::borrow<nb::tuple>(kwargs["out"])[0]);
  if (joined.is_valid() && !is_into_numpys) {
    nb::kwargs rest = nb::borrow<nb::kwargs>(kwargs.attr("copy")());
    if (!rest.contains("axis") && inputs.size() < 2) rest["axis"] = 0;
    return ours(joined, inputs, rest);
  }
  if (is_method("at") && inputs.size() == 3 && nb::isinstance<Array>(inputs[0]) && its.at.is_valid()) {
    PyObject* const result = PyObject_Call(its.at.ptr(), inputs.ptr(), nullptr);
    if (result || !PyErr_ExceptionMatches(PyExc_TypeError))
      return result ? nb::steal(result) : throw nb::python_error();
    PyErr_Clear();  // of another dtype than the array's, which NumPy casts back
    return numpys();
  }
  // Where NumPy would have to be sent the elements; on the host its loop is at hand.
  if (its.operation.is_valid() && !is_into_numpys && inputs.size() > 0 && is_array(inputs[0]) &&
      !array_of(inputs[0])->device().is_host()) {
    nb::kwargs rest = nb::borrow<nb::kwargs>(kwargs.attr("copy")());
    if (rest.contains("out")) rest["out"] = nb::borrow<nb::tuple>(rest["out"])[0];
    return ours(its.operation.attr(method), inputs, rest);
  }
  return numpys();
}

/// NumPy calls it for a number of its own beside an array of ours as well: most often there is nothing but operands.
PyObject* asked_by_ufunc(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  std::optional<InFace> scope;
  if (is_of_face(self)) scope.emplace();
  return guarded([=] {
    if (n < 2) throw nb::type_error("__array_ufunc__ takes a ufunc and the name of its method");
    const nb::handle ufunc = args[0], method = args[1];
    const bool is_plain = !names && !std::any_of(args + 2, args + n, is_numpys_alone) &&
                          PyUnicode_Check(method.ptr()) &&
                          PyUnicode_CompareWithASCIIString(method.ptr(), "__call__") == 0;
    if (const OursOfUfunc& its = ours_of(ufunc); is_plain && its.operation.is_valid()) {
      const nb::handle operands[] = {args[2], args[n - 1]};
      if (nb::object result = n == 3 || n == 4 ? again(*its.op, {operands, static_cast<size_t>(n - 2)}) : nb::object(); result.is_valid()) return result.release().ptr();
      if (PyObject* const result = handed_on(its.operation.ptr(), args + 2, static_cast<size_t>(n - 2), nullptr)) return result;
      nb::python_error error;
      if (!declines(error)) throw error;
    }
    nb::list inputs;
    for (Py_ssize_t i = 2; i < n; ++i) inputs.append(nb::handle(args[i]));
    nb::dict named;
    for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); ++i) named[nb::handle(PyTuple_GetItem(names, i))] = nb::handle(args[n + i]);
    return array_ufunc(ufunc, method, nb::borrow<nb::args>(nb::tuple(inputs)), nb::borrow<nb::kwargs>(named)).release().ptr();
  });
}

nb::dict numpy_calls() {
  nb::dict calls;
  for (const auto& [name, one] : calls_of_numpy())
    calls[name.c_str()] = nb::make_tuple(one.count, one.bytes_read, one.bytes_made, one.bytes_moved);
  return calls;
}

nb::object through_numpy(const std::string& name, nb::handle function, nb::handle args, nb::handle kwargs,
                         bool keeps_numbers) {
  Shown shown(name, keeps_numbers);
  const nb::object with = shown.show(args), named = shown.show(kwargs);
  const nb::object result = function(*nb::borrow<nb::tuple>(with), **nb::borrow<nb::kwargs>(named));
  const std::string last = name.substr(name.rfind('.') + 1);
  if ((writes_first(last) || last == "at") && PyTuple_Size(with.ptr()) > 0) shown.give_back(with[0]);
  if (PyDict_GetItemString(named.ptr(), "out")) shown.give_back(named["out"]);
  return shown.take(result);
}

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
  bool is_ufunc = is_instance(numpys, "ufunc"), writes_first = kasoku::writes_first(last), moves_elements = kasoku::moves_elements(last);
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
                                         : Shown(f.name, true, f.ours.is_valid()).take(result);
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

nb::object make_numpy_function(const std::string& name, nb::object numpys, nb::handle ours, bool makes_arrays, int64_t least) {
  auto* const object = PyObject_New(NumpyFunctionObject, numpy_function_type());
  if (!object) throw nb::python_error();
  object->vectorcall = call_object;
  object->dict = object->weak = nullptr;
  object->function = new NumpyFunction{name, std::move(numpys), ours.is_none() ? nb::object() : nb::borrow(ours), makes_arrays, least};
  return nb::steal(reinterpret_cast<PyObject*>(object));
}

}  // namespace

nb::object call_numpy(const std::string& name, nb::handle function, nb::handle args, nb::handle kwargs) {
  return through_numpy(name, function, args, kwargs, false);
}

bool moves_elements(std::string_view name) {
  static constexpr std::string_view movers[] = {"array", "asarray", "asanyarray", "astype", "broadcast_to", "copy", "empty", "empty_like", "full", "full_like", "imag", "ones", "ones_like", "real", "reshape", "squeeze", "transpose", "view", "zeros", "zeros_like"};
  return std::ranges::find(movers, name) != std::end(movers);
}

nb::object as_numpys_method(nb::object result, nb::handle numpys, bool moves_elements, std::span<PyObject* const> args, PyObject* names) {
  const Array* const x = result.is_valid() ? array_of(result) : nullptr;
  if (result.is_valid() && (!x || x->ndim() > 0 || std::ranges::find(args, result.ptr()) != args.end())) return result;
  if (x) return number_or_array(std::move(result), moves_elements);
  nb::python_error error;
  if (!declines(error)) throw error;
  const auto [given, named] = tuple_and_dict(args, names);
  return through_numpy("numpy.ndarray." + nb::cast<std::string>(numpys.attr("__name__")), numpys, given, named, true);
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
  static PyMethodDef of_ufuncs = {"__array_ufunc__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(asked_by_ufunc)), fast_call | METH_KEYWORDS, "NumPy's protocol."};
  cls.attr("__array_ufunc__") = nb::steal(PyDescr_NewMethod(array_type(), &of_ufuncs));
  add_method(cls, "__array_function__", &array_function);
  m.def("_numpy_function", &make_numpy_function, "name"_a, "numpys"_a, "ours"_a.none(), "makes_arrays"_a, "least"_a = 0,
        "One of NumPy's functions for a program that is written for NumPy; ours where there is one, if `least` is given for so many elements.");
  m.def(
      "_call_numpy",
      [](const std::string& name, nb::handle function, nb::handle args, nb::handle kwargs) {
        return through_numpy(name, function, args, kwargs, true);
      },
      "name"_a, "function"_a, "args"_a, "kwargs"_a, "What NumPy's function gives for arguments that hold our arrays.");
  m.def("_numpy_calls", &numpy_calls,
        "What NumPy computed of our arrays, by name: calls, bytes that it read, that it made, that moved between "
        "devices for it.");
  m.def(
      "_is_any_array", [](nb::handle object) { return is_array(object) || is_instance(object, "ndarray"); }, "object"_a.none(),
      "Whether it is an array of ours or of NumPy's.");
  m.def(
      "_elements_are_numpys", [](bool value) { return std::exchange(gives_numpys_numbers, value); }, "value"_a,
      "Whether x[i] is a number of NumPy's, for the whole process; what it was.");
  m.def(
      "_numpy_tells_errors", [](bool value) { return std::exchange(tells_errors, value); }, "value"_a,
      "Whether NumPy computes, because it is to raise or tell floating-point errors; what it was.");
  m.def(
      "_numpy_may_move", [](bool value) { return std::exchange(may_move, value); }, "value"_a,
      "Whether arrays on a GPU go to the host for what only NumPy has; what it was.");
}

}  // namespace kasoku
