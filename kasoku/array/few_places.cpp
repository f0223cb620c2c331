#include "kasoku/array/few_places.h"

#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/elements.h"
#include "kasoku/device/replay.h"

#include <cstring>
#include <optional>

namespace kasoku {

namespace {

/// So many elements are copied in the time that a description of the index takes.
constexpr int64_t most_placed = 4096;

/// The highest bit is set if an index lies outside.
[[gnu::target("avx2"), gnu::optimize("O3")]] uint64_t any_outside(const int64_t* given, int64_t n, uint64_t length) {
  uint64_t bits = 0;
  for (int64_t i = 0; i < n; ++i) bits |= (static_cast<uint64_t>(given[i]) + length) | (length - 1 - static_cast<uint64_t>(given[i]));
  return bits;
}

/// Rows along the first axis, elements of an array of one axis, that positions name: their memory is held while this lives.
class FewRows {
 public:
  FewRows(const Array& array, const Array& key) {
    const Array::State &x = array.state(), &at = key.state();
    const Shape& shape = x.view.shape;
    if (at.dtype != Dtype::int64 || !at.is_contiguous || at.view.shape.empty() || shape.empty() || !(x.is_contiguous || shape.size() == 1)) return;
    if (x.dtype == Dtype::opaque || !few_at_once.load(std::memory_order_relaxed) || Recorder::current()) return;
    for (size_t d = 1; d < shape.size(); ++d) row_ *= shape[d];
    const int64_t n = product(at.view.shape);
    if (n * row_ > most_placed || n > most_placed || !array_.emplace(array) || !key_.emplace(key)) return;
    places_ = {reinterpret_cast<const int64_t*>(key_->memory()), n, shape[0], x.view.strides[0]};
    are_there_ = !places_.outside();
  }
  explicit operator bool() const { return are_there_; }
  const PlacesAlong& places() const { return places_; }
  int64_t row() const { return row_; }
  const Held& array() const { return *array_; }
  /// Whether the array may be written, of which neither the positions nor, if it is given, `value` are a part.
  bool may_be_written(const Held* value = nullptr) const {
    return array_->may_be_written() && !array_->buffer().overlaps(key_->buffer()) && !(value && array_->buffer().overlaps(value->buffer()));
  }
  /// f(bytes) with the bytes of a row, as a constant where they are those of an element.
  template <class F>
  void with_row(size_t itemsize, F&& f) const {
    const size_t bytes = itemsize * static_cast<size_t>(row_);
    if (!with_size(bytes, [&]<size_t size>() { f(std::integral_constant<size_t, size>()); })) f(bytes);
  }

 private:
  std::optional<Held> array_, key_;
  PlacesAlong places_{};
  int64_t row_ = 1;
  bool are_there_ = false;
};

/// Whether `value` has this dtype and an element for each that `key` names of `array`, in C order.
bool suits(const Array& array, const Array& key, const Array& value) {
  const Array::State &x = array.state(), &at = key.state(), &from = value.state();
  const size_t n_together = at.view.shape.size();
  return !x.view.shape.empty() && from.dtype == x.dtype && from.is_contiguous && from.view.shape.size() + 1 == n_together + x.view.shape.size() &&
         std::equal(at.view.shape.begin(), at.view.shape.end(), from.view.shape.begin()) &&
         std::equal(x.view.shape.begin() + 1, x.view.shape.end(), from.view.shape.begin() + static_cast<int64_t>(n_together));
}

/// Joins values, or one with step 0, in their own type; false if the operation or the type is none of these.
bool join_rows(const FewRows& rows, Dtype dtype, const void* values, int64_t step, Op join) {
  bool is_done = false;
  of_joined_type(dtype, [&]<class T>(T) {
    is_done = with_join<T>(join, [&](auto joined) { join_places(rows.places(), rows.array().memory(), static_cast<const T*>(values), step, joined); });
  });
  return is_done;
}

}  // namespace

const int64_t* PlacesAlong::outside() const {
  if (!(any_outside(given, n, static_cast<uint64_t>(length)) >> 63)) return nullptr;
  return std::find_if(given, given + n, [&](int64_t k) { return k < -length || k >= length; });
}

Array get_few(const Array& array, const Array& key) {
  if (key.dtype() == Dtype::bool_) return compress_few(key, array);
  const FewRows rows(array, key);
  if (!rows) return {};
  const Array::State& x = array.state();
  Shape shape = key.state().view.shape;
  shape.insert(shape.end(), x.view.shape.begin() + 1, x.view.shape.end());
  auto result = Storage::allocate(*x.device, static_cast<size_t>(rows.places().n * rows.row()) * x.itemsize);
  rows.with_row(x.itemsize, [&](auto bytes) {
    rows.places().each([from = rows.array().memory(), to = static_cast<char*>(result->buffer->memory()), bytes](int64_t offset, int64_t i) { std::memcpy(to + static_cast<size_t>(i) * bytes, from + offset, bytes); });
  });
  return Array::of(std::move(result), shape, x.dtype, x.itemsize);
}

bool set_few(const Array& array, const Array& key, const Scalar& value) {
  if (key.dtype() == Dtype::bool_) return fill_few(array, key, value);
  const FewRows rows(array, key);
  if (!rows || !rows.may_be_written() || rows.row() != 1) return false;
  alignas(16) char number[16];
  value.store(array.dtype(), number);
  rows.with_row(array.itemsize(), [&](auto bytes) {
    rows.places().each([to = rows.array().memory(), &number, bytes](int64_t offset, int64_t) { std::memcpy(to + offset, number, bytes); });
  });
  return true;
}

bool set_few(const Array& array, const Array& key, const Array& value) {
  if (key.dtype() == Dtype::bool_ || !suits(array, key, value)) return false;
  const FewRows rows(array, key);
  if (!rows) return false;
  const Held from(value);
  if (!from || !rows.may_be_written(&from)) return false;
  rows.with_row(array.itemsize(), [&](auto bytes) {
    rows.places().each([to = rows.array().memory(), values = from.memory(), bytes](int64_t offset, int64_t i) { std::memcpy(to + offset, values + static_cast<size_t>(i) * bytes, bytes); });
  });
  return true;
}

bool join_few(const Array& array, const Array& key, const Scalar& value, Op join) {
  const FewRows rows(array, key);
  if (!rows || !rows.may_be_written() || array.ndim() != 1) return false;
  alignas(16) char number[16];
  value.store(array.dtype(), number);
  return join_rows(rows, array.dtype(), number, 0, join);
}

bool join_few(const Array& array, const Array& key, const Array& value, Op join) {
  if (array.ndim() != 1 || !suits(array, key, value)) return false;
  const FewRows rows(array, key);
  if (!rows) return false;
  const Held from(value);
  return from && rows.may_be_written(&from) && join_rows(rows, array.dtype(), from.memory(), 1, join);
}

}  // namespace kasoku
