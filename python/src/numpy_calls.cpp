/// \file numpy_calls.cpp
/// What NumPy computes of our arrays: it is shown their memory, its results become ours, and each call is counted.
#include "numpy_calls.h"

#include "arguments.h"
#include "array_object.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "numpy_functions.h"
#include "to_python.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace kasoku {

namespace {

using namespace nb::literals;

/// Whether what lies on a GPU may go to the host and back, because the program is written for NumPy and says so.
bool may_move = false;

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

bool is_one_of(std::string_view name, std::initializer_list<const char*> names) {
  return std::ranges::any_of(names, [&](const char* one) { return name == one; });
}

bool writes_first(std::string_view name) {
  return is_one_of(name, {"copyto", "put", "place", "putmask", "put_along_axis", "fill_diagonal", "__setitem__"});
}

nb::object taken(const std::string& name, bool is_ours, nb::handle result) { return Shown(name, true, is_ours).take(result); }

}  // namespace by_numpy

nb::object call_numpy(const std::string& name, nb::handle function, nb::handle args, nb::handle kwargs) {
  return by_numpy::through_numpy(name, function, args, kwargs, false);
}

void bind_numpy_calls(nb::module_& m) {
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
      "_numpy_may_move", [](bool value) { return std::exchange(may_move, value); }, "value"_a,
      "Whether arrays on a GPU go to the host for what only NumPy has; what it was.");
}

}  // namespace kasoku
