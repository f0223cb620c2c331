/// \file subscript.cpp
/// x[key] and x[key] = value. Most keys are numbers and slices, of which few are read without a list of them; what else there is
/// goes by index_from().
#include "subscript.h"
#include "arguments.h"
#include "kasoku/array/basic_index.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/few_places.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "numpy_functions.h"
#include "to_python.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <type_traits>
#include <variant>

namespace kasoku {

namespace {

using namespace nb::literals;

/// Arrays as indices are much work, unless they are few and there; without them an index is little, and the lock is kept.
template <class F>
auto with_index(const std::vector<Index>& index, F&& f) {
  constexpr int64_t few = 1024;
  const auto is_much = [](const Index& x) {
    return x.kind == Index::array && (x.array_value->size() > few || !x.array_value->device().is_host() || x.array_value->is_pending());
  };
  if (std::ranges::any_of(index, is_much)) {
    const GilReleased release;
    return f();
  }
  const GilUntilBlocked keep;
  return f();
}

Array get_part(const Array& x, nb::handle key) {
  const std::vector<Index> index = index_from(key, x.device());
  return with_index(index, [&] { return get_view(x, index); });
}

/// Whether arrays choose together, among them numbers beside an array: then CuPy's results lie as NumPy's.
bool are_several_arrays(const std::vector<Index>& index) {
  int arrays = 0, numbers = 0;
  for (const Index& x : index) {
    numbers += x.kind == Index::number;
    if (x.kind == Index::array) arrays += x.array_value->dtype() == Dtype::bool_ ? x.array_value->ndim() : 1;
  }
  return arrays > 0 && arrays + numbers > 1;
}

Array get(const Array& x, nb::handle key) {
  const std::vector<Index> index = index_from(key, x.device());
  const bool is_view = InFace::is_in() && !are_several_arrays(index);
  return with_index(index, [&] { return is_view ? get_view(x, index) : get_item(x, index); });
}

/// What is stored at an index; nothing for what only NumPy makes numbers of, under `kasoku run --numpy`.
std::optional<Array> stored_value(nb::handle value, const Array& x) {
  try {
    return array_for(value, x);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::type || !elements_are_numpys()) throw;
    return std::nullopt;
  }
}

void set(nb::handle self, nb::handle key, nb::handle value) {
  const Array& x = *array_of(self);
  const std::vector<Index> index = index_from(key, x.device());
  const std::optional<Array> given = stored_value(value, x);
  if (!given) {
    call_numpy("numpy.ndarray.__setitem__", nb::module_::import_("operator").attr("setitem"),
               nb::make_tuple(self, key, value), nb::dict());
    return;
  }
  with_index(index, [&] { set_item(x, index, *given); });
}

/// An integer as a place; nothing for one that int64 does not hold, and for any other number.
std::optional<int64_t> place_of(const Scalar& number) {
  if (number.kind == DtypeKind::signed_) return number.i;
  return number.kind == DtypeKind::unsigned_ && number.i >= 0 ? std::optional(number.i) : std::nullopt;
}

/// An integer of Python's, of NumPy's, or of an integer array that was read; false for any other object.
bool get_place(PyObject* object, int64_t& place) {
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    place = PyLong_AsLongLongAndOverflow(object, &overflow);
    return !overflow;
  }
  if (PySlice_Check(object) || object == Py_None || object == Py_Ellipsis) return false;
  std::optional<int64_t> found;
  if (const Array* const array = array_of(object)) {
    const std::optional<Scalar>& number = array->state().number;
    if (number && is_integer(array->dtype())) found = place_of(*number);
  } else if (const std::optional<NumpysNumber> number = numpys_number(object)) {
    found = place_of(number->value);
  }
  place = found.value_or(0);
  return found.has_value();
}

