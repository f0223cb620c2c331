#include "kasoku/array/algorithms/rearrange.h"

#include "kasoku/array/advanced_index.h"
#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/checked_bytes.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/places.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/scan.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "kasoku/base/rounding.h"
#include "kasoku/compile/backends.h"

#include <algorithm>
#include <cstdlib>

namespace kasoku {

namespace {

Array count_from(int64_t first, int64_t n, Device& device, int64_t step = 1) { return arange(Scalar::of(first), Scalar::of(step), n, Dtype::int64, device); }

Index whole_axis() {
  Index x;
  x.kind = Index::slice;
  return x;
}

Index index_of(const Array& array, bool is_inside) {
  Index x;
  x.kind = Index::array;
  x.array_value = array;
  x.is_inside = is_inside;
  return x;
}

std::vector<Index> index_along(size_t axis, const Array& positions, bool is_inside) {
  std::vector<Index> index(axis, whole_axis());
  index.push_back(index_of(positions, is_inside));
  return index;
}

/// An index for each axis: along `axis` the given ones, along the others where the element is.
std::vector<Index> index_of_elements(const Array& array, const Array& indices, int64_t axis, const char* name) {
  if (!is_integer(indices.dtype())) throw Error(ErrorKind::index, "`indices` must be an integer array");
  if (indices.ndim() != array.ndim())
    throw Error(ErrorKind::value, std::string(name) + ": `indices` and `arr` must have the same number of dimensions").why("they have " + std::to_string(indices.ndim()) + " and " + std::to_string(array.ndim()));
  const size_t along = normal_axis(axis, array.ndim());
  std::vector<Index> index;
  for (size_t d = 0; d < array.shape().size(); ++d) {
    Shape shape(array.shape().size(), 1);
    shape[d] = array.shape()[d];
    index.push_back(d == along ? index_of(indices, false) : index_of(reshape(count_from(0, shape[d], array.device()), shape), true));
  }
  return index;
}

/// Indices from the end become positions; one outside of [-length, length] is an error. Waits for them.
Array checked(const Array& indices, int64_t length, int64_t most, size_t axis) {
  if (indices.size() == 0) return astype(indices, Dtype::int64);
  const Array at = astype(indices, Dtype::int64);
  for (const bool low : {true, false}) {
    const int64_t extreme = number_in(reduce(low ? ReduceOp::min : ReduceOp::max, at));
    if (low ? extreme < -length : extreme >= most) throw not_in_axis(extreme, length, axis);
  }
  return apply(Op::where, {apply(Op::less, {at, 0}), apply(Op::add, {at, length}), at});
}

}  // namespace

Array positions_in(const Array& indices, int64_t length, OutOfRange mode) {
  if (!is_integer(indices.dtype()) && indices.dtype() != Dtype::bool_) throw Error(ErrorKind::type, "positions are integers, not " + std::string(info(indices.dtype()).name));
  const Array at = astype(indices, Dtype::int64);
  if (mode == OutOfRange::raise || length == 0) return at;
  return mode == OutOfRange::wrap ? apply(Op::remainder, {at, length}) : apply(Op::clip, {at, int64_t{0}, length - 1});
}

Array sliced(const Array& array, int64_t axis, int64_t start, int64_t stop, int64_t step) {
  std::vector<Index> index(normal_axis(axis, array.ndim()) + 1, whole_axis());
  index.back().start = start;
  index.back().stop = stop;
  index.back().step = step;
  return get_view(array, index);
}

Array gather_along(const Array& array, int64_t axis, const Array& positions) { return get_view(array, index_along(normal_axis(axis, array.ndim()), positions, true)); }

Array take_along_axis(const Array& array, const Array& indices, int64_t axis) { return get_view(array, index_of_elements(array, indices, axis, "take_along_axis")); }

void put_along_axis(const Array& array, const Array& indices, const Array& values, int64_t axis) {
  set_item(array, index_of_elements(array, indices, axis, "put_along_axis"), values);
}

Array recycled(const Array& values, const Shape& shape) {
  const int64_t n = product(shape);
  if (values.size() == n) return reshape(values, shape);
  if (values.size() == 1) return broadcast_to(reshape(values, {}), shape);
  if (values.size() > n) return reshape(sliced(ravel(values), 0, 0, n), shape);
  const Array again = tile(ravel(values), {divide_up(n, std::max<int64_t>(values.size(), 1))});
  return reshape(again.size() == n ? again : sliced(again, 0, 0, n), shape);
}

void put(const Array& array, const Array& indices, const Array& values, OutOfRange mode) {
  must_be_writable(array);
  if (indices.size() == 0 || values.size() == 0) return;
  if (array.size() == 0) throw Error(ErrorKind::index, "cannot replace elements of an empty array");
  const Array at = ravel(positions_in(indices, array.size(), mode));
  const Array given = recycled(values, at.shape());
  if (array.is_contiguous()) return set_item(array.with_view({{array.size()}, {static_cast<int64_t>(array.itemsize())}, array.offset()}), {index_of(at, mode != OutOfRange::raise)}, given);
  std::vector<Index> index;
  for (const Array& x : unravel_index(checked(at, array.size(), array.size(), 0), array.shape())) index.push_back(index_of(x, true));
  set_item(array, index, given);
}

Array repeat(const Array& array, int64_t count, std::optional<int64_t> axis) {
  if (!axis) return repeat(array.ndim() == 1 ? array : ravel(array), count, 0);
  if (array.ndim() == 0) return repeat(ravel(array), count, axis);
  if (count < 0) throw Error(ErrorKind::value, "repeats may not contain negative values.");
  const size_t d = normal_axis(*axis, array.ndim());
  View stretched = array.state().view;
  Shape shape = stretched.shape;
  stretched.shape.insert(stretched.shape.begin() + static_cast<long>(d) + 1, count);
  stretched.strides.insert(stretched.strides.begin() + static_cast<long>(d) + 1, 0);
  checked_bytes(stretched.shape, array.itemsize());  // also the product of lengths
  shape[d] *= count;
  if (std::optional<Array> few = spread_directly(array, stretched, shape)) return *std::move(few);
  return reshape(copy(array.with_view(stretched)), shape);
}

Array repeat(const Array& array, const Array& counts, std::optional<int64_t> axis) {
  if (!axis || array.ndim() == 0) return repeat(ravel(array), counts, axis.value_or(0));
  const size_t d = normal_axis(*axis, array.ndim());
  const int64_t n = array.shape()[d];
  if (!is_integer(counts.dtype()) && counts.dtype() != Dtype::bool_) throw Error(ErrorKind::type, "repeats are integers, not " + std::string(info(counts.dtype()).name));
  must_be_together("repeat", array.device(), counts.device());
  if (counts.size() == 1) return repeat(array, number_in(reshape(astype(counts, Dtype::int64), {})), axis);
  if (counts.ndim() != 1 || counts.size() != n)
    throw Error(ErrorKind::value, "repeats of the shape " + str(counts.shape()) + " could not be broadcast together with an axis of length " + std::to_string(n));
  Device& device = array.device();
  const Array each = astype(counts, Dtype::int64);
  if (n > 0 && number_in(reduce(ReduceOp::min, each)) < 0) throw Error(ErrorKind::value, "repeats may not contain negative values.");
  const Array until = scan(ScanOp::cumsum, each, 0);
  const int64_t total = n == 0 ? 0 : number_in(reshape(sliced(until, 0, n - 1, n), {}));
  if (total == 0) return Array::empty([&] { Shape shape = array.shape(); shape[d] = 0; return shape; }(), array.dtype(), device, array.itemsize());
  // A place is the element whose first place is the last one up to it: a count of the first places, of which several may be one.
  const Array begins = full({total + 1}, Scalar::of(int64_t{0}), Dtype::int64, device);
  const Places firsts{{{apply(Op::subtract, {until, each}), total + 1, 8}}, false, {n}, 0, {{n}, {0}, begins.offset()}};
  scatter(begins, firsts, broadcast_to(full({}, Scalar::of(int64_t{1}), Dtype::int64, device), {n}), Op::add);
  return gather_along(array, *axis, apply(Op::subtract, {scan(ScanOp::cumsum, sliced(begins, 0, 0, total), 0), 1}));
}

Array tile(const Array& array, const Extents& times) {
  const size_t ndim = std::max(times.size(), array.shape().size());
  Shape whole, stretched, shape;
  for (size_t d = 0; d < ndim; ++d) {
    const size_t more_times = ndim - times.size(), more_axes = ndim - array.shape().size();
    const int64_t n = d < more_axes ? 1 : array.shape()[d - more_axes], r = d < more_times ? 1 : times[d - more_times];
    if (r < 0) throw Error(ErrorKind::value, "tile: an axis is repeated " + std::to_string(r) + " times");
    for (int64_t length : {int64_t{1}, n}) whole.push_back(length);
    for (int64_t length : {r, n}) stretched.push_back(length);
    shape.push_back(r * n);
  }
  return reshape(copy(broadcast_to(reshape(array, whole), stretched)), shape);
}

namespace {

/// The positions in [0, n) whose values the places `at` have, of which some lie outside.
Array inside_of(const Array& at, int64_t n, PadMode mode) {
  if (mode == PadMode::edge || mode == PadMode::constant || n == 1) return apply(Op::clip, {at, int64_t{0}, n - 1});
  if (mode == PadMode::wrap) return apply(Op::remainder, {at, n});
  const int64_t period = mode == PadMode::reflect ? 2 * (n - 1) : 2 * n;
  const Array turn = apply(Op::remainder, {at, period});
  return apply(Op::minimum, {turn, apply(Op::subtract, {period - (mode == PadMode::symmetric), turn})});
}

/// By one kernel, which reads each element where its value is: a GPU takes longer to begin one for each border.
Array padded_at_once(const Array& array, std::span<const Border> borders, PadMode mode) {
  const auto is_padded = [](const Border& border) { return border.before + border.after > 0; };
  const auto first = std::ranges::find_if(borders, is_padded);
  if (first == borders.end()) return copy(array);
  std::vector<Index> index(static_cast<size_t>(first - borders.begin()), whole_axis());
  std::optional<Array> is_inside;
  for (size_t d = index.size(); d < borders.size(); ++d) {
    Shape row(borders.size() - index.size(), 1);
    const int64_t n = array.shape()[d];
    row[0] = n + borders[d].before + borders[d].after;
    const Array at = reshape(count_from(-borders[d].before, row[0], array.device()), row);
    index.push_back(index_of(is_padded(borders[d]) ? inside_of(at, n, mode) : at, true));
    if (mode != PadMode::constant || !is_padded(borders[d])) continue;
    const Array is_there = apply(Op::logical_and, {apply(Op::greater_equal, {at, 0}), apply(Op::less, {at, n})});
    is_inside = is_inside ? apply(Op::logical_and, {*is_inside, is_there}) : is_there;
  }
  const Array values = get_view(array, index);
  return copy(is_inside ? apply(Op::where, {*is_inside, values, full({}, first->value_before, array.dtype(), array.device())}) : values);
}

/// Whether all of the borders have one value.
bool have_one_value(std::span<const Border> borders) {
  return std::ranges::all_of(borders, [&](const Border& x) { return x.value_before == borders[0].value_before && x.value_after == borders[0].value_before; });
}

}  // namespace

Array pad(const Array& array, std::span<const Border> borders, PadMode mode) {
  Shape shape = array.shape();
  const bool reads_elements = mode != PadMode::constant && mode != PadMode::empty;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (borders[d].before < 0 || borders[d].after < 0) throw Error(ErrorKind::value, "index can't contain negative values");
    if (reads_elements && shape[d] == 0 && borders[d].before + borders[d].after > 0)
      throw Error(ErrorKind::value, "can't extend empty axis " + std::to_string(d) + " using modes other than 'constant' or 'empty'");
    shape[d] += borders[d].before + borders[d].after;
  }
  const bool is_for_kernel = takes_gpu_form(array.device()) && array.dtype() != Dtype::opaque && array.size() > 0;
  if (is_for_kernel && (reads_elements || (mode == PadMode::constant && have_one_value(borders)))) return padded_at_once(array, borders, mode);
  const Array result = Array::empty(shape, array.dtype(), array.device(), array.itemsize());
  View inside{array.shape(), result.strides(), 0};
  for (size_t d = 0; d < shape.size(); ++d) inside.offset += borders[d].before * result.strides()[d];
  result.with_view(inside).assign(array);
  if (mode == PadMode::empty) return result;
  // Axis by axis: what was put before and after one axis is inside for the next.
  View known = inside;
  for (size_t d = 0; d < shape.size(); ++d) {
    const Border& border = borders[d];
    const int64_t n = array.shape()[d];
    const auto axis = static_cast<int64_t>(d);
    const Array given = result.with_view(known);
    const auto side = [&](int64_t first, int64_t length, const Scalar& value) {
      if (length == 0) return;
      View to = known;
      to.offset += first * result.strides()[d];
      to.shape[d] = length;
      const Array border_part = result.with_view(to);
      if (mode == PadMode::constant) return border_part.assign(full(to.shape, value, array.dtype(), array.device()));
      border_part.assign(copy(gather_along(given, axis, inside_of(count_from(first, length, array.device()), n, mode))));
    };
    side(-border.before, border.before, border.value_before);
    side(n, border.after, border.value_after);
    known.offset -= border.before * result.strides()[d];
    known.shape[d] = shape[d];
  }
  return result;
}

