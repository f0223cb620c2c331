#include "kasoku/array/algorithms/sort.h"

#include "kasoku/array/algorithms/sorted_rows.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/few_places.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/places.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"

#include <utility>
#include <vector>

namespace kasoku {

namespace {

void must_have_order(const Array& array) {
  if (array.dtype() == Dtype::opaque) throw Error(ErrorKind::type, "records have no order").fix("sort one of their fields");
}

/// The array with the axis last, in C order and computed.
struct Rows {
  Array elements;
  bool is_own;
  RowsToSort sizes;

  Rows(const Array& array, size_t axis, bool is_descending) {
    elements = moveaxis(array, {static_cast<int64_t>(axis)}, {-1});
    is_own = elements.is_pending() || !elements.is_contiguous();
    if (is_own) elements = copy(elements);
    const int64_t length = elements.shape().back();
    sizes = {length ? elements.size() / length : 0, length, array.dtype(), is_descending};
  }

  /// A new array of their shape, whose elements fill(from, to) stores.
  template <class Fill>
  Array made(Dtype dtype, Fill&& fill) const {
    const size_t itemsize = info(dtype).size;
    auto memory = Storage::allocate(elements.device(), static_cast<size_t>(elements.size()) * itemsize);
    fill(elements.data_for_read(), memory->buffer->memory());
    return Array::of(std::move(memory), elements.shape(), dtype, itemsize);
  }
};

/// In C order again.
Array back(Array rows, size_t axis) {
  if (axis + 1 == rows.shape().size()) return rows;
  return copy(moveaxis(rows, {-1}, {static_cast<int64_t>(axis)}));
}

bool goes_by_kernels(const Device& device) { return !device.is_host() || takes_gpu_form(device); }

void must_be_there(const Array& array, std::span<const int64_t> kth, std::optional<int64_t> axis) {
  if (array.size() == 0) return;  // nothing moves, NumPy says
  const int64_t length = axis ? array.shape()[normal_axis(*axis, array.ndim())] : array.size();
  for (int64_t k : kth)
    if (k < -length || k >= length) throw Error(ErrorKind::value, "kth(=" + std::to_string(k) + ") out of bounds (" + std::to_string(length) + ")");
}

/// Where there is no selection, elements in order are a partition too.
template <class Out>
Array by_places(const Array& given, std::span<const int64_t> kth, std::optional<int64_t> axis, Dtype dtype, Array (*in_order)(const Array&, std::optional<int64_t>),
                void (*select)(const RowsToSort&, const PlacesInOrder&, const void*, Out*)) {
  must_be_there(given, kth, axis);
  const Array array = axis && given.ndim() ? given : ravel(given);
  if (!has_selection(array)) return in_order(array, axis.value_or(-1));
  must_have_order(array);
  const size_t d = normal_axis(axis.value_or(-1), array.ndim());
  const Rows rows(array, d, false);
  if (rows.sizes.rows == 0) return Array::empty(array.shape(), dtype, array.device());
  std::vector<int64_t> ranks(kth.begin(), kth.end());
  for (int64_t& k : ranks) k += k < 0 ? rows.sizes.length : 0;
  const PlacesInOrder places{ranks.data(), static_cast<int64_t>(ranks.size())};
  return back(rows.made(dtype, [&](const void* from, void* to) { select(rows.sizes, places, from, static_cast<Out*>(to)); }), d);
}

/// NumPy's order: numbers, then those whose imaginary part is NaN, the real one, both; each by real parts, then by imaginary ones.
Array argsort_complex(const Array& array, int64_t axis, bool is_descending) {
  const Dtype dtype = real_part(array.dtype());
  const auto part = [&](size_t at) {
    return Array::view(array.buffer(), array.offset() + static_cast<int64_t>(at), array.shape(), array.strides(), dtype);
  };
  const Array real = part(0), imag = part(info(dtype).size);
  const auto is_nan = [](const Array& x) { return astype(apply(Op::not_equal, {x, x}), Dtype::uint8); };
  const Array classes = apply(Op::add, {apply(Op::multiply, {is_nan(real), 2}), is_nan(imag)});
  Array order = argsort(imag, axis, is_descending);
  for (const Array& key : {real, classes}) order = take_along(order, argsort(take_along(key, order, axis), axis, is_descending), axis);
  return order;
}

}  // namespace

Array take_along(const Array& array, const Array& positions, int64_t axis) {
  const size_t d = normal_axis(axis, array.ndim());
  if (array.ndim() == 1 && positions.ndim() == 1 && positions.dtype() == Dtype::int64)
    if (Array few = get_few(array, positions); !few.is_null()) return few;
  const Array moved = contiguous(moveaxis(array, {static_cast<int64_t>(d)}, {-1})), wanted = moveaxis(positions, {static_cast<int64_t>(d)}, {-1});
  const int64_t length = moved.shape().back(), n = wanted.size();
  Shape starts_shape = wanted.shape();
  starts_shape.back() = 1;
  const int64_t rows = product(starts_shape);
  const Array starts = reshape(arange(Scalar::of(int64_t{0}), Scalar::of(length), rows, Dtype::int64, array.device()), starts_shape);
  const Array flat = reshape(moved, {moved.size()});
  Places places;
  places.along.push_back({ravel(apply(Op::add, {astype(wanted, Dtype::int64), starts})), moved.size(), static_cast<int64_t>(array.itemsize())});
  places.together = {n};
  places.view = {{n}, {0}, flat.input().view.offset};
  return moveaxis(reshape(gather(flat, places), wanted.shape()), {-1}, {static_cast<int64_t>(d)});
}

Array sort(const Array& array, std::optional<int64_t> axis) {
  if (!axis) return sort(ravel(array), -1);
  must_have_order(array);
  const size_t d = normal_axis(*axis, array.ndim());
  if (is_complex(array.dtype())) return copy(take_along(array, argsort(array, *axis), *axis));
  const Rows rows(array, d, false);
  if (rows.sizes.rows == 0) return Array::empty(array.shape(), array.dtype(), array.device());
  if (goes_by_kernels(array.device())) return back(sort_by_kernels(rows.sizes, rows.elements, rows.is_own), d);
  return back(rows.made(array.dtype(), [&](const void* from, void* to) { sort_on_host(rows.sizes, from, to); }), d);
}

bool sort_few(const Array& array, int64_t axis) {
  const Array::State& x = array.state();
  const int64_t n = array.size();
  if (normal_axis(axis, array.ndim()) + 1 != x.view.shape.size() || n == 0 || n > few_elements) return false;
  if (!x.is_contiguous || x.dtype == Dtype::opaque || is_complex(x.dtype) || !runs_at_once(*x.device)) return false;
  const Held held(array);
  if (!held.may_be_written()) return false;
  const int64_t length = x.view.shape.back();
  sort_on_host({n / length, length, x.dtype}, held.memory(), held.memory());
  return true;
}

Array argsort(const Array& array, std::optional<int64_t> axis, bool is_descending) {
  if (!axis) return argsort(ravel(array), -1, is_descending);
  if (array.ndim() == 0) return argsort(ravel(array), axis, is_descending);  // NumPy's positions have an axis there too
  must_have_order(array);
  const size_t d = normal_axis(*axis, array.ndim());
  if (is_complex(array.dtype())) return copy(argsort_complex(array, *axis, is_descending));
  const Rows rows(array, d, is_descending);
  if (rows.sizes.rows == 0) return Array::empty(array.shape(), Dtype::int64, array.device());
  if (goes_by_kernels(array.device())) return back(argsort_by_kernels(rows.sizes, rows.elements, rows.is_own), d);
  return back(rows.made(Dtype::int64, [&](const void* from, void* to) { argsort_on_host(rows.sizes, from, static_cast<int64_t*>(to)); }), d);
}

bool has_selection(const Array& array) { return !goes_by_kernels(array.device()) && !is_complex(array.dtype()); }

Array elements_in_order(const Array& array, std::span<const int64_t> ranks, bool is_of_each_row) {
  must_have_order(array);
  const Rows rows(array, normal_axis(-1, array.ndim()), false);
  const int64_t n = is_of_each_row ? static_cast<int64_t>(ranks.size()) / std::max<int64_t>(rows.sizes.rows, 1) : static_cast<int64_t>(ranks.size());
  Shape shape = array.shape();
  shape.back() = n;
  const Array result = Array::empty(shape, array.dtype(), array.device());
  if (result.size()) elements_on_host(rows.sizes, {ranks.data(), n, is_of_each_row ? n : 0}, rows.elements.data_for_read(), result.data());
  return result;
}

Array partition(const Array& array, std::span<const int64_t> kth, std::optional<int64_t> axis) {
  return by_places(array, kth, axis, array.dtype(), sort, partition_on_host);
}

Array argpartition(const Array& array, std::span<const int64_t> kth, std::optional<int64_t> axis) {
  return by_places(
      array, kth, axis, Dtype::int64, [](const Array& x, std::optional<int64_t> along) { return argsort(x, along); }, argpartition_on_host);
}

Array first_in_order(const Array& array, int64_t k, int64_t axis, bool is_descending) {
  must_have_order(array);
  const size_t d = normal_axis(axis, array.ndim());
  Shape shape = array.shape();
  const int64_t length = std::exchange(shape[d], k);
  const bool has_kernels = goes_by_kernels(array.device());
  // Where a good part is wanted, or there is no selection, all are sorted.
  if (is_complex(array.dtype()) || 8 * k > length || (has_kernels && length <= row_of_block)) {
    const Array all = argsort(array, axis, is_descending);
    return copy(all.with_view({shape, all.strides(), all.input().view.offset}));
  }
  const Rows rows(array, d, is_descending);
  if (rows.sizes.rows == 0 || k == 0) return Array::empty(shape, Dtype::int64, array.device());
  if (has_kernels) return back(first_by_kernels(rows.sizes, k, rows.elements), d);
  Shape found = rows.elements.shape();
  found.back() = k;
  const Array result = Array::empty(found, Dtype::int64, array.device());
  first_on_host(rows.sizes, k, rows.elements.data_for_read(), static_cast<int64_t*>(result.data()));
  return back(result, d);
}

}  // namespace kasoku
