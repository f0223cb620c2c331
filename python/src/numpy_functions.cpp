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
#include "numpy_calls.h"
#include "to_python.h"
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
    if (is_plain_numpys(result) || (!keeps_numbers_ && by_numpy::is_instance(result, "generic"))) {
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
    if (!by_numpy::declines(error)) throw error;
    return numpys();
  };
  for (nb::handle one : inputs)
    if (by_numpy::is_numpys_alone(one)) return numpys();
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
    const bool is_plain = !names && !std::any_of(args + 2, args + n, by_numpy::is_numpys_alone) &&
                          PyUnicode_Check(method.ptr()) &&
                          PyUnicode_CompareWithASCIIString(method.ptr(), "__call__") == 0;
    if (const OursOfUfunc& its = ours_of(ufunc); is_plain && its.operation.is_valid()) {
      const nb::handle operands[] = {args[2], args[n - 1]};
      if (nb::object result = n == 3 || n == 4 ? again(*its.op, {operands, static_cast<size_t>(n - 2)}) : nb::object(); result.is_valid()) return result.release().ptr();
      if (PyObject* const result = handed_on(its.operation.ptr(), args + 2, static_cast<size_t>(n - 2), nullptr)) return result;
      nb::python_error error;
      if (!by_numpy::declines(error)) throw error;
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

}  // namespace

namespace by_numpy {

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

bool writes_first(std::string_view name) {
  return is_one_of(name, {"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "__setitem__"});
}

bool is_numpys_alone(nb::handle object) {
  if (is_array(object) || PyLong_CheckExact(object.ptr()) || PyFloat_CheckExact(object.ptr())) return false;
  return has_rules_of_its_own(object) || is_of_other_elements(object);
}

bool holds_what_is_numpys_alone(nb::handle object) { return holds(object, is_numpys_alone); }

nb::object taken(const std::string& name, bool is_ours, nb::handle result) { return Shown(name, true, is_ours).take(result); }

}  // namespace by_numpy

nb::object call_numpy(const std::string& name, nb::handle function, nb::handle args, nb::handle kwargs) {
  return by_numpy::through_numpy(name, function, args, kwargs, false);
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
  static PyMethodDef of_ufuncs = {"__array_ufunc__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(asked_by_ufunc)), fast_call | METH_KEYWORDS, "NumPy's protocol."};
  cls.attr("__array_ufunc__") = nb::steal(PyDescr_NewMethod(array_type(), &of_ufuncs));
  add_method(cls, "__array_function__", &array_function);
  m.def("_numpy_function", &by_numpy::make_numpy_function, "name"_a, "numpys"_a, "ours"_a.none(), "makes_arrays"_a, "least"_a = 0,
        "One of NumPy's functions for a program that is written for NumPy; ours where there is one, if `least` is given for so many elements.");
  m.def(
      "_call_numpy",
      [](const std::string& name, nb::handle function, nb::handle args, nb::handle kwargs) {
        return by_numpy::through_numpy(name, function, args, kwargs, true);
      },
      "name"_a, "function"_a, "args"_a, "kwargs"_a, "What NumPy's function gives for arguments that hold our arrays.");
  m.def("_numpy_calls", &numpy_calls,
        "What NumPy computed of our arrays, by name: calls, bytes that it read, that it made, that moved between "
        "devices for it.");
  m.def(
      "_is_any_array", [](nb::handle object) { return is_array(object) || by_numpy::is_instance(object, "ndarray"); }, "object"_a.none(),
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
