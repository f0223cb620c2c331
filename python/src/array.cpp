/// \file array.cpp
/// ks.Array: what NumPy's ndarray has. Operators are slots made in ops.cpp, reductions in
/// reduce.cpp, the protocols of other libraries in interop.cpp.
#include "arguments.h"
#include "array_object.h"
#include "arrow.h"
#include "attribute.h"
#include "foreign.h"
#include "given.h"
#include "kasoku/array/basic_index.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/few_places.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/counters.h"
#include "kernel_call.h"
#include "memory_order.h"
#include "numpy_functions.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <variant>

namespace kasoku {

namespace {

using namespace nb::literals;

enum class Copies : uint8_t { always, if_needed, never };

Copies copies_from(nb::handle copy) {
  return copy.is_none() ? Copies::if_needed : nb::cast<bool>(copy) ? Copies::always : Copies::never;
}

/// copy=False where there has to be one, as the standard of array libraries names it.
void must_be_allowed(Copies copies, const char* why) {
  if (copies == Copies::never) throw Error(ErrorKind::value, "asarray: copy=False, but a copy is needed").why(why);
}

Array make_array(nb::handle object, nb::handle dtype, nb::handle device, Copies copies) {
  const std::optional<Dtype> wanted = optional_dtype(dtype);
  const bool copy_data = copies == Copies::always;
  if (is_array(object)) {
    Array moved;
    if (!device.is_none()) {
      Device& to = device_from(device);
      if (&to != &array_inside(object)->device()) must_be_allowed(copies, "the array is on another device");
      const Array given = *array_inside(object);  // another thread may put another in its place
      const GilReleased release;
      moved = to_device(given, to);
    }
    const Array& array = moved.is_null() ? *array_inside(object) : moved;
    if (wanted && *wanted != array.dtype()) {
      must_be_allowed(copies, "the array has another dtype");
      return astype(array, *wanted);
    }
    return copy_data ? copy(array) : array;
  }
  if ((nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object)) && nb::len(object) > 0 && is_array(object[0])) {
    must_be_allowed(copies, "a sequence of arrays is no memory that an array can show");
    const Array stacked = stack(arrays_from(object), 0);
    return wanted ? astype(stacked, *wanted) : stacked;
  }
  const bool has_protocols = !PyList_CheckExact(object.ptr()) && !PyTuple_CheckExact(object.ptr()) && !PyFloat_CheckExact(object.ptr()) && !PyLong_CheckExact(object.ptr());
  if (const std::optional<Array> column = has_protocols ? array_of_arrow(object) : std::nullopt)
    return make_array(nb::cast(*column), dtype, nb::cast(&device_from(device), nb::rv_policy::reference), copies);
  if (const std::optional<Array> shown = has_protocols ? foreign_array(object) : std::nullopt) return make_array(nb::cast(*shown), dtype, device, copies);
  Device& where = device_from(device);
  if (copies == Copies::never) {
    if (!where.is_host()) must_be_allowed(copies, "the values are on the host");
    if (!PyObject_CheckBuffer(object.ptr())) must_be_allowed(copies, "Python's numbers and sequences are no memory that an array can show");
    if (wanted && !nb::object(numpy().attr("asarray")(object).attr("dtype")).equal(numpy_dtype(*wanted))) must_be_allowed(copies, "the values have another dtype");
  }
  return import_host(object, wanted, where, copy_data);
}

/// Whether an array is what is asked for, None being anything.
bool fits(const Array& x, nb::handle dtype, nb::handle device, nb::handle order) {
  return (dtype.is_none() || dtype_from(dtype) == x.dtype()) &&
         (device.is_none() || &device_from(device) == &x.device()) &&
         (order.is_none() || lies_in_order(x, memory_order_from(order)));
}

/// make_array() with the elements as order= says. What lies by columns on the host goes to a device as it lies.
Array array_in_order(nb::handle object, nb::handle dtype, nb::handle device, char order, Copies copies) {
  if (order != 'C' && !is_array(object) && nb::isinstance(object, numpy().attr("ndarray")) &&
      nb::cast<bool>(object.attr("flags").attr("fnc")))
    return transpose(make_array(object.attr("T"), dtype, device, copies));
  const bool is_ours = is_array(object);
  const Array there = make_array(object, is_ours ? nb::none() : nb::borrow(dtype), device,
                                 copies == Copies::always ? Copies::if_needed : copies);
  // On the way to a device all is copied, by rows.
  const bool is_copied = is_ours ? &nb::cast<const Array&>(object).device() != &there.device() : !there.device().is_host();
  const Dtype wanted = is_ours ? optional_dtype(dtype).value_or(there.dtype()) : there.dtype();
  if (wanted == there.dtype() && lies_in_order(there, order) && (is_copied || copies != Copies::always)) return there;
  must_be_allowed(copies, "the elements have another dtype, or lie in another order");
  const GilUntilBlocked keep;
  return remade_in_order(there, order,
                         [&](const Array& rows) { return wanted == rows.dtype() ? copy(rows) : astype(rows, wanted); });
}

/// What Array(...) makes: undefined values, or elements over the memory of a buffer, as NumPy's own constructor lays them out.
Array constructed(nb::handle shape, nb::handle dtype, nb::handle buffer, nb::handle offset, nb::handle strides, nb::handle order, nb::handle device) {
  const bool is_plain = buffer.is_none() && strides.is_none() && (order.is_none() || nb::cast<std::string>(order) == "C");
  if (is_plain) return Array::empty(shape_from(shape), optional_dtype(dtype).value_or(Dtype::float64), device_from(device));
  const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
  const nb::object laid_out = numpy().attr("ndarray")(shape, numpy_dtype(wanted), buffer, offset, strides, order);
  return make_array(laid_out, nb::none(), device, Copies::if_needed);
}

/// The memory as elements of another dtype; of another size they must lie in a row.
Array viewed(const Array& x, Dtype dtype) {
  const auto size = static_cast<int64_t>(info(dtype).size), before = static_cast<int64_t>(x.itemsize());
  Shape shape = x.shape();
  Strides strides = x.strides();
  if (size != before) {
    if (shape.empty()) throw Error(ErrorKind::value, "Changing the dtype of a 0d array is only supported if the itemsize is unchanged");
    if (shape.back() != 1 && strides.back() != before) throw Error(ErrorKind::value, "To change to a dtype of a different size, the last axis must be contiguous");
    if (shape.back() * before % size != 0)
      throw Error(ErrorKind::value, "view: the last axis has " + std::to_string(shape.back() * before) + " bytes, which are no whole elements of " + std::string(info(dtype).name));
    shape.back() = shape.back() * before / size;
    strides.back() = size;
  }
  const Array seen = Array::view(x.buffer(), x.offset(), shape, strides, dtype);
  return x.is_read_only() ? seen.read_only() : seen;
}

bool truth(const Array& x) {
  if (x.size() > 1)
    throw Error(ErrorKind::value, "The truth value of an array with more than one element is ambiguous").fix("x.any() or x.all()");
  if (x.size() == 0) throw Error(ErrorKind::value, "The truth value of an empty array is ambiguous").fix("x.size > 0");
  return nb::cast<bool>(nb::bool_(item_of(x)));
}

/// For int() and the like.
nb::object as_number(const Array& x) {
  if (x.size() != 1) throw Error(ErrorKind::type, "only arrays of one element can be converted to Python scalars").why("this one has shape " + str(x.shape()));
  return item_of(x);
}

nb::object printed(const Array& x) {
  const CopyScope reason(CopyReason::print);
  return to_numpy(x);
}

/// Whether repr() names the device. NumPy, whose arrays are of this class for some programs, has no such word.
std::atomic<bool> devices_are_shown{true};

/// NumPy's text, with the device where it is no CPU.
nb::str text_of(const Array& x) {
  nb::str text(nb::repr(printed(x)));
  if (x.device().is_host() || !devices_are_shown || InFace::is_in()) return text;
  std::string shown = text.c_str();
  shown.insert(shown.rfind(')'), ", device='" + x.device().str() + "'");
  return nb::str(shown.c_str());
}

nb::object index_of(const Array& x) {
  if (!is_integer(x.dtype()) || x.ndim() != 0) throw Error(ErrorKind::type, "only integer scalar arrays can be converted to a scalar index");
  return item_of(x);
}

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
std::optional<Operand> stored_value(nb::handle value, const Array& x) {
  try {
    return value_from(value, x);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::type || !elements_are_numpys()) throw;
    return std::nullopt;
  }
}

