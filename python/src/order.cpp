/// \file order.cpp
/// Sorting and order.
#include "algorithm.h"
#include "kasoku/array/algorithms/sort.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <algorithm>

namespace kasoku {

namespace {

using namespace nb::literals;
using nb::handle;

/// NumPy's ways to sort give the same here: equal elements keep their order in all of them.
void must_be_kind(handle kind, handle order) {
  constexpr const char* kinds[] = {"quicksort", "heapsort", "mergesort", "stable"};
  if (!order.is_none()) throw Error(ErrorKind::value, "Cannot specify order when the array has no fields.");
  if (kind.is_none()) return;
  if (!nb::isinstance<nb::str>(kind) || std::ranges::find(kinds, nb::cast<std::string>(kind)) == std::end(kinds))
    throw Error(ErrorKind::value, "sort kind must be one of 'quick', 'heap', or 'stable' (got " + nb::cast<std::string>(nb::repr(kind)) + ")");
}

Array sorted(const Array& x, handle axis, handle kind, handle order) {
  must_be_kind(kind, order);
  const std::optional<int64_t> along = axis_from(axis);
  const GilReleased release;
  return sort(x, along);
}

Array arg_sorted(const Array& x, handle axis, handle kind, handle order) {
  must_be_kind(kind, order);
  const std::optional<int64_t> along = axis_from(axis);
  const GilReleased release;
  return argsort(x, along);
}

nb::dict table() {
  nb::dict rows;
  for (const AlgorithmInfo& row : algorithm_table)
    rows[row.name.data()] = nb::make_tuple(nb::str(algorithm_axes[row.axis].data()), nb::str(algorithm_results[row.result].data()));
  return rows;
}

}  // namespace

void bind_order(nb::module_& m) {
  const auto axis = "axis"_a = -1, kind = "kind"_a = nb::none(), order = "order"_a = nb::none(), stable = "stable"_a = nb::none();
  bind_algorithm(m, Algorithm::sort, [](handle a, handle along, handle way, handle by, handle) { return sorted(array_from(a, default_device()), along, way, by); },
                 "a"_a, axis, kind, order, nb::kw_only(), stable);
  bind_algorithm(m, Algorithm::argsort, [](handle a, handle along, handle way, handle by, handle) { return arg_sorted(array_from(a, default_device()), along, way, by); },
                 "a"_a, axis, kind, order, nb::kw_only(), stable);
  bind_algorithm_method(m, Algorithm::sort, [](const Array& x, handle along, handle way, handle by, handle) {
    must_be_writable(x);
    const Array result = sorted(x, along, way, by);
    const GilReleased release;
    x.assign(result);
  }, axis, kind, order, nb::kw_only(), stable);
  bind_algorithm_method(m, Algorithm::argsort, [](const Array& x, handle along, handle way, handle by, handle) { return arg_sorted(x, along, way, by); },
                        axis, kind, order, nb::kw_only(), stable);
  m.def("_algorithms", &table, "The table of algorithms: by their names, their rules for axes and for results.");
}

}  // namespace kasoku