Array rot90(const Array& array, int64_t turns, int64_t from, int64_t to) {
  const size_t a = normal_axis(from, array.ndim()), b = normal_axis(to, array.ndim());
  if (a == b) throw Error(ErrorKind::value, "Axes must be different.");
  switch (((turns % 4) + 4) % 4) {
    case 0: return array;
    case 1: return swapaxes(flip(array, Extents{to}), from, to);
    case 2: return flip(array, Extents{from, to});
    default: return flip(swapaxes(array, from, to), Extents{to});
  }
}

Array diagonal_view(const Array& array, int64_t offset, int64_t axis1, int64_t axis2) {
  if (array.ndim() < 2) throw Error(ErrorKind::value, "diag requires an array of at least two dimensions");
  const size_t a = normal_axis(axis1, array.ndim()), b = normal_axis(axis2, array.ndim());
  if (a == b) throw Error(ErrorKind::value, "axis1 and axis2 cannot be the same");
  const View from = array.input().view;
  View view{{}, {}, from.offset};
  for (size_t d = 0; d < from.shape.size(); ++d)
    if (d != a && d != b) {
      view.shape.push_back(from.shape[d]);
      view.strides.push_back(from.strides[d]);
    }
  const int64_t rows = from.shape[a] - std::max<int64_t>(0, -offset), columns = from.shape[b] - std::max<int64_t>(0, offset), n = std::max<int64_t>(0, std::min(rows, columns));
  if (n > 0) view.offset += offset < 0 ? -offset * from.strides[a] : offset * from.strides[b];
  view.shape.push_back(n);
  view.strides.push_back(from.strides[a] + from.strides[b]);
  return array.with_view(view);
}