/// The array that a key is, of positions or flags, or that a list of them becomes in `listed`; null for any other key, also for a number
/// that was read from an array.
const Array* places_of(PyObject* key, const Array& x, Array& listed) {
  const bool is_basic = PyLong_CheckExact(key) || PyTuple_CheckExact(key) || PySlice_Check(key) || key == Py_None;
  const Array* array = is_basic ? nullptr : array_of(key);
  if (!is_basic && PyList_CheckExact(key)) {
    listed = array_of_numbers(key, std::nullopt, x.device());
    if (!listed.is_null() && !is_floating(listed.dtype())) array = &listed;
  }
  return array && !array->state().view.shape.empty() ? array : nullptr;
}

/// The entries of a key, a tuple or a single one.
class Entries {
 public:
  static constexpr size_t most = 6;  // keys of more have all the time they want
  explicit Entries(PyObject* key)
      : key_(key), is_tuple_(PyTuple_CheckExact(key)), size_(is_tuple_ ? static_cast<size_t>(PyTuple_Size(key)) : 1) {}
  size_t size() const { return size_; }
  PyObject* operator[](size_t i) const { return is_tuple_ ? PyTuple_GetItem(key_, static_cast<Py_ssize_t>(i)) : key_; }

 private:
  PyObject* const key_;
  const bool is_tuple_;
  const size_t size_;
};

/// The numbers of a key that has one for each axis.
class ElementKey {
 public:
  ElementKey(const Entries& entries, const Array& x) {
    if (entries.size() > Entries::most || entries.size() != x.state().view.shape.size()) return;
    for (size_t i = 0; i < entries.size(); ++i)
      if (!get_place(entries[i], places_[i])) return;
    count_ = entries.size();
  }
  explicit operator bool() const { return count_ > 0; }
  std::span<const int64_t> places() const { return {places_, count_}; }

 private:
  int64_t places_[Entries::most];
  size_t count_ = 0;
};

/// The numbers, slices and Nones of a key that is nothing else: no list, no array but an element that was read.
class BasicKey {
 public:
  BasicKey(const Entries& entries, const Array& x) {
    if (entries.size() > Entries::most) return;
    size_t n = 0;
    for (size_t i = 0; i < entries.size(); ++i)
      if (entries[i] == Py_Ellipsis ? !fill(entries, i, x.state().view.shape.size(), n) : n == Entries::most || !read(entries[i], rooms_[n++].cut)) return;
    count_ = n;
  }
  explicit operator bool() const { return count_ > 0; }
  std::span<const BasicIndex> cuts() const { return {&rooms_[0].cut, count_}; }

 private:
  static bool read(PyObject* entry, BasicIndex& cut) {
    if (PySlice_Check(entry)) {
      Py_ssize_t start, stop, step;
      if (PySlice_Unpack(entry, &start, &stop, &step) != 0) throw nb::python_error();
      new (&cut) BasicIndex{.is_number = false, .start = start, .stop = stop, .step = step};
      return true;
    }
    if (entry == Py_None) {
      new (&cut) BasicIndex{.is_number = false, .is_new_axis = true};
      return true;
    }
    int64_t place;
    if (!get_place(entry, place)) return false;
    new (&cut) BasicIndex{.start = place};
    return true;
  }

  /// Whole axes for an ellipsis, which is the entry `at`, up to those that the ones behind it take.
  bool fill(const Entries& entries, size_t at, size_t ndim, size_t& n) {
    size_t others = 0;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (i != at && entries[i] == Py_Ellipsis) return false;
      others += i != at && entries[i] != Py_None;
    }
    if (others > ndim || n + ndim - others > Entries::most) return false;
    for (size_t k = others; k < ndim; ++k) new (&rooms_[n++].cut) BasicIndex{.is_number = false};
    return true;
  }

  union Room {
    Room() {}  // most keys need few of them
    BasicIndex cut;
  };
  static_assert(sizeof(Room) == sizeof(BasicIndex) && std::is_trivially_destructible_v<BasicIndex>);
  Room rooms_[Entries::most];
  size_t count_ = 0;
};

