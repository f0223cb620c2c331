#include "kasoku/kernel/element_loop.h"

#include "kasoku/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace kasoku {
namespace {

constexpr int64_t narrow_limit = int64_t{1} << 31;

bool can_merge(const ElementLoop& loop, int outer, int inner) {
  for (int k = 0; k < loop.arrays; ++k)
    if (loop.strides[k][outer] != loop.strides[k][inner] * loop.shape[inner]) return false;
  return true;
}

/// The longest |stride| first; ties keep their order.
void order_axes(ElementLoop& loop) {
  const auto weight = [&](int axis) {
    for (int k = 0; k < loop.arrays; ++k)
      if (loop.strides[k][axis]) return std::abs(loop.strides[k][axis]);
    return int64_t{0};
  };
  for (int i = 1; i < loop.ndim; ++i)
    for (int j = i; j > 0 && weight(j - 1) < weight(j); --j) {
      if (weight(j - 1) == 0) break;  // broadcast in all: stays outside
      std::swap(loop.shape[j - 1], loop.shape[j]);
      for (int k = 0; k < loop.arrays; ++k) std::swap(loop.strides[k][j - 1], loop.strides[k][j]);
    }
}

void merge_axes(ElementLoop& loop) {
  int to = 0;
  for (int axis = 0; axis < loop.ndim; ++axis) {
    if (loop.shape[axis] == 1) continue;
    if (to > 0) {
      // Compare with the axis kept last, as if this one stood right behind it.
      const int outer = to - 1;
      loop.shape[to] = loop.shape[axis];
      for (int k = 0; k < loop.arrays; ++k) loop.strides[k][to] = loop.strides[k][axis];
      if (can_merge(loop, outer, to)) {
        loop.shape[outer] *= loop.shape[to];
        for (int k = 0; k < loop.arrays; ++k) loop.strides[k][outer] = loop.strides[k][to];
        continue;
      }
    } else {
      loop.shape[to] = loop.shape[axis];
      for (int k = 0; k < loop.arrays; ++k) loop.strides[k][to] = loop.strides[k][axis];
    }
    ++to;
  }
  loop.ndim = to;
}

}  // namespace

Shape broadcast_shape(std::string_view kernel, std::span<const ArrayRef* const> arrays,
                      std::span<const std::string_view> names) {
  int ndim = 0;
  for (const ArrayRef* array : arrays) ndim = std::max(ndim, array->ndim);
  Shape shape(ndim, 1);
  for (size_t k = 0; k < arrays.size(); ++k) {
    const ArrayRef& array = *arrays[k];
    for (int i = 0; i < array.ndim; ++i) {
      int64_t& length = shape[ndim - array.ndim + i];
      if (array.shape[i] == length || array.shape[i] == 1) continue;
      if (length != 1)
        throw Error(ErrorKind::value,
                    fmt::format("{}: the shapes of its arguments do not broadcast", kernel))
            .why(fmt::format("axis -{} of '{}' is {}, of those before it {}", array.ndim - i,
                             names[k], array.shape[i], length));
      length = array.shape[i];
    }
  }
  return shape;
}

ElementLoop make_loop(std::span<const int64_t> shape, std::span<const ArrayRef* const> arrays,
                      bool merge, bool reorder) {
  ElementLoop loop;
  if (shape.size() > ElementLoop::max_axes || arrays.size() > ElementLoop::max_arrays)
    throw Error(ErrorKind::unsupported,
                fmt::format("a kernel takes at most {} arrays of {} axes", ElementLoop::max_arrays,
                            ElementLoop::max_axes));
  loop.ndim = static_cast<int>(shape.size());
  loop.arrays = static_cast<int>(arrays.size());
  for (int axis = 0; axis < loop.ndim; ++axis) loop.size *= loop.shape[axis] = shape[axis];
  for (int k = 0; k < loop.arrays; ++k) {
    const ArrayRef& array = *arrays[k];
    const int missing = loop.ndim - array.ndim;
    for (int axis = 0; axis < loop.ndim; ++axis) {
      const bool is_broadcast = axis < missing || array.shape[axis - missing] == 1;
      loop.strides[k][axis] = is_broadcast ? 0 : array.strides[axis - missing];
    }
  }
  if (merge) {
    if (reorder) order_axes(loop);
    merge_axes(loop);
  }
  if (loop.ndim == 0) {
    loop.ndim = 1;
    loop.shape[0] = 1;
    for (int k = 0; k < loop.arrays; ++k) loop.strides[k][0] = 0;
  }
  loop.is_narrow = loop.size < narrow_limit;
  for (int k = 0; k < loop.arrays; ++k) {
    int64_t reach = arrays[k]->itemsize;
    for (int axis = 0; axis < loop.ndim; ++axis)
      reach += std::abs(loop.strides[k][axis]) * std::max<int64_t>(loop.shape[axis] - 1, 0);
    loop.is_narrow &= reach / std::max<int64_t>(arrays[k]->itemsize, 1) < narrow_limit;
    const int64_t stride = loop.strides[k][loop.ndim - 1];
    loop.step[k] = loop.shape[loop.ndim - 1] == 1 || stride == arrays[k]->itemsize
                       ? Step::contiguous
                   : stride == 0 ? Step::broadcast
                                 : Step::strided;
    if (loop.ndim == 1 && loop.shape[0] == 1) loop.step[k] = Step::contiguous;
  }
  return loop;
}

}  // namespace kasoku