Array diagflat(const Array& array, int64_t offset) {
  const Array row = ravel(array);
  const int64_t n = row.size() + std::abs(offset);
  const Array result = full({n, n}, Scalar::of(0), array.dtype(), array.device());
  diagonal_view(result, offset).assign(row);
  return result;
}

void fill_diagonal(const Array& array, const Array& value, bool wrap) {
  must_be_writable(array);
  if (array.ndim() < 2) throw Error(ErrorKind::value, "array must be at least 2-d");
  const Shape& shape = array.shape();
  if (array.ndim() > 2 && std::ranges::any_of(shape, [&](int64_t n) { return n != shape[0]; })) throw Error(ErrorKind::value, "All dimensions of input must be of equal length");
  const View from = array.input().view;
  const Array given = astype(value, array.dtype());
  int64_t step = 0;
  for (int64_t stride : from.strides) step += stride;
  const int64_t n = *std::ranges::min_element(shape);
  if (array.size() == 0) return;
  if (!wrap || array.ndim() > 2 || shape[0] <= shape[1]) return array.with_view({{n}, {step}, from.offset}).assign(recycled(given, {n}));
  // Down a tall matrix the diagonal begins again after a row that is left out.
  const int64_t columns = shape[1], total = (shape[0] * columns + columns) / (columns + 1);
  const Array values = recycled(given, {total});
  for (int64_t first = 0, k = 0; first < shape[0]; first += columns + 1, k += columns) {
    const int64_t length = std::min(columns, shape[0] - first);
    array.with_view({{length}, {step}, from.offset + first * from.strides[0]}).assign(sliced(values, 0, k, k + length));
  }
}