/// An element at hand; none if get() is to say what it is.
nb::object element_of(const Array& x, std::span<const int64_t> at) {
  if (InFace::is_in()) return {};
  const Dtype dtype = x.state().dtype;
  const bool is_numpys = elements_are_numpys() && !info(dtype).code.empty();
  if (const HeldElement element(x, at); element)
    return is_numpys ? as_numpys_number(element.memory(), dtype) : object_of(Value{Scalar::load(dtype, element.memory()), dtype, x.state().device});
  const std::optional<Value> element = get_element(x, at);
  return !element ? nb::object() : is_numpys ? numpy_number(element->array()) : object_of(*element);
}

}  // namespace

PyObject* subscript(PyObject* self, PyObject* key) {
  PyObject* const part = guarded_as(self, self, [=] {
    const Array& x = *array_of(self);
    Array listed;
    if (const Array* const places = places_of(key, x, listed))
      if (Array part = get_few(x, *places); !part.is_null()) return object_of(std::move(part)).release().ptr();
    const Entries entries(key);
    if (const ElementKey at(entries, x); at) {
      if (nb::object element = element_of(x, at.places()); element.is_valid()) return element.release().ptr();
    } else if (const BasicKey basic(entries, x); basic) {
      if (std::optional<View> part = cut(x.state().view, basic.cuts()))
        return settled_object_of(x.with_view(*part)).release().ptr();
    }
    nb::object part = settled_object_of(get(x, key));
    const Array* const value = elements_are_numpys() ? array_of(part) : nullptr;
    const bool is_number =
        value && value->ndim() == 0 && value->is_read_only() && !info(value->dtype()).code.empty();
    return (is_number ? numpy_number(*value) : part).release().ptr();
  });
  if (part && face_array_type) know_view(part, self, true);
  return part;
}

PyObject* subscript_by_number(PyObject* self, Py_ssize_t at) {
  return guarded_as(self, self, [=]() -> PyObject* {
    const Array& x = *array_inside(self);
    const Shape& shape = x.state().view.shape;
    if (shape.empty()) return subscript(self, nb::int_(at).ptr());
    const int64_t place = at, length = shape[0];
    if (place < 0 || place >= length) return PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis 0 with size %zd", at, static_cast<Py_ssize_t>(length));
    if (shape.size() == 1)
      if (nb::object element = element_of(x, {&place, 1}); element.is_valid()) return element.release().ptr();
    return subscript(self, nb::int_(at).ptr());
  });
}

