/// \file python/src/memory_order.h
/// order=: how the elements of an array lie in memory. C: by rows, F: by columns; A: by columns where those of another
/// array lie so; K: axis by axis as those of another array do.
#pragma once

#include "arguments.h"
#include "kasoku/array/shape.h"

namespace kasoku {

/// The letter of order=, which is one of `known`; that of None is C.
char memory_order_from(nb::handle order, std::string_view known = "CFAK");

/// Whether order= is the plain one, which costs nothing to ask.
inline bool is_rows(nb::handle order) { return PyUnicode_Check(order.ptr()) && PyUnicode_CompareWithASCIIString(order.ptr(), "C") == 0; }

/// Whether columns go first: by "F", and by "A" where the elements lie so.
bool goes_by_columns(const Array& x, char order);

/// Whether the elements lie so; as they do (A, K) they always do.
bool lies_in_order(const Array& x, char order);

/// The axes of an array of so many, the widest steps first, as an order has them; `like` is the array that A and K speak of.
Extents axes_in_order(char order, int ndim, const Array* like);

/// transpose(x, axes) with its axes where they were.
Array transposed_back(const Array& x, const Extents& axes);

/// The array that make(lengths) makes by rows, with its axes permuted so that the elements lie in `order`.
template <class F>
Array made_in_order(const Shape& shape, nb::handle order, const Array* like, F make) {
  if (is_rows(order)) return make(shape);
  const Extents axes = axes_in_order(memory_order_from(order, like ? "CFAK" : "CF"), static_cast<int>(shape.size()), like);
  Shape lengths;
  for (int64_t axis : axes) lengths.push_back(shape[static_cast<size_t>(axis)]);
  return transposed_back(make(lengths), axes);
}

/// The copy or conversion that make(x) makes by rows, laid out in `order` instead.
template <class F>
Array remade_in_order(const Array& x, char order, F make) {
  const Extents axes = axes_in_order(order, x.ndim(), &x);
  return transposed_back(make(transpose(x, axes)), axes);
}

/// A copy of the elements in an order.
Array copied_in_order(const Array& x, char order);

}  // namespace kasoku
