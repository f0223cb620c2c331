/// \file kasoku/array/direct_copy.cpp
/// Few elements that are written, copied or converted at once.
#include "kasoku/array/direct_kernels.h"

#include "kasoku/array/direct.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/elements.h"
#include "kasoku/device/replay.h"

#include <array>
#include <cstring>

namespace kasoku {

std::optional<Array> count_directly(const Shape& shape, const Scalar& start, const Scalar& step, Dtype dtype, Device& device) {
  const int64_t n = product(shape);
  const bool is_constant = step == Scalar::of(0);
  if (dtype == Dtype::opaque || !at_once::is_for_now(n, dtype, device) || !(is_constant || dtype == Dtype::int64 || dtype == Dtype::float64)) return std::nullopt;
  const size_t itemsize = info(dtype).size;
  auto result = Storage::allocate(device, static_cast<size_t>(n) * itemsize);
  char* const y = static_cast<char*>(result->buffer->memory());
  const auto count = [&](auto* to, auto first, auto by) {  // as emit.cpp has it
    for (int64_t i = 0; i < n; ++i) to[i] = first + static_cast<decltype(first)>(i) * by;
  };
  alignas(16) char number[16];
  if (is_constant) start.store(dtype, number);
  if (is_constant) Elements{&n, 1, itemsize}.copy(y, std::array{static_cast<int64_t>(itemsize)}.data(), number, nullptr);
  else if (dtype == Dtype::float64) count(reinterpret_cast<double*>(y), start.as_double(), step.as_double());
  else count(reinterpret_cast<uint64_t*>(y), static_cast<uint64_t>(start.as_int()), static_cast<uint64_t>(step.as_int()));
  return Array::of(std::move(result), shape, dtype, itemsize);
}

std::optional<Array> convert_directly(const Array& array, Dtype dtype) {
  Device& device = array.device();
  const int64_t n = array.size();
  const size_t itemsize = info(dtype).size, bytes = static_cast<size_t>(n) * itemsize;
  const bool is_few = at_once::is_for_now(n, array.dtype(), device);
  const bool is_copy = dtype == array.dtype() && n > 0 && n <= most_alone && dtype != Dtype::opaque && runs_at_once(device);
  if (!is_few && !is_copy) return std::nullopt;
  std::optional<Held> held;
  if (is_copy && held.emplace(array)) {
    const Shape& shape = array.shape();
    auto result = Storage::allocate(device, bytes);
    char* const y = static_cast<char*>(result->buffer->memory());
    if (array.is_contiguous()) std::memcpy(y, held->memory(), bytes);
    else Elements{shape.data(), shape.size(), itemsize}.copy(y, contiguous_strides(shape, itemsize).data(), held->memory(), array.strides().data());
    return Array::of(std::move(result), shape, dtype, itemsize);
  }
  held.reset();
  at_once::Source source;
  if (!is_few || !source.find(array, array.shape())) return std::nullopt;
  if (dtype != array.dtype()) source.spread(array, array.shape(), device);
  auto result = Storage::allocate(device, bytes);
  if (dtype == array.dtype()) source.spread_into(result->buffer->memory(), array, array.shape());
  else source.convert_into(result->buffer->memory(), array.dtype(), dtype, n, device);
  return Array::of(std::move(result), array.shape(), dtype, itemsize);
}

bool convert_into(void* to, const Array& array, Dtype dtype) {
  const Array::State& x = array.state();
  const int64_t n = product(x.view.shape);
  if (!x.is_contiguous || x.dtype == Dtype::opaque || !at_once::is_for_now(n, x.dtype, *x.device)) return false;
  at_once::cast_function(x.dtype, dtype, *x.device);
  const Held held(array);
  if (held) at_once::cast(to, held.memory(), x.dtype, dtype, n, *x.device);
  return static_cast<bool>(held);
}

std::optional<Array> spread_directly(const Array& array, const View& view, const Shape& shape) {
  const Array::State& x = array.state();
  const Elements elements{view.shape.data(), view.shape.size(), x.itemsize};
  if (x.dtype == Dtype::opaque || !at_once::is_for_now(product(shape), x.dtype, *x.device)) return std::nullopt;
  const Held held(array);
  if (!held) return std::nullopt;
  auto result = Storage::allocate(*x.device, elements.bytes());
  elements.copy(static_cast<char*>(result->buffer->memory()), contiguous_strides(view.shape, x.itemsize).data(), static_cast<const char*>(held.buffer().memory()) + view.offset,
                view.strides.data());
  return Array::of(std::move(result), shape, x.dtype, x.itemsize);
}

/// Whether no element of one can be an element of the other; what others may write could be either's.
static bool are_apart(const Buffer& a, const Buffer& b) { return a.memory() != b.memory() && !a.is_shared && !b.is_shared; }

bool write_directly(const View& to, Buffer& buffer, Dtype dtype, const Input& from) {
  if (!few_at_once.load(std::memory_order_relaxed) || Recorder::current() || !buffer.device().is_host() ||
      dtype == Dtype::opaque || from.node->dtype != dtype)
    return false;
  const Elements elements{to.shape.data(), to.shape.size(), info(dtype).size};
  const size_t bytes = elements.bytes();
  if (bytes > elements.itemsize * most_alone) return false;
  if (bytes == 0) return true;
  char* const memory = static_cast<char*>(buffer.memory()) + to.offset;
  if (!from.node->is_done()) {
    const auto pending = from.node->expression.load();
    if (!pending || pending->kind != Expression::constant) return false;
    alignas(16) char number[16];
    pending->start.store(dtype, number);
    elements.copy(memory, to.strides.data(), number, nullptr);
    return true;
  }
  const Buffer& source = *from.node->storage->buffer;
  if (&source.device() != &buffer.device()) return false;
  if (bytes > few_bytes && !are_apart(source, buffer)) return false;
  copy_few(dtype, buffer, to, source, from.view);
  return true;
}

void copy_few(Dtype dtype, Buffer& buffer, const View& to, const Buffer& source, const View& from) {
  const Elements elements{to.shape.data(), to.shape.size(), info(dtype).size};
  char* const memory = static_cast<char*>(buffer.memory()) + to.offset;
  const char* const first = static_cast<const char*>(source.memory()) + from.offset;
  if (memory == first && to.strides == from.strides) return;  // x[1:] += y writes what is there already
  if (are_apart(source, buffer))
    return elements.copy(memory, to.strides.data(), first, from.strides.data());
  char apart[few_bytes];  // the two may overlap
  const Strides steps = contiguous_strides(to.shape, elements.itemsize);
  elements.copy(apart, steps.data(), first, from.strides.data());
  elements.copy(memory, to.strides.data(), apart, steps.data());
}

}  // namespace kasoku