void set(nb::handle self, nb::handle key, nb::handle value) {
  const Array& x = *array_of(self);
  const std::vector<Index> index = index_from(key, x.device());
  const std::optional<Operand> given = stored_value(value, x);
  if (!given) {
    call_numpy("numpy.ndarray.__setitem__", nb::module_::import_("operator").attr("setitem"),
               nb::make_tuple(self, key, value), nb::dict());
    return;
  }
  const Operand& operand = *given;
  if (operand.weak != Weak::none) must_fit(operand.scalar, x.dtype());
  with_index(index, [&] { set_item(x, index, operand.array ? *operand.array : full({}, operand.scalar, x.dtype(), x.device())); });
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

/// What loops over an array ask for, one after the other until there is none.
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

/// What loops over an array: each row is what it is when it is asked for. Python's own iterator of sequences would learn from an
/// error that there are no more, whose text takes longer than a few rows.
struct Rows {
  PyObject base;
  PyObject* array;  ///< null when all rows were given
  Py_ssize_t next;
  PyObject* numbers[2];  ///< NumPy's, the last ones: when one is asked for, a loop has the last and is done with the one before

  static Rows& of(PyObject* self) { return *reinterpret_cast<Rows*>(self); }
  Py_ssize_t left() const { return array ? std::max<Py_ssize_t>(array_inside(array)->state().view.shape[0] - next, 0) : 0; }

  static PyObject* give(PyObject* self) {
    Rows& rows = of(self);
    if (rows.left() > 0) {
      const Py_ssize_t at = rows.next++;
      if (!elements_are_numpys()) return subscript_by_number(rows.array, at);
      PyObject*& before = rows.numbers[at % 2];
      const Array& x = *array_inside(rows.array);
      if (before && is_read_again(before, x, at)) return Py_NewRef(before);
      PyObject* const row = subscript_by_number(rows.array, at);
      if (x.state().view.shape.size() == 1) Py_XDECREF(std::exchange(before, Py_XNewRef(row)));
      return row;
    }
    Py_CLEAR(rows.array);
    return nullptr;
  }
  /// Whether a number that nobody has any more is now the one at that place: to make an object takes most of the time of a read.
  static bool is_read_again(PyObject* object, const Array& x, int64_t at) {
    if (Py_REFCNT(object) != 1 || InFace::is_in()) return false;
    const Array::State& of = x.state();
    const HeldElement element(x, {&at, 1});
    if (!element) return false;
    const void* const number = of.dtype == Dtype::bool_ ? nullptr : memory_of_number(object, of.dtype);
    if (number) std::memcpy(const_cast<void*>(number), element.memory(), of.itemsize);
    return number;
  }
  static int traverse(PyObject* self, visitproc visit, void* arg) {
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(of(self).array);
    for (PyObject* number : of(self).numbers) Py_VISIT(number);
    return 0;
  }
  static void destroy(PyObject* self) {
    PyTypeObject* const type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_CLEAR(of(self).array);
    for (PyObject*& number : of(self).numbers) Py_CLEAR(number);
    PyObject_GC_Del(self);
    Py_DECREF(type);
  }
  static PyObject* hint(PyObject* self, PyObject*) { return PyLong_FromSsize_t(of(self).left()); }
  static PyTypeObject* make_type() {
    static PyMethodDef methods[] = {{"__length_hint__", hint, METH_NOARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
    PyType_Slot slots[] = {{Py_tp_iter, reinterpret_cast<void*>(PyObject_SelfIter)}, {Py_tp_iternext, reinterpret_cast<void*>(give)},
                           {Py_tp_traverse, reinterpret_cast<void*>(traverse)},      {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
                           {Py_tp_methods, methods},                                 {0, nullptr}};
    PyType_Spec spec = {"kasoku._core._Rows", sizeof(Rows), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
    auto* const type = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
    if (!type) throw nb::python_error();
    return type;
  }
};

PyObject* rows_of(PyObject* self) {
  return guarded([=] {
    const Array& x = *array_inside(self);
    if (x.ndim() == 0) throw Error(ErrorKind::type, "iteration over a 0-d array");
    if (x.device().is_host() && !Recorder::current() && x.is_pending()) {  // once, and not a part of it for each row
      const GilUntilBlocked keep;
      x.buffer();
    }
    static PyTypeObject* const type = Rows::make_type();
    Rows* const rows = PyObject_GC_New(Rows, type);
    if (!rows) throw nb::python_error();
    rows->array = Py_NewRef(self);
    rows->next = 0;
    std::ranges::fill(rows->numbers, nullptr);
    PyObject_GC_Track(rows);
    return reinterpret_cast<PyObject*>(rows);
  });
}

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

Py_ssize_t length(PyObject* self) {
  const Shape& shape = array_inside(self)->state().view.shape;
  if (!shape.empty()) return shape[0];
  PyErr_SetString(PyExc_TypeError, "len() of unsized object");
  return -1;
}

/// The memory of a host, by NumPy's buffer over it; a request for another device's is refused.
int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  view->obj = nullptr;
  PyObject* const done = guarded([=]() -> PyObject* {
    const Array& x = *array_of(self);
    if (!x.device().is_host())  // as of an object without buffers: who asks looks for another way then
      throw nb::type_error(
          ("the array is on " + x.device().str() + ", no buffer shows it; x.numpy() copies it to the host").c_str());
    if (info(x.dtype()).code.empty())
      throw nb::buffer_error("Python's buffers have no format for this dtype; x.astype('float32') has one");
    return PyObject_GetBuffer(numpy_view(x).ptr(), view, flags) == 0 ? nb::none().release().ptr() : nullptr;
  });
  Py_XDECREF(done);
  return done ? 0 : -1;
}

/// The type's slots for numbers: of one that was read from an array at once.
PyObject* number_slot(PyObject* self, nb::object (*whole)(const Array&)) {
  return guarded([=] { return whole(*array_of(self)).release().ptr(); });
}

int as_truth(PyObject* self) {
  const std::optional<Scalar>& number = array_of(self)->state().number;
  if (number) return number->as_bool();
  PyObject* const answer = number_slot(self, [](const Array& x) -> nb::object { return nb::bool_(truth(x)); });
  if (!answer) return -1;
  Py_DECREF(answer);
  return answer == Py_True;
}

PyObject* as_int(PyObject* self) {
  const std::optional<Scalar>& number = array_of(self)->state().number;
  if (number && number->kind == DtypeKind::signed_) return PyLong_FromLongLong(number->i);
  if (number && number->kind == DtypeKind::floating) return PyLong_FromDouble(number->f);
  return number_slot(self, [](const Array& x) { return nb::object(nb::int_(as_number(x))); });
}

PyObject* as_float(PyObject* self) {
  const std::optional<Scalar>& number = array_of(self)->state().number;
  if (number && number->kind != DtypeKind::complex_) return PyFloat_FromDouble(number->as_double());
  return number_slot(self, [](const Array& x) { return nb::object(nb::float_(as_number(x))); });
}

PyObject* as_index(PyObject* self) {
  const std::optional<Scalar>& number = array_of(self)->state().number;
  if (number && number->kind == DtypeKind::signed_) return PyLong_FromLongLong(number->i);
  return number_slot(self, index_of);
}

std::vector<PyType_Slot> slots() {
  std::vector<PyType_Slot> all = operator_slots();
  const auto add = [&](int id, auto* function) { all.push_back({id, reinterpret_cast<void*>(function)}); };
  add(Py_nb_bool, as_truth);
  add(Py_nb_int, as_int);
  add(Py_nb_float, as_float);
  add(Py_nb_index, as_index);
  add(Py_mp_subscript, subscript);
  add(Py_mp_ass_subscript, assign_subscript);
  add(Py_mp_length, length);
  add(Py_sq_length, length);
  add(Py_sq_item, subscript_by_number);
  add(Py_tp_iter, rows_of);
  add(Py_bf_getbuffer, get_buffer);
  all.push_back({0, nullptr});
  return all;
}

nb::object view(const Array& x, nb::handle dtype) {
  std::optional<Dtype> wanted;
  if (PyType_Check(dtype.ptr()) && dtype.equal(nb::handle(reinterpret_cast<PyObject*>(array_type())))) dtype = nb::none();  // the class, also by NumPy's name for it
  try {
    wanted = optional_dtype(dtype);
  } catch (const Error& error) {
    if (error.kind != ErrorKind::type || !x.device().is_host() || info(x.dtype()).code.empty()) throw;
    return numpy_view(x).attr("view")(dtype);
  }
  Array viewing = [&] {
    const GilReleased release;
    return viewed(x, wanted.value_or(x.dtype()));
  }();
  return object_of(std::move(viewing));
}

/// ks.round().
nb::object round_of(nb::handle object, int decimals, nb::handle out) {
  Array x = array_from(object, default_device());
  if (is_complex(x.dtype())) {  // as numbers of their own: divided by a complex unit they would be rounded once more
    const nb::object numbers = nb::cast(copy(expand_dims(x, {-1}))).attr("view")(std::string(info(real_part(x.dtype())).name));
    const nb::object whole = round_of(numbers, decimals, nb::none()).attr("view")(std::string(info(x.dtype()).name));
    return stored("round", reshape(nb::cast<Array&>(whole), x.shape()), out, nb::none(), "same_kind");
  }
  return stored("round", without_lock([&] { return rounded(x, decimals); }), out, nb::none(), "same_kind");
}

nb::object item(const Array& x, const nb::args& at) {
  if (at.size() == 0) return item_of(x);
  if (const ElementKey place(Entries(at.ptr()), x); place)
    if (nb::object number = item_at(x, place.places()); number.is_valid()) return number;
  if (at.size() > 1) return item_of(get(x, at));
  if (nb::isinstance<nb::tuple>(at[0])) return item_of(get(x, at[0]));
  return item_of(get(ravel(x), at[0]));
}

}  // namespace

Array rounded(const Array& x, int decimals) {
  if (x.dtype() == Dtype::bool_ && decimals == 0) return apply(Op::rint, {x});  // float16, as NumPy's
  if (!is_floating(x.dtype())) {
    if (x.dtype() == Dtype::bool_) throw Error(ErrorKind::type, "round of bools is to 0 decimals");
    if (decimals >= 0) return copy(x);  // what is written to the result is not in x
    const double unit = std::pow(10.0, -decimals);
    return astype(apply(Op::multiply, {apply(Op::rint, {apply(Op::divide, {astype(x, Dtype::float64), unit})}), unit}), x.dtype());
  }
  if (decimals == 0) return apply(Op::rint, {x});
  const double unit = std::pow(10.0, std::abs(decimals));
  if (decimals > 0) return apply(Op::divide, {apply(Op::rint, {apply(Op::multiply, {x, unit})}), unit});
  return apply(Op::multiply, {apply(Op::rint, {apply(Op::divide, {x, unit})}), unit});
}

Array new_array(nb::handle object, nb::handle dtype) { return make_array(object, dtype, nb::none(), Copies::always); }

nb::object item_by_key(const Array& x, nb::handle key) {
  const ElementKey place(Entries(key.ptr()), x);
  return place ? item_at(x, place.places()) : nb::object();
}

PyTypeObject* face_array_type = nullptr;
ptrdiff_t array_place = 0;

bool has_more(nb::handle array) {
  static const auto offset = [](const char* name) { return nb::cast<Py_ssize_t>(nb::handle(reinterpret_cast<PyObject*>(array_type())).attr(name)); };
  static const Py_ssize_t places[] = {offset("__dictoffset__"), offset("__weakrefoffset__")};
  return std::ranges::any_of(places, [&](Py_ssize_t at) { return at <= 0 || *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(array.ptr()) + at); });
}

bool& InFace::current() {
  static constinit thread_local bool is_in = false;
  return is_in;
}

void know_view(nb::handle result, nb::handle of, bool also_whole) {
  // The slot `_viewed` of the face's class, which lies behind what the engine's has.
  static const auto viewed = [](nb::handle array) -> PyObject*& {
    static const nb::handle engines(reinterpret_cast<PyObject*>(array_type()));
    static const Py_ssize_t at = nb::cast<Py_ssize_t>(engines.attr("__basicsize__"));
    return *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(array.ptr()) + at);
  };
  if (PyTuple_CheckExact(result.ptr()) || PyList_CheckExact(result.ptr())) {
    for (const nb::handle part : result) {
      if (!is_of_face(part)) return;  // numbers may be many
      know_view(part, of, also_whole);
    }
    return;
  }
  const bool is_new = Py_REFCNT(result.ptr()) == 1;
  if (!is_new || !is_of_face(result) || !is_of_face(of) || viewed(result)) return;
  const Array::State &made = array_inside(result)->state(), &given = array_inside(of)->state();
  if (made.number || given.number || made.current() != given.current()) return;
  if (!also_whole && made.view == given.view && made.dtype == given.dtype) return;
  viewed(result) = Py_NewRef(viewed(of) ? viewed(of) : of.ptr());
}

PyObject* as_derived(nb::handle x, nb::handle y, PyObject* result) {
  const nb::object given = nb::steal(result);
  const nb::handle like = is_of_face(x) && Py_TYPE(x.ptr()) != face_array_type ? x : y;
  return guarded([&] { return nb::object(like.attr("_of_my_class")(given)).release().ptr(); });
}

nb::object object_of(Array&& array) {
  nb::object object = nb::inst_alloc(reinterpret_cast<PyObject*>(InFace::is_in() ? face_array_type : array_type()));
  new (array_inside(object)) Array(std::move(array));
  nb::inst_mark_ready(object);
  return object;
}

/// array[...] = values.
static void set_all(const nb::object& array, nb::handle values) {
  if (PyObject_SetItem(array.ptr(), Py_Ellipsis, values.ptr()) < 0) throw nb::python_error();
}

void bind_array(nb::module_& m) {
  const auto conjugated = [m](nb::object self) { return is_complex(array_of(self)->dtype()) ? nb::object(m.attr("conjugate")(self)) : self; };
  m.attr("_Attribute") = attribute_type();
  std::vector<PyType_Slot> all_slots = slots();
  nb::class_<Array> cls(m, "Array", nb::type_slots(all_slots.data()), nb::dynamic_attr(), nb::is_weak_referenceable(),
                    nb::pooled(4096), R"(An n-dimensional array on a device, with NumPy's semantics.

Made by ks.array(), ks.asarray(), ks.zeros() and their like. Operations on many elements are pending until somebody
reads the values, so that several become one kernel. Its constructor takes numpy.ndarray's arguments and device=.

>>> x = ks.array([[1, 2], [3, 4]])
>>> (x + x.T).sum(axis=0)
array([ 7, 13]))");
  cls.def(
          "__init__",
          [](Array* self, nb::handle shape, nb::handle dtype, nb::handle buffer, nb::handle offset, nb::handle strides,
             nb::handle order, nb::handle device) {
            new (self) Array(constructed(shape, dtype, buffer, offset, strides, order, device));
          },
          "shape"_a, "dtype"_a = nb::none(), "buffer"_a = nb::none(), "offset"_a = 0, "strides"_a = nb::none(),
          "order"_a = nb::none(), nb::kw_only(), "device"_a = nb::none(),
          "An array whose values are not defined, or one that on a cpu shows the memory of a buffer.");
  attribute<[](const Array& x) { return tuple_from(x.shape()); }>(
      cls, "shape",
      [](Array& x, nb::handle shape) {
        if (x.ndim() == 0 && x.is_read_only())
          throw Error(ErrorKind::value, "the shape of an element cannot be set").fix("x = x.reshape(shape)");
        const Array reshaped = reshape(x, shape_from(shape));
        if (!x.is_pending() && reshaped.state().current() != x.state().current())
          throw Error(ErrorKind::value, "the shape of an array whose elements do not lie so cannot be set")
              .fix("x = x.reshape(shape)");
        x = reshaped;
      },
      "The lengths of the axes, a tuple; may be set where no element has to move for it.");
  attribute<[](const Array& x) { return tuple_from(x.strides()); }>(cls, "strides", "Bytes from an element to the next one along each axis, a tuple.");
  attribute<[](const Array& x) { return x.state().view.shape.size(); }>(cls, "ndim", "How many axes there are.");
  attribute<&Array::size>(cls, "size", "How many elements there are.");
  attribute<&Array::itemsize>(cls, "itemsize", "Bytes of an element.");
  attribute<&Array::nbytes>(cls, "nbytes", "Bytes of all elements.");
  attribute<[](const Array& x) { return numpy_dtype(x.state().dtype); }>(cls, "dtype", "The dtype of the elements, a numpy.dtype.");
  attribute<[](const Array& x) { return nb::cast(&x.device(), nb::rv_policy::reference); }>(cls, "device", "Where the elements lie, a Device.");
  attribute<[](const Array& x) { return transpose(x); }>(cls, "T", "A view with the axes reversed.");
  attribute<[](const Array& x) { return swapaxes(x, -1, -2); }>(cls, "mT", "A view with the last two axes swapped.");
  attribute<[](nb::object self) -> nb::object {
    const Array& x = *array_of(self);
    if (!is_complex(x.dtype())) return self;
    const auto parts = [&] {
      const GilReleased release;
      return real(x);
    };
    return nb::cast(parts());
  }>(cls, "real", [](nb::handle self, nb::handle values) { set_all(self.attr("real"), values); }, "The array, or a view of the real parts of a complex one.");
  cls.def_prop_rw(
         "imag",
         [](const Array& x) {
           const GilReleased release;
           return imaginary(x);
         },
         [](nb::handle self, nb::handle values) {
           if (!is_complex(array_of(self)->dtype()))
             throw Error(ErrorKind::type, "only complex arrays have imaginary parts that can be set")
                 .fix("x = x + 1j * values");
           set_all(self.attr("imag"), values);
         },
         "A view of the imaginary parts of a complex array; zeros of any other.")
      .def_prop_ro("is_pending", &Array::is_pending, "Whether the values are still to be computed.")
      .def_prop_ro(
          "ptr",
          [](const Array& x) {
            const GilReleased release;
            void* const first = x.data();
            x.buffer()->is_shared = true;  // whoever has the address may write there
            return reinterpret_cast<uintptr_t>(first);
          },
          "Address of the first element, which stays: the memory counts as shared from then on.")
      .def("numpy", &to_numpy, "The values in a new NumPy array.")
      .def("to_numpy", &to_numpy,
           "The values in a new NumPy array; plotting libraries and those of tables ask for it by this name.")
      .def("get", &to_numpy, "The values in a new NumPy array.")
      .def("item", &item, "The only element, or the one at a position, as a Python number.")
      .def("tolist", &list_of, "The values as nested Python lists.")
      .def(
          "tobytes", [](const Array& x, nb::handle order) { return to_numpy(x).attr("tobytes")(order); },
          "order"_a.none() = "C", "The values as bytes, by rows or as NumPy's order= says.")
      .def(
          "copy",
          [m](nb::handle self, nb::handle order) -> nb::object {
            if (!is_rows(order)) return m.attr("copy")(self, order);
            const GilUntilBlocked keep;
            return nb::cast(copy(nb::cast<const Array&>(self)));
          },
          "order"_a.none() = "C", "A new array with the same values, by rows or as order= says.")
      .def(
          "astype",
          [](nb::handle self, nb::handle dtype, bool copy, nb::handle order, const std::string& casting,
             nb::handle) -> nb::object {
            const Array& x = nb::cast<const Array&>(self);
            const Dtype wanted = dtype_from(dtype);
            if (casting != "unsafe") must_cast("astype", x.dtype(), wanted, casting);
            const char by = memory_order_from(order);
            if (!copy && wanted == x.dtype() && (order.is_none() || lies_in_order(x, by))) return nb::borrow(self);
            const auto converted = [&] {
              const GilUntilBlocked keep;
              return by == 'C' ? astype(x, wanted)
                               : remade_in_order(x, by, [&](const Array& rows) { return astype(rows, wanted); });
            };
            return nb::cast(converted());
          },
          "dtype"_a, "copy"_a = true, nb::kw_only(), "order"_a = nb::none(), "casting"_a = "unsafe", "subok"_a = true,
          "The values in another dtype, by rows or as order= says; the array itself if it is so and copy is False. "
          "casting= says what may be "
          "cast: by a rule stricter than \"unsafe\" the rest is a TypeError.")
      .def(
          "to_device",
          [](const Array& x, nb::handle device, nb::handle) {
            Device& to = device_from(device);
            const GilReleased release;
            return to_device(x, to);
          },
          "device"_a, "stream"_a = nb::none(),
          "The array on a device; itself if it is there. The copy is in the order of the current streams; stream= is "
          "there for the array API.")
      .def(
          "eval",
          [](nb::object self) {
            const Array& x = nb::cast<Array&>(self);
            if (x.is_pending()) {
              const GilReleased release;
              x.buffer();
            }
            return self;
          },
          "Computes the values if they are pending.")
      .def(
          "reshape",
          [m](nb::object self, nb::args shape, nb::object order, nb::object copies) -> nb::object {
            const Shape wanted = shape_from_args(shape);
            if (copies.is_none() && is_rows(order)) return nb::cast(reshape(nb::cast<const Array&>(self), wanted));
            return m.attr("reshape")(self, tuple_from(wanted), "order"_a = order, "copy"_a = copies);
          },
          "shape"_a, "order"_a = "C", "copy"_a = nb::none(),
          "The same values under another shape, in C order or, with order='F', columns first; one length may be -1.")
      .def(
          "ravel",
          [m](nb::object self, nb::object order) -> nb::object {
            return is_rows(order) ? nb::cast(ravel(nb::cast<const Array&>(self))) : m.attr("ravel")(self, order);
          },
          "order"_a = "C", "One axis: a view if the values lie in that order, else a copy.")
      .def(
          "flatten",
          [m](nb::object self, nb::object order) {
            const nb::object row = is_rows(order) ? nb::cast(ravel(nb::cast<const Array&>(self))) : nb::object(m.attr("ravel")(self, order));
            return copy(nb::cast<const Array&>(row));
          },
          "order"_a = "C", "One axis, always a copy.")
      .def(
          "transpose",
          [](const Array& x, nb::args axes) {
            if (axes.size() == 0 || axes[0].is_none()) return transpose(x);
            return transpose(x, shape_from_args(axes));
          },
          "A view with the axes in another order; reversed if none is given.")
      .def(
          "swapaxes", [](const Array& x, int64_t a, int64_t b) { return swapaxes(x, a, b); },
          "A view with two axes exchanged.")
      .def(
          "squeeze", [](const Array& x, nb::handle axis) { return squeeze(x, axes_from(axis)); }, "axis"_a = nb::none(),
          "A view without axes of length 1.")
      .def("view", &view, "dtype"_a = nb::none(),
           "The same memory under another dtype. Where its elements have another size, those of the last axis become "
           "more or fewer. Under a dtype or a class that only NumPy has, bytes of void or records, it is an array of "
           "NumPy's.")
      .def(
          "fill",
          [](const Array& x, nb::handle value) {
            if (!plain_number(value) && nb::cast<int64_t>(nb::getattr(value, "ndim", nb::int_(0))) > 0)
              throw Error(ErrorKind::value, "fill() takes one value, not an array with axes");
            const Scalar number = number_for(value, x.dtype());
            if (set_few(x, std::span<const BasicIndex>(), number)) return;
            const GilReleased release;
            x.assign(full(x.shape(), number, x.dtype(), x.device()));
          },
          "Sets every element to one value.")
      .def(
          "clip", [m](nb::object self, nb::handle low, nb::handle high) { return m.attr("clip")(self, low, high); },
          "min"_a = nb::none(), "max"_a = nb::none(), "Values held between two bounds.")
      .def("conjugate", conjugated, "Complex conjugates; the array itself if it is not complex.")
      .def("conj", conjugated, "Complex conjugates; the array itself if it is not complex.")
      .def(
          "round", [](nb::handle self, int decimals) { return round_of(self, decimals, nb::none()); }, "decimals"_a = 0,
          "Rounded to a number of decimals, halves to even.")
      .def(
          "__round__",
          [](nb::handle self, nb::handle n) { return round_of(self, n.is_none() ? 0 : nb::cast<int>(n), nb::none()); },
          "ndigits"_a = nb::none())
      .def("__contains__",
           [](const Array& x, nb::handle value) {
             std::optional<Operand> y = operand_from(value, x.device());
             if (!y) return false;
             return truth(reduce(ReduceOp::any, apply(Op::equal, {x, *y})));
           })
      .def("__trunc__", [](const Array& x) { return nb::object(nb::int_(as_number(x))); })
      .def("__complex__",
           [](const Array& x) {
             const Scalar s = scalar_from(as_number(x));
             return nb::steal(PyComplex_FromDoubles(s.as_double(), s.imaginary));
           })
      .def("__hash__",
           [](const Array& x) -> int64_t {  // of a value, which is what x[i] gives: equal numbers have equal ones
             if (x.ndim() > 0 || !x.is_read_only())
               throw Error(ErrorKind::type, "unhashable type: 'Array'").why("its elements can change");
             return PyObject_Hash(item_of(x).ptr());
           })
      .def("__copy__", [m](nb::handle self) { return nb::object(m.attr("copy")(self, "K")); })
      .def("__deepcopy__", [m](nb::handle self, nb::handle) { return nb::object(m.attr("copy")(self, "K")); })
      .def("__format__",
           [](const Array& x, nb::handle spec) {
             const CopyScope reason(CopyReason::print);
             nb::object value = x.ndim() == 0 ? item_of(x) : to_numpy(x);
             return value.attr("__format__")(spec);
           })
      .def("__repr__", &text_of)
      .def("__str__", [](const Array& x) { return nb::str(printed(x)); });
  m.def(
      "array",
      [](nb::handle x, nb::handle dtype, nb::handle device, nb::handle order, nb::handle copy, int64_t ndmin) {
        const Copies copies = copies_from(copy);
        const Array made = is_rows(order) && copies == Copies::always
                               ? make_array(x, dtype, device, copies)
                               : array_in_order(x, dtype, device, memory_order_from(order), copies);
        Extents first;
        for (int64_t i = 0; made.ndim() + i < ndmin; ++i) first.push_back(i);
        return first.empty() ? made : expand_dims(made, first);
      },
      "object"_a.none(), "dtype"_a = nb::none(), "device"_a = nb::none(), nb::kw_only(), "order"_a.none() = "C",
      "copy"_a.none() = true, "ndmin"_a = 0,
      R"(A new array with a copy of the values.

object is an array of any library, a number, or nested sequences of numbers of one length.
dtype= is the dtype of the elements, that of the values unless given; device= is a Device or its name, where the
values lie unless given. order= says how the elements lie: by rows ("C") or columns ("F"), or as those of
an array do ("A", "K"). copy=None copies only where that is needed, copy=False never, as asarray() has it. ndmin= is
the least number of axes, new ones first. Returns an Array. Rows of different lengths are a ValueError, texts and
objects a TypeError.

>>> ks.array([[1, 2], [3, 4]], dtype="float32")
array([[1., 2.],
       [3., 4.]], dtype=float32))");
  m.def(
      "asarray",
      [](nb::handle x, nb::handle dtype, nb::handle device, nb::handle copy, nb::handle order) -> nb::object {
        const Copies copies = copies_from(copy);
        if (is_array(x) && copies != Copies::always && fits(nb::cast<const Array&>(x), dtype, device, order))
          return nb::borrow(x);
        return nb::cast(order.is_none() ? make_array(x, dtype, device, copies)
                                        : array_in_order(x, dtype, device, memory_order_from(order), copies));
      },
      "object"_a.none(), "dtype"_a = nb::none(), "device"_a = nb::none(), nb::kw_only(), "copy"_a = nb::none(),
      "order"_a = nb::none(),
      R"(An array of the values, without a copy where that can be: on a CPU it shows a NumPy array's memory.

object, dtype=, device= and order= are those of array(). copy=True never shows that memory, copy=False shows it or
raises ValueError. Returns an Array: object itself if it is one that fits.

>>> import numpy as np
>>> x = np.zeros(2)
>>> y = ks.asarray(x)
>>> x[0] = 5
>>> y
array([5., 0.]))");
  const nb::object any = nb::inst_alloc(nb::type<Array>());
  array_place = reinterpret_cast<char*>(nb::inst_ptr<Array>(any)) - reinterpret_cast<char*>(any.ptr());
  m.def("_part", &get_part, "x"_a, "key"_a.none(), "x[key], where one element is a view as well.");
  m.def("_face_class", [](nb::handle cls) { face_array_type = reinterpret_cast<PyTypeObject*>(nb::borrow(cls).release().ptr()); }, "cls"_a, "The class of what functions in the face give (_in_face).");
  m.def("_become", [](nb::handle object, const Array& x) {
    new (array_inside(object)) Array(x);
    nb::inst_mark_ready(object);
  }, "object"_a, "x"_a, "What is allocated and nothing yet is the array x, as an object of its own class.");
  m.def("_devices_are_shown", [](bool value) { return devices_are_shown.exchange(value); }, "value"_a, "Whether repr() names devices, for the whole process; what it was.");
  m.def("_take", [](const Array& x, const Array& value) {
    const GilReleased release;
    const Array here = to_device(value, x.device());
    x.assign(here.dtype() == x.dtype() ? here : astype(here, x.dtype()));
  }, "x"_a, "value"_a, "Makes x's elements those of a value of its shape that nobody uses any more.");
  m.def("round", &round_of, "x"_a, "decimals"_a = 0, "out"_a = nb::none(),
R"(The elements rounded to a number of decimals, halves to even; negative decimals= round to tens and so on.

Computed as rint(x * 10**decimals) / 10**decimals, so a half that no float has exactly goes by the float there is.
Returns an array of the shape and dtype of x, or out= with the elements; integers stay what they are. Parts of complex numbers are rounded apart.

>>> ks.round([1.25, 2.55, -0.5], 1)
array([ 1.2,  2.6, -0.5]))");
  m.attr("ndarray") = m.attr("Array");  // its name in NumPy
  m.attr("around") = m.attr("round");
  m.attr("newaxis") = nb::none();
  m.attr("pi") = 3.141592653589793;
  m.attr("e") = 2.718281828459045;
  m.attr("inf") = std::numeric_limits<double>::infinity();
  m.attr("nan") = std::numeric_limits<double>::quiet_NaN();
  for (size_t i = 0; i < std::size(dtype_table); ++i) {
    const DtypeInfo& row = dtype_table[i];
    if (row.kind == DtypeKind::opaque) continue;
    const std::string name = row.kind == DtypeKind::boolean ? "bool_" : std::string(row.name);
    if (row.kind == DtypeKind::boolean) m.attr("bool") = numpy().attr("bool_");  // the standard's name
    m.attr(name.c_str()) = row.code.empty() ? nb::object(nb::str(row.name.data(), row.name.size())) : nb::object(numpy().attr(name.c_str()));
  }
}

}  // namespace kasoku
