/// \file kasoku/linalg/leading.h
/// How BLAS sees a matrix: unit stride along one axis, a leading dimension along the other.
#pragma once

#include "kasoku/linalg/provider.h"

#include <algorithm>
#include <optional>

namespace kasoku::linalg {

struct Leading {
  bool is_transposed;  ///< the columns are the lines in memory
  int64_t elements;
};

/// How BLAS takes the matrix as it lies, whose elements have `size` bytes. Nothing if it has to be copied first.
inline std::optional<Leading> leading(const Matrices& x, int64_t rows, int64_t columns, int64_t size) {
  const auto along = [size](int64_t unit, int64_t other, int64_t length) { return unit == size && other % size == 0 && other >= length * size; };
  if (along(x.column_stride, x.row_stride, columns)) return Leading{false, std::max<int64_t>(x.row_stride / size, 1)};
  if (along(x.row_stride, x.column_stride, rows)) return Leading{true, std::max<int64_t>(x.column_stride / size, 1)};
  return std::nullopt;
}

}  // namespace kasoku::linalg
