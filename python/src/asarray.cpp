/// \file asarray.cpp
/// What becomes an array: ks.array(), ks.asarray() and the class's constructor.
#include "arguments.h"
#include "array_object.h"
#include "arrow.h"
#include "foreign.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "memory_order.h"

#include <string>

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

}  // namespace

Array new_array(nb::handle object, nb::handle dtype) { return make_array(object, dtype, nb::none(), Copies::always); }

/// Undefined values, or elements over the memory of a buffer, as NumPy's own constructor lays them out.
Array constructed(nb::handle shape, nb::handle dtype, nb::handle buffer, nb::handle offset, nb::handle strides, nb::handle order, nb::handle device) {
  const bool is_plain = buffer.is_none() && strides.is_none() && (order.is_none() || nb::cast<std::string>(order) == "C");
  if (is_plain) return Array::empty(shape_from(shape), optional_dtype(dtype).value_or(Dtype::float64), device_from(device));
  const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
  const nb::object laid_out = numpy().attr("ndarray")(shape, numpy_dtype(wanted), buffer, offset, strides, order);
  return make_array(laid_out, nb::none(), device, Copies::if_needed);
}

void bind_asarray(nb::module_& m) {
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
}

}  // namespace kasoku