namespace {

/// Whether a number of one dtype is stored in an element of the other by one conversion, which is as kernels have it.
bool is_stored_at_once(Dtype from, Dtype to) { return is_complex(from) == is_complex(to) && to != Dtype::opaque; }

/// The number that a value is for an array of this dtype; nothing for an array.
std::optional<Scalar> number_to_store(nb::handle value, Dtype dtype) {
  std::optional<Scalar> number = plain_number(value);
  if (number) {
    must_fit(*number, dtype);
  } else if (const Array* const array = array_of(value)) {
    if (is_stored_at_once(array->dtype(), dtype)) number = array->state().number;
  } else if (const std::optional<NumpysNumber> typed = numpys_number(value)) {
    if (is_stored_at_once(typed->dtype, dtype)) number = typed->value;
  } else if (PyBool_Check(value.ptr()) || PyComplex_CheckExact(value.ptr())) {
    if (is_stored_at_once(PyBool_Check(value.ptr()) ? Dtype::bool_ : Dtype::complex128, dtype)) number = scalar_from(value);
  }
  return number;
}

/// A number of Python's as the element that it is of the dtypes that Python's numbers have themselves; null for any other.
const void* plain_element(nb::handle value, Dtype dtype, std::variant<double, int64_t>& room) {
  if (PyFloat_CheckExact(value.ptr())) return dtype == Dtype::float64 ? &room.emplace<double>(PyFloat_AsDouble(value.ptr())) : nullptr;
  if (!PyLong_CheckExact(value.ptr()) || (dtype != Dtype::int64 && dtype != Dtype::float64)) return nullptr;
  int overflow = 0;
  const int64_t whole = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
  if (overflow) return nullptr;
  if (dtype == Dtype::int64) return &room.emplace<int64_t>(whole);
  return &room.emplace<double>(static_cast<double>(whole));
}

/// Whether the element, or the few elements, that the key names were written at once.
bool is_set_at_once(const Array& x, const ElementKey& at, nb::handle value) {
  if (!at || x.is_read_only()) return false;
  std::variant<double, int64_t> room;
  const void* const plain = plain_element(value, x.dtype(), room);
  if (const void* const element = plain ? plain : is_plain_array(value) ? nullptr : memory_of_number(value, x.dtype())) {
    const HeldElement place(x, at.places());
    char* const to = place.to_write();
    if (to) std::memcpy(to, element, x.itemsize());
    return to;
  }
  const std::optional<Scalar> number = number_to_store(value, x.dtype());
  return number && set_element(x, at.places(), *number);
}

bool is_set_at_once(const Array& x, const BasicKey& basic, nb::handle value) {
  if (!basic || x.is_read_only()) return false;
  if (const std::optional<Scalar> number = number_to_store(value, x.dtype())) return set_few(x, basic.cuts(), *number);
  if (const Array* const array = array_of(value)) return set_few(x, basic.cuts(), *array);
  const Array few = array_of_numbers(value, x.dtype() == Dtype::float64 ? std::optional(Dtype::float64) : std::nullopt, x.device());
  return !few.is_null() && few.dtype() == x.dtype() && set_few(x, basic.cuts(), few);
}

bool is_set_at_once(const Array& x, const Array& places, nb::handle value) {
  if (x.is_read_only()) return false;
  if (const Array* const array = array_of(value); array && !array->state().number) return set_few(x, places, *array);
  const std::optional<Scalar> number = number_to_store(value, x.dtype());
  return number && set_few(x, places, *number);
}

}  // namespace

int assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  PyObject* const done = guarded([=] {
    if (!value) throw Error(ErrorKind::type, "elements of an array cannot be deleted");
    const Array& x = *array_of(self);
    Array listed;
    if (const Array* const places = places_of(key, x, listed); places && is_set_at_once(x, *places, value)) return nb::none().release().ptr();
    const Entries entries(key);
    if (is_set_at_once(x, ElementKey(entries, x), value)) return nb::none().release().ptr();
    const BasicKey basic(entries, x);
    if (is_set_at_once(x, basic, value)) return nb::none().release().ptr();
    const Array* const array = basic ? array_of(value) : nullptr;
    std::optional<View> part = array ? cut(x.state().view, basic.cuts()) : std::nullopt;
    if (part) {
      const GilUntilBlocked keep;
      const Array into = x.with_view(*part);
      // What is pending in eager mode is its statement's alone; with one reference it is the one that is stored here.
      if (is_eager() && Py_REFCNT(value) == 1) set_view(into, std::move(*array_inside(value)));
      else set_view(into, *array);
    } else {
      set(self, key, value);
    }
    return nb::none().release().ptr();
  });
  Py_XDECREF(done);
  return done ? 0 : -1;
}

nb::object item(const Array& x, const nb::args& at) {
  if (at.size() == 0) return item_of(x);
  if (const ElementKey place(Entries(at.ptr()), x); place)
    if (nb::object number = item_at(x, place.places()); number.is_valid()) return number;
  if (at.size() > 1) return item_of(get(x, at));
  if (nb::isinstance<nb::tuple>(at[0])) return item_of(get(x, at[0]));
  return item_of(get(ravel(x), at[0]));
}

nb::object item_by_key(const Array& x, nb::handle key) {
  const ElementKey place(Entries(key.ptr()), x);
  return place ? item_at(x, place.places()) : nb::object();
}

void bind_subscript(nb::module_& m) {
  m.def("_part", &get_part, "x"_a, "key"_a.none(), "x[key], where one element is a view as well.");
}

}  // namespace kasoku
