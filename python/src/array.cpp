/// \file array.cpp
/// ks.Array: what NumPy's ndarray has. What becomes one is in asarray.cpp, parts and elements in subscript.cpp. Operators are
/// slots made in ops.cpp, reductions in reduce.cpp, the protocols of other libraries in interop.cpp.
#include "arguments.h"
#include "array_object.h"
#include "attribute.h"
#include "given.h"
#include "kasoku/array/basic_index.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/counters.h"
#include "kernel_call.h"
#include "memory_order.h"
#include "subscript.h"
#include "to_python.h"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>

namespace kasoku {

namespace {

using namespace nb::literals;

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

/// What __init__ has not made yet has no elements: attributes and operators, which do not ask, find an array there. Its
/// share in that one array is never given back.
PyObject* new_unmade(PyTypeObject* type, PyObject*, PyObject*) {
  return guarded([=] {
    static const Array& nothing = *new Array(Array::empty({0}, Dtype::float64, device("cpu")));
    nb::object object = nb::inst_alloc(reinterpret_cast<PyObject*>(type));
    new (array_inside(object)) Array(nothing);
    return object.release().ptr();
  });
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
  add(Py_tp_new, new_unmade);
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

}  // namespace

ptrdiff_t array_place = 0;

bool has_more(nb::handle array) {
  static const auto offset = [](const char* name) { return nb::cast<Py_ssize_t>(nb::handle(reinterpret_cast<PyObject*>(array_type())).attr(name)); };
  static const Py_ssize_t places[] = {offset("__dictoffset__"), offset("__weakrefoffset__")};
  return std::ranges::any_of(places, [&](Py_ssize_t at) { return at <= 0 || *reinterpret_cast<PyObject**>(reinterpret_cast<char*>(array.ptr()) + at); });
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

static void bind_attributes(nb::class_<Array>& cls) {
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
          "Address of the first element, which stays: the memory counts as shared from then on.");
}

/// Copies of the values: elsewhere, in another dtype, as objects of Python or of NumPy.
static void bind_conversions(nb::class_<Array>& cls, nb::module_& m) {
  cls.def("numpy", &to_numpy, "The values in a new NumPy array.")
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
          "Computes the values if they are pending.");
}

/// The same elements under another shape.
static void bind_shapes(nb::class_<Array>& cls, nb::module_& m) {
  cls.def(
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
           "NumPy's.");
}

static void bind_values(nb::class_<Array>& cls, nb::module_& m) {
  const auto conjugated = [m](nb::object self) { return is_complex(array_of(self)->dtype()) ? nb::object(m.attr("conjugate")(self)) : self; };
  cls.def(
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
          "Rounded to a number of decimals, halves to even.");
}

/// What Python's own functions and statements ask an object for.
static void bind_protocols(nb::class_<Array>& cls, nb::module_& m) {
  cls.def(
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
}

/// What kasoku's Python asks for, and nobody else.
static void bind_inner_functions(nb::module_& m) {
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
}

static void bind_constants_and_dtypes(nb::module_& m) {
  m.attr("ndarray") = m.attr("Array");  // its name in NumPy
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

void bind_array(nb::module_& m) {
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
  bind_attributes(cls);
  bind_conversions(cls, m);
  bind_shapes(cls, m);
  bind_values(cls, m);
  bind_protocols(cls, m);
  const nb::object any = nb::inst_alloc(nb::type<Array>());
  array_place = reinterpret_cast<char*>(nb::inst_ptr<Array>(any)) - reinterpret_cast<char*>(any.ptr());
  bind_inner_functions(m);
  bind_constants_and_dtypes(m);
}

}  // namespace kasoku
