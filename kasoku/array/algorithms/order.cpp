#include "kasoku/array/algorithms/order.h"

#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/places.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/scan.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"

namespace kasoku {

namespace {

/// Of sorted rows, whether an element is not equal to the one before it.
Array begins(const Array& sorted) {
  const int64_t n = sorted.shape()[1];
  const Array a = sliced(sorted, 1, 1, n), b = sliced(sorted, 1, 0, n - 1), differ = apply(Op::not_equal, {a, b});
  const Array is_number = apply(Op::logical_or, {apply(Op::equal, {a, a}), apply(Op::equal, {b, b})});
  return concatenate(std::vector{full({sorted.shape()[0], 1}, Scalar::of(true), Dtype::bool_, sorted.device()), apply(Op::logical_and, {differ, is_number})}, 1);
}

/// Ranks of the elements of sorted rows.
Array ranks_of(const Array& sorted, Ties ties) {
  const int64_t n = sorted.shape()[1];
  const Array number = broadcast_to(arange(Scalar::of(1), Scalar::of(1), n, Dtype::int64, sorted.device()), sorted.shape());
  if (ties == Ties::ordinal) return number;
  const Array begin = begins(sorted);
  if (ties == Ties::dense) return scan(ScanOp::cumsum, astype(begin, Dtype::int64), 1);
  const auto least = [&] { return scan(ScanOp::cummax, apply(Op::where, {begin, number, int64_t{0}}), 1); };
  const auto greatest = [&] {
    const Array end = concatenate(std::vector{sliced(begin, 1, 1, n), full({sorted.shape()[0], 1}, Scalar::of(true), Dtype::bool_, sorted.device())}, 1);
    return flip(scan(ScanOp::cummin, flip(apply(Op::where, {end, number, n}), Extents{1}), 1), Extents{1});
  };
  if (ties == Ties::min) return least();
  if (ties == Ties::max) return greatest();
  return apply(Op::multiply, {apply(Op::add, {least(), greatest()}), 0.5});
}

}  // namespace

Array rankdata(const Array& array, Ties ties, std::optional<int64_t> axis) {
  const Array given = axis ? array : ravel(array);
  const auto d = static_cast<int64_t>(normal_axis(axis.value_or(0), given.ndim()));
  const Array moved = moveaxis(given, {d}, {-1});
  const int64_t n = moved.shape().back(), rows = n ? moved.size() / n : 0;
  const Array result = Array::empty({moved.size()}, ties == Ties::average ? Dtype::float64 : Dtype::int64, array.device());
  if (result.size()) {
    const Array by_rows = reshape(moved, {rows, n}), order = argsort(by_rows, 1);
    const Array first = expand_dims(arange(Scalar::of(0), Scalar::of(n), rows, Dtype::int64, array.device()), {1});
    store_at(result, ravel(apply(Op::add, {order, first})), ravel(ranks_of(take_along(by_rows, order, 1), ties)));
  }
  const Array placed = moveaxis(reshape(result, moved.shape()), {-1}, {d});
  return placed.is_contiguous() ? placed : copy(placed);
}

std::pair<Array, Array> topk(const Array& array, int64_t k, int64_t axis, bool is_greatest) {
  const size_t d = normal_axis(axis, array.ndim());
  const int64_t length = array.shape()[d];
  if (k < 0 || k > length) throw Error(ErrorKind::value, "topk: there are " + std::to_string(length) + " elements along axis " + std::to_string(axis) + ", not " + std::to_string(k));
  const Array first = first_in_order(array, k, axis, is_greatest);
  return {copy(take_along(array, first, axis)), first};
}

Array lexsort(std::span<const Array> keys, int64_t axis) {
  if (keys.empty()) throw Error(ErrorKind::type, "need sequence of keys with len > 0 in lexsort");
  for (const Array& key : keys)
    if (key.shape() != keys[0].shape()) throw Error(ErrorKind::value, "all keys need to be the same shape").why("there are " + str(keys[0].shape()) + " and " + str(key.shape()));
  Array order = argsort(keys[0], axis);
  for (const Array& key : keys.subspan(1)) order = take_along(order, argsort(take_along(key, order, axis), axis), axis);
  return copy(order);
}

Array sort_complex(const Array& array) {
  if (is_complex(array.dtype())) return sort(array);
  const bool is_narrow = is_integer(array.dtype()) && info(array.dtype()).size <= 2;
  return astype(sort(array), is_narrow ? Dtype::complex64 : Dtype::complex128);
}

}  // namespace kasoku