Array lower_triangle(int64_t rows, int64_t columns, int64_t k, Device& device) {
  return apply(Op::less_equal, {count_from(0, columns, device), expand_dims(count_from(k, rows, device), {1})});
}

namespace {

/// Of a row, the triangle of a matrix of such rows: NumPy's rule.
Array repeated_row(const Array& array) { return array.ndim() == 1 ? broadcast_to(array, {array.size(), array.size()}) : array; }

}  // namespace

Array tril(const Array& array, int64_t k) { return triangle(repeated_row(array), true, k); }
Array triu(const Array& array, int64_t k) { return triangle(repeated_row(array), false, k); }

Array without(const Array& array, const Array& indices, int64_t axis) {
  const size_t d = normal_axis(axis, array.ndim());
  const int64_t n = array.shape()[d];
  if (indices.size() == 1 && is_integer(indices.dtype()) && array.dtype() != Dtype::opaque) {
    const std::optional<Scalar> known = indices.number();
    const int64_t given = known ? known->as_int() : number_in(astype(reshape(indices, {}), Dtype::int64)), at = given < 0 ? given + n : given;
    if (at < 0 || at >= n) throw not_in_axis(given, n, d);
    return concatenate(std::array{sliced(array, axis, 0, at), sliced(array, axis, at + 1, n)}, static_cast<int64_t>(d));
  }
  Array stays;
  if (indices.dtype() == Dtype::bool_) {
    if (indices.ndim() != 1 || indices.size() != n)
      throw Error(ErrorKind::value, "boolean array argument `obj` to delete must be one-dimensional and match the axis length of " + std::to_string(n));
    stays = apply(Op::logical_not, {indices});
  } else {
    stays = full({n}, Scalar::of(true), Dtype::bool_, array.device());
    if (indices.size() > 0) set_item(stays, {index_of(ravel(checked(indices, n, n, d)), true)}, full({}, Scalar::of(false), Dtype::bool_, array.device()));
  }
  return gather_along(array, axis, flatnonzero(stays));
}

