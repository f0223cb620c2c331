/// \file kasoku/kernel/element_loop.h
/// One loop over several arrays: their common shape, axes merged and ordered so that the
/// innermost is the one that memory likes.
#pragma once

#include "kasoku/kernel/arguments.h"

#include <span>

namespace kasoku {

/// How an array moves along the innermost axis.
enum class Step : uint8_t { contiguous, broadcast, strided };

struct ElementLoop {
  static constexpr int max_axes = 32, max_arrays = 32;

  int ndim = 0;                    ///< 1 or more, unless size is 0
  int64_t size = 1;
  int64_t shape[max_axes];
  int arrays = 0;
  int64_t strides[max_arrays][max_axes];  ///< bytes; 0 where broadcast
  Step step[max_arrays];
  bool is_narrow = true;           ///< positions and offsets fit 31 bits
};

/// The shape that all of them broadcast to; the error names the first that does not fit.
/// `names[k]` belongs to arrays[k].
Shape broadcast_shape(std::string_view kernel, std::span<const ArrayRef* const> arrays,
                      std::span<const std::string_view> names);

/// The loop over `shape`. Axes of length 1 go, neighbours that all arrays walk as one are
/// merged (`merge`); where the order is free (`reorder`), the axis with the smallest strides of
/// the first array comes last.
ElementLoop make_loop(std::span<const int64_t> shape, std::span<const ArrayRef* const> arrays,
                      bool merge, bool reorder);

}  // namespace kasoku
