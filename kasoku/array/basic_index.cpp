#include "kasoku/array/basic_index.h"

#include "kasoku/array/direct.h"
#include "kasoku/base/elements.h"
#include "kasoku/base/error.h"

namespace kasoku {

namespace {

/// write(memory, view, elements), if `at` names few elements that may be written now.
template <class Write>
bool write_few(const Array& array, std::span<const BasicIndex> at, Write&& write) {
  const Array::State& x = array.state();
  if (x.dtype == Dtype::opaque || !few_at_once.load(std::memory_order_relaxed)) return false;
  const std::optional<View> view = cut(x.view, at);
  if (!view) return false;
  const Elements elements{view->shape.data(), view->shape.size(), x.itemsize};
  if (elements.bytes() > few_bytes) return false;
  const Held held(array);
  return held.may_be_written() && write(held, *view, elements);
}

}  // namespace

bool Held::may_be_written() const { return storage_ && !Recorder::current() && !state_.is_read_only && !storage_->has_readers(); }

SlicedAxis axis_of_slice(const BasicIndex& slice, int64_t length, int64_t stride) {
  if (slice.step == 0) throw Error(ErrorKind::value, "slice step cannot be zero");
  const bool is_forward = slice.step > 0;
  const int64_t least = is_forward ? 0 : -1, most = is_forward ? length : length - 1;
  const auto clamp = [=](int64_t at) {
    if (at < 0) at += length;
    return at < least ? least : at > most ? most : at;
  };
  const int64_t start = clamp(slice.start), stop = clamp(slice.stop);
  const int64_t span = is_forward ? stop - start : start - stop, step = is_forward ? slice.step : -slice.step;
  const int64_t n = span <= 0 ? 0 : step == 1 ? span : (span - 1) / step + 1;
  return {n > 0 ? start : 0, n, n > 1 ? stride * slice.step : stride};
}

std::optional<View> cut(const View& view, std::span<const BasicIndex> cuts) {
  const size_t rank = view.shape.size();
  size_t taken = 0, given = 0;  // axes
  for (const BasicIndex& x : cuts) taken += !x.is_new_axis, given += !x.is_number;
  if (taken > rank) return std::nullopt;
  std::optional<View> result(std::in_place);
  const int64_t *length = view.shape.begin(), *stride = view.strides.begin();
  int64_t *to_length = result->shape.room(given + rank - taken), *to_stride = result->strides.room(given + rank - taken), offset = view.offset;
  for (const BasicIndex& x : cuts) {
    if (x.is_new_axis) {
      *to_length++ = 1;
      *to_stride++ = 0;
    } else if (x.is_number) {
      const int64_t at = x.start < 0 ? x.start + *length : x.start;
      if (at < 0 || at >= *length) return std::nullopt;
      offset += at * *stride++;
      ++length;
    } else {
      const SlicedAxis axis = axis_of_slice(x, *length++, *stride);
      offset += axis.first * *stride++;
      *to_length++ = axis.length;
      *to_stride++ = axis.stride;
    }
  }
  for (; length != view.shape.end(); ++length) {
    *to_length++ = *length;
    *to_stride++ = *stride++;
  }
  result->offset = offset;
  return result;
}

std::optional<Value> get_element(const Array& array, std::span<const int64_t> at) {
  const Array::State& x = array.state();
  const auto value = [&](const void* memory) { return Value{Scalar::load(x.dtype, memory), x.dtype, x.device}; };
  if (const HeldElement element(array, at); element) return value(element.memory());
  const bool is_there = x.device->is_host() && x.dtype != Dtype::opaque && !Recorder::current() && way_to(x.view, at);
  const std::optional<Scalar> everywhere = is_there && array.is_pending() ? array.number() : std::nullopt;
  if (!everywhere) return std::nullopt;
  alignas(16) char number[16];
  everywhere->store(x.dtype, number);
  return value(number);
}

bool set_element(const Array& array, std::span<const int64_t> at, const Scalar& value) {
  const HeldElement element(array, at);
  char* const to = element.to_write();
  if (to) value.store(array.state().dtype, to);
  return to;
}

bool set_few(const Array& array, std::span<const BasicIndex> at, const Scalar& value) {
  return write_few(array, at, [&](const Held& held, const View& view, const Elements& elements) {
    alignas(16) char number[16];
    value.store(array.dtype(), number);
    elements.copy(static_cast<char*>(held.buffer().memory()) + view.offset, view.strides.data(), number, nullptr);
    return true;
  });
}

bool set_few(const Array& array, std::span<const BasicIndex> at, const Array& value) {
  const Array::State &x = array.state(), &from = value.state();
  if (from.dtype != x.dtype) return false;
  if (from.number) return set_few(array, at, *from.number);
  return write_few(array, at, [&](const Held& held, const View& view, const Elements&) {
    if (from.view.shape != view.shape) return false;
    const std::optional<Held> held_too = &from == &x ? std::nullopt : std::optional<Held>(std::in_place, value);
    if (held_too && !*held_too) return false;
    const Held& source = held_too ? *held_too : held;
    copy_few(x.dtype, held.buffer(), view, source.buffer(), from.view);
    return true;
  });
}

}  // namespace kasoku
