#include "kasoku/kernel/element_loop.h"

#include "kasoku/base/text.h"

#include <fmt/format.h>

namespace kasoku {

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

IterationSpace space_over(const Shape& shape, std::span<const ArrayRef* const> arrays) {
  IterationSpace space;
  space.lengths = shape;
  space.walks.reserve(arrays.size() + 1);
  for (const ArrayRef* array : arrays) {
    Walk& walk = space.walks.emplace_back();
    walk.unit = array->itemsize;
    walk.strides.resize(shape.size());
    const size_t missing = shape.size() - static_cast<size_t>(array->ndim);
    for (size_t d = 0; d < static_cast<size_t>(array->ndim); ++d)
      if (array->shape[d] != 1) walk.strides[missing + d] = array->strides[d];
  }
  return space;
}

}  // namespace kasoku