Array with_inserted(const Array& array, const Array& indices, bool is_single, const Array& values, int64_t axis) {
  const size_t d = normal_axis(axis, array.ndim());
  const int64_t n = array.shape()[d];
  Device& device = array.device();
  const Array given = astype(values, array.dtype());
  Shape shape = array.shape();
  if (is_single || indices.size() == 1) {
    const Array at = checked(reshape(indices, {}), n, n + 1, d);
    Array part = given;
    while (part.ndim() < array.ndim()) part = expand_dims(part, {0});
    if (is_single) part = moveaxis(part, {0}, {static_cast<int64_t>(d)});  // a row becomes one along the axis
    Shape stretched = shape;
    stretched[d] = part.shape()[d];
    const int64_t first = number_in(at);
    const Array parts[] = {sliced(array, axis, 0, first), broadcast_to(part, stretched), sliced(array, axis, first, n)};
    return concatenate(parts, static_cast<int64_t>(d), array.dtype());
  }
  if (indices.size() == 0) return copy(array);
  if (indices.ndim() != 1) throw Error(ErrorKind::value, "index array argument obj to insert must be one dimensional or scalar");
  const int64_t m = indices.size();
  const Array at = checked(indices, n, n + 1, d), number = count_from(0, m, device);
  // What is inserted earlier moves it on: what has a smaller index, and of the same one what stands before it.
  const auto row = [](const Array& x) { return expand_dims(x, {1}); };
  const Array is_same = apply(Op::equal, {at, row(at)}), stands_before = apply(Op::less, {number, row(number)});
  const Array is_earlier = apply(Op::logical_or, {apply(Op::less, {at, row(at)}), apply(Op::logical_and, {is_same, stands_before})});
  const Array places = apply(Op::add, {at, reduce(ReduceOp::count_nonzero, is_earlier, {Extents{1}})});
  shape[d] += m;
  const Array stays = full({shape[d]}, Scalar::of(true), Dtype::bool_, device);
  set_item(stays, {index_of(places, true)}, full({}, Scalar::of(false), Dtype::bool_, device));
  const Array result = Array::empty(shape, array.dtype(), device, array.itemsize());
  set_item(result, index_along(d, places, true), given);
  set_item(result, index_along(d, flatnonzero(stays), true), array);
  return result;
}

