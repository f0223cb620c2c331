/// \file kasoku/array/direct_kernels.cpp
#include "kasoku/array/direct_kernels.h"

#include "kasoku/array/direct.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/elements.h"

namespace kasoku::at_once {

bool is_for_now(int64_t n, Dtype dtype, const Device& device) {
  return n > 0 && n <= few_elements && static_cast<size_t>(n) * info(dtype).size <= few_bytes && runs_at_once(device);
}

Fused on_a_row(Group group, Dtype store, Device& device) {
  Fused fused;
  group.store_dtype = store;
  group.is_simt = takes_gpu_form(device);
  fused.group = std::move(group);
  fused.space.lengths = {few_elements};
  fused.group.inner.assign(fused.group.loads.size() + !fused.group.is_reduce, Inner::unit);
  return fused;
}

static Fused one_cast(Dtype from, Dtype to, Device& device) {
  Group group;
  group.loads.push_back(from);
  group.values.push_back({.kind = Instruction::load, .dtype = from});
  group.values.push_back({.kind = Instruction::cast, .dtype = to});
  return on_a_row(std::move(group), to, device);
}

Function& cast_function(Dtype from, Dtype to, Device& device) {
  static std::atomic<Function*> casts[n_dtypes][n_dtypes];
  return found(casts[static_cast<size_t>(from)][static_cast<size_t>(to)], device, [&] { return one_cast(from, to, device); });
}

void cast(void* y, const char* memory, Dtype from, Dtype to, int64_t n, Device& device) {
  Arguments arguments(y, n);
  arguments.add(&memory);
  arguments.launch(cast_function(from, to, device), device);
}

bool Source::find(const Array& array, const Shape& shape) {
  if (array.dtype() == Dtype::opaque) return false;
  keep = array.buffer_if_computed();
  if (!keep) {
    const std::optional<Scalar> everywhere = array.number();
    is_constant = everywhere.has_value();
    if (is_constant) everywhere->store(array.dtype(), number);
    memory = number;
    return is_constant;
  }
  memory = static_cast<const char*>(keep->memory()) + array.offset();
  return array.size() == 1 || product(shape) <= few_to_spread || (array.is_contiguous() && array.shape() == shape);
}

void Source::spread(const Array& array, const Shape& shape, Device& device) {
  if (!is_constant && array.is_contiguous() && array.shape() == shape) return;
  auto apart = Buffer::allocate(device, static_cast<size_t>(product(shape)) * array.itemsize());
  spread_into(apart->memory(), array, shape);
  take(std::move(apart));
}

void Source::spread_into(void* y, const Array& array, const Shape& shape) const {
  const Strides to = contiguous_strides(shape, array.itemsize());
  const Strides from = is_constant ? Strides(shape.size(), 0) : stretched(array.state().view, shape).strides;
  Elements{shape.data(), shape.size(), array.itemsize()}.copy(static_cast<char*>(y), to.data(), memory, from.data());
}

void Source::convert(Dtype from, Dtype to, int64_t n, Device& device) {
  if (from == to) return;
  auto apart = Buffer::allocate(device, static_cast<size_t>(n) * info(to).size);
  convert_into(apart->memory(), from, to, n, device);
  take(std::move(apart));
}

void Source::take(std::shared_ptr<Buffer> apart) {
  keep = std::move(apart);
  memory = static_cast<const char*>(keep->memory());
}

}  // namespace kasoku::at_once
