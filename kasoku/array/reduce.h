/// \file kasoku/array/reduce.h
/// Reductions over all or some axes, by the fixed tree (codegen/reduce_tree.cpp):
/// the same bits with any number of threads, on every device.
#pragma once

#include "kasoku/array/array.h"

#include <optional>
#include <span>

namespace kasoku {

struct Axes {
  std::optional<Extents> axes;  ///< nothing: all
  bool keepdims = false;
};

/// sum and prod of integers and bools run in int64 (uint64 of unsigned ones), as
/// NumPy's; argmin and argmax take one axis or all.
Array reduce(ReduceOp op, const Array& array, const Axes& axes = {},
             std::optional<Dtype> dtype = std::nullopt);

Array mean(const Array& array, const Axes& axes = {}, std::optional<Dtype> dtype = std::nullopt);
Array var(const Array& array, const Axes& axes = {}, double ddof = 0,
          std::optional<Dtype> dtype = std::nullopt);
Array std_(const Array& array, const Axes& axes = {}, double ddof = 0,
           std::optional<Dtype> dtype = std::nullopt);
Array count_nonzero(const Array& array, const Axes& axes = {});

}  // namespace kasoku
