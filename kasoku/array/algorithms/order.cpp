#include "kasoku/array/algorithms/order.h"

#include "kasoku/array/creation.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"

namespace kasoku {

namespace {

void must_be_there(const Array& array, std::span<const int64_t> kth, std::optional<int64_t> axis) {
  const int64_t length = axis ? array.shape()[normal_axis(*axis, array.ndim())] : array.size();
  for (int64_t k : kth)
    if (k < -length || k >= length) throw Error(ErrorKind::value, "kth(=" + std::to_string(k) + ") out of bounds (" + std::to_string(length) + ")");
}

}  // namespace

Array partition(const Array& array, std::span<const int64_t> kth, std::optional<int64_t> axis) {
  must_be_there(array, kth, axis);
  return sort(array, axis);
}

Array argpartition(const Array& array, std::span<const int64_t> kth, std::optional<int64_t> axis) {
  must_be_there(array, kth, axis);
  return argsort(array, axis);
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