Array choose(const Array& numbers, std::span<const Array> choices, OutOfRange mode) {
  if (choices.empty()) throw Error(ErrorKind::value, "choose needs choices");
  const auto n = static_cast<int64_t>(choices.size());
  const Array at = positions_in(numbers, n, mode);
  if (mode == OutOfRange::raise && at.size() > 0 &&
      is_true(reduce(ReduceOp::any, apply(Op::logical_or, {apply(Op::less, {at, 0}), apply(Op::greater_equal, {at, n})}))))
    throw Error(ErrorKind::value, "invalid entry in choice array");
  std::vector<Typed> dtypes;
  Shape shape = numbers.shape();
  for (const Array& x : choices) {
    dtypes.push_back({x.dtype()});
    shape = broadcast(shape, x.shape());
  }
  const Dtype dtype = promote(dtypes);
  Array result = astype(choices.back(), dtype);
  for (int64_t k = n - 1; k-- > 0;) result = apply(Op::where, {apply(Op::equal, {at, k}), astype(choices[static_cast<size_t>(k)], dtype), result});
  return result.shape() == shape ? result : copy(broadcast_to(result, shape));
}

std::vector<Array> unravel_index(const Array& indices, const Shape& shape) {
  const int64_t n = product(shape);
  if (!is_integer(indices.dtype())) throw Error(ErrorKind::type, "only int indices permitted");
  const Array at = astype(indices, Dtype::int64);
  if (at.size() > 0) {
    const int64_t low = number_in(reduce(ReduceOp::min, at)), high = number_in(reduce(ReduceOp::max, at));
    if (low < 0 || high >= n) throw Error(ErrorKind::value, "index " + std::to_string(low < 0 ? low : high) + " is out of bounds for array with size " + std::to_string(n));
  }
  std::vector<Array> result;
  int64_t step = n;
  for (int64_t length : shape) {
    step = length ? step / length : 1;
    Array along = step > 1 ? apply(Op::floor_divide, {at, step}) : at;
    if (!result.empty()) along = apply(Op::remainder, {along, length});
    result.push_back(along);
  }
  return result;
}

Array ravel_multi_index(std::span<const Array> indices, const Shape& shape, std::span<const OutOfRange> modes) {
  if (indices.size() != shape.size())
    throw Error(ErrorKind::value, "parameter multi_index must be a sequence of length " + std::to_string(shape.size()));
  int64_t size = 1;
  for (int64_t n : shape)
    if (__builtin_mul_overflow(size, n, &size))
      throw Error(ErrorKind::value,
                  "invalid dims: an array of the shape " + str(shape) + " has more elements than 64 bits count");
  std::optional<Array> sum;
  for (size_t d = 0; d < shape.size(); ++d) {
    const Array at = positions_in(indices[d], shape[d], modes[d]);
    if (modes[d] == OutOfRange::raise && at.size() > 0 &&
        is_true(reduce(ReduceOp::any, apply(Op::logical_or, {apply(Op::less, {at, 0}), apply(Op::greater_equal, {at, shape[d]})}))))
      throw Error(ErrorKind::value, "invalid entry in coordinates array");
    sum = sum ? apply(Op::add, {apply(Op::multiply, {*sum, shape[d]}), at}) : at;
  }
  return *sum;
}

}  // namespace kasoku
