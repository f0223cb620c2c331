/// \file joins.cpp
/// Copies of arrays, and arrays put together.
#include "arguments.h"
#include "given.h"
#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/shape.h"
#include "kasoku/compile/backends.h"
#include "memory_order.h"

#include <algorithm>
#include <string>

namespace kasoku {

namespace {

using namespace nb::literals;

/// Shifts of any size: of what 64 bits do not hold, what is left by the number of elements, which every axis divides.
nb::object within(nb::handle shift, int64_t size) {
  if (PyTuple_CheckExact(shift.ptr()) || PyList_CheckExact(shift.ptr())) {
    nb::list all;
    for (const nb::handle each : shift) all.append(within(each, size));
    return all;
  }
  int overflow = 0;
  if (PyLong_CheckExact(shift.ptr())) PyLong_AsLongLongAndOverflow(shift.ptr(), &overflow);
  return overflow ? nb::object(nb::borrow(shift) % nb::int_(std::max(size, int64_t{1}))) : nb::borrow(shift);
}

}  // namespace

void bind_joins(nb::module_& m) {
  m.def(
      "copy",
      [](nb::handle object, nb::handle order) {
        const char by = memory_order_from(order);
        const Array x = array_from(object, default_device());
        return without_lock([&] { return copied_in_order(x, by); });
      },
      "x"_a, "order"_a.none() = "C",
      R"(A copy of an array in memory of its own.

order= says how it lies: by rows ("C") or columns ("F"), or as x does ("A", "K"). Returns an Array of the same shape, dtype and device.

>>> x = ks.arange(3)
>>> y = ks.copy(x)
>>> y[0] = 9
>>> x
array([0, 1, 2]))");
  m.def("roll", [](nb::handle x, nb::handle shift, nb::handle axis) {
    const Array array = array_from(x, default_device());
    const Shape shifts = shape_from(within(shift, array.size()));
    std::optional<Extents> axes;
    if (!axis.is_none()) axes = shape_from(axis);
    return without_lock_of(array.size(), [&] { return roll(array, shifts, axes); });
  }, "x"_a, "shift"_a, "axis"_a = nb::none(), R"(A copy with the elements moved along axes; what falls out at the end comes in at the start.

shift= is a number for axis=, or one for each of several axes; without axes the ravelled array is moved.
Returns an array of the shape and dtype of x. An axis that there is not raises AxisError.

>>> ks.roll([1, 2, 3, 4], 1)
array([4, 1, 2, 3]))");
  m.def("concatenate", [](nb::handle arrays, nb::handle axis, nb::handle out, nb::handle dtype, const std::string& casting) {
    const std::vector<Array> parts = arrays_from(arrays);
    const std::optional<int64_t> along = axis_from(axis);
    return stored("concatenate", without_lock([&] { return concatenate(parts, along); }), out, dtype, casting);
  }, "arrays"_a, "axis"_a.none() = 0, "out"_a = nb::none(), nb::kw_only(), "dtype"_a = nb::none(), "casting"_a = "same_kind", R"(The arrays one after the other along an axis that they have; with axis=None ravelled.

Returns a new array in their common dtype, or of dtype=, or out= with the elements; casting= says how these may be cast.
The other axes have the same lengths, else it is a ValueError, as is an empty list.

>>> ks.concatenate([[1, 2], [3]])
array([1, 2, 3]))");
  m.attr("concat") = m.attr("concatenate");
  m.def("stack", [](nb::handle arrays, int64_t axis, nb::handle out, nb::handle dtype, const std::string& casting) {
    const std::vector<Array> parts = arrays_from(arrays);
    return stored("stack", without_lock([&] { return stack(parts, axis); }), out, dtype, casting);
  }, "arrays"_a, "axis"_a = 0, "out"_a = nb::none(), nb::kw_only(), "dtype"_a = nb::none(), "casting"_a = "same_kind", R"(The arrays one after the other along a new axis.

Returns a new array in their common dtype, or of dtype=, with one axis more, or out= with the elements; casting= says how these
may be cast. Shapes that differ are a ValueError.

>>> ks.stack([[1, 2], [3, 4]], axis=1)
array([[1, 3],
       [2, 4]]))");
  constexpr std::pair<const char*, Stack> stacks[] = {{"_hstack", Stack::horizontal}, {"_vstack", Stack::vertical}, {"_dstack", Stack::deep}, {"_column_stack", Stack::columns}};
  for (const auto& [name, form] : stacks)
    m.def(name, [form = form](nb::handle arrays) {
      const std::vector<Array> parts = arrays_from(arrays);
      const GilReleased release;
      return stack_as(form, parts);
    }, "arrays"_a);
}

}  // namespace kasoku
