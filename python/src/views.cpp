/// \file views.cpp
/// Functions that show an array's memory in another way: other axes, another shape, another order.
#include "arguments.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "memory_order.h"

#include <algorithm>

namespace kasoku {

using namespace nb::literals;

void bind_views(nb::module_& m) {
  m.def("broadcast_to", [](nb::handle x, nb::handle shape) { return broadcast_to(array_from(x, default_device()), shape_from(shape)); }, "x"_a, "shape"_a, R"(A read-only view stretched to a shape, in which axes of length 1 are repeated.

Returns a view: nothing is copied. A shape to which x does not stretch is a ValueError.

>>> ks.broadcast_to([1, 2], (2, 2))
array([[1, 2],
       [1, 2]]))");
  const auto view = [&m](const char* name, const char* word, auto f, const char* doc) {
    m.def(name, [f](nb::handle x, nb::handle axis) { return f(array_from(x, default_device()), axes_from(axis)); }, "x"_a, nb::arg(word) = nb::none(), doc);
  };
  view("transpose", "axes", [](const Array& x, const auto& axes) { return transpose(x, axes); },
R"(A view with the axes in another order, reversed unless axes= is given.

axes= says for each axis of the result which axis of x it is.
Returns a view: nothing is copied. Axes that are no permutation are a ValueError.

>>> ks.transpose([[1, 2], [3, 4]])
array([[1, 3],
       [2, 4]]))");
  view("squeeze", "axis", [](const Array& x, const auto& axes) { return squeeze(x, axes); }, R"(A view without the axes of length 1, or without those of axis=.

Returns a view: nothing is copied. An axis of another length is a ValueError.

>>> ks.squeeze([[1, 2, 3]])
array([1, 2, 3]))");
  view("flip", "axis", [](const Array& x, const auto& axes) { return flip(x, axes); }, R"(A view with the order of the elements along axes turned over, along all of them unless axis= is given.

Returns a view: nothing is copied. An axis that there is not raises AxisError.

>>> ks.flip([1, 2, 3])
array([3, 2, 1]))");
  m.def(
      "permute_dims",
      [](nb::handle x, nb::handle axes) { return transpose(array_from(x, default_device()), axes_from(axes)); }, "x"_a,
      "axes"_a = nb::none(),
      R"(A view with the axes in another order: the array API's name of transpose().

axes= says for each axis of the result which axis of x it is; without it their order is turned over, as NumPy has it.
Returns a view: nothing is copied. Axes that are no permutation are a ValueError.

>>> ks.permute_dims(ks.zeros((2, 3, 4)), (2, 0, 1)).shape
(4, 2, 3))");
  m.def("expand_dims", [](nb::handle x, nb::handle axis) { return expand_dims(array_from(x, default_device()), *axes_from(axis)); }, "x"_a, "axis"_a = 0, R"(A view with new axes of length 1.

axis= is where in the result the new axis stands, or a tuple of such places.
Returns a view: nothing is copied. A place outside raises AxisError.

>>> ks.expand_dims([1, 2], 0)
array([[1, 2]]))");
  m.def(
      "reshape",
      [](nb::handle x, nb::handle shape, nb::handle order, nb::handle copies) {
        const char by = memory_order_from(order, "CFA");
        const Array array = array_from(x, default_device());
        Shape lengths = shape_from(shape);
        const bool by_columns = goes_by_columns(array, by);
        if (by_columns) std::ranges::reverse(lengths);
        const Array result = by_columns ? transpose(reshape(transpose(array), lengths)) : reshape(array, lengths);
        if (copies.is_none()) return result;
        const bool is_view = array.size() > 0 && result.buffer() == array.buffer();
        if (!nb::cast<bool>(copies)) {
          if (!is_view && array.size() > 0)
            throw Error(ErrorKind::value, "reshape: copy=False, but the elements do not lie in a row")
                .why("the strides are " + str(array.strides()));
          return result;
        }
        return is_view ? copy(result) : result;
      },
      "x"_a, "shape"_a, "order"_a = "C", nb::kw_only(), "copy"_a = nb::none(),
      R"(The same elements in another shape: a view where they lie so, else a copy.

shape= is a length or a tuple of them, of which one may be -1: what is left for it. order="F" goes through columns
first, "A" does where the elements lie so. copy=True never gives a view, copy=False a view or a ValueError.
Returns an Array of the dtype of x. Shapes of another size are a ValueError.

>>> ks.reshape([1, 2, 3, 4], (2, -1))
array([[1, 2],
       [3, 4]]))");
  m.def(
      "ravel",
      [](nb::handle x, nb::handle order) {
        const char by = memory_order_from(order);
        const Array array = array_from(x, default_device());
        if (by == 'K') return ravel(transpose(array, axes_of_memory(array.shape(), array.strides())));
        return ravel(goes_by_columns(array, by) ? transpose(array) : array);
      },
      "x"_a, "order"_a = "C", R"(The elements in a row: a view where they lie so, else a copy.

order="F" goes through columns first, "A" does where the elements lie so, and "K" goes through memory. Returns an Array of one axis.

>>> ks.ravel([[1, 2], [3, 4]])
array([1, 2, 3, 4]))");
  m.def(
      "swapaxes", [](nb::handle x, int64_t a, int64_t b) { return swapaxes(array_from(x, default_device()), a, b); },
      "x"_a, "axis1"_a, "axis2"_a, R"(A view with two axes swapped.

Returns a view: nothing is copied. An axis that there is not raises AxisError.

>>> ks.swapaxes(ks.zeros((2, 3)), 0, 1).shape
(3, 2))");
  m.def(
      "moveaxis",
      [](nb::handle x, nb::handle from, nb::handle to) {
        return moveaxis(array_from(x, default_device()), *axes_from(from), *axes_from(to));
      },
      "x"_a, "source"_a, "destination"_a, R"(A view with axes moved to other places; the others keep their order.

source= and destination= are an axis, or tuples of as many axes.
Returns a view: nothing is copied. An axis that there is not raises AxisError.

>>> ks.moveaxis(ks.zeros((2, 3, 4)), 0, -1).shape
(3, 4, 2))");
}

}  // namespace kasoku
