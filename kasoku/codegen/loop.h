/// \file kasoku/codegen/loop.h
/// A loop over several operands: the axes that they are walked along, and how each one moves.
#pragma once

#include "kasoku/base/extents.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kasoku {

/// How an operand moves along the innermost axis.
enum class Inner : uint8_t { unit, broadcast, strided };

/// The position of an operand, an affine function of the index along each axis: in bytes for memory, in elements for
/// values that are computed from the element's own number.
struct Walk {
  int64_t offset = 0;
  Extents strides;
  int64_t unit = 1;           ///< between neighbours: an element's bytes, or 1
  enum Kind : uint8_t { memory, numbers, index } kind = memory;  ///< index: numbers that begin with 0
  Inner inner = Inner::unit;
};

/// How the axes of a loop may be arranged: as given, with neighbours merged, or in any order.
enum class AxisOrder : uint8_t { given, merged, free };

/// The iteration space of a loop: its axes, outermost first, and the walk of each operand.
struct IterationSpace {
  static constexpr size_t all = -1;

  Extents lengths;
  size_t kept = all;  ///< of a reduction: so many axes come first and merge with none of those behind them
  size_t inner = 0;   ///< the axis of the innermost loop
  bool is_narrow = true;  ///< all numbers of elements, and all distances in memory, fit 31 bits
  std::vector<Walk> walks;

  int64_t size() const;
  bool is_reduction() const { return kept != all; }

  /// Axes of length 1 go, and neighbours that all operands cross in one go become one. Where the
  /// order is free, axes are ordered first as all operands agree to, and a short innermost one
  /// changes places with the longest. There is an axis at the end, behind the kept ones.
  void arrange(AxisOrder order, bool by_threads = false);
  /// Kept axes become ordered as memory is, where all operands agree to an order other than theirs. Then the results' numbers walk
  /// along, behind the other walks, and it says so.
  bool order_kept();
  /// The others become ordered so: who joins them in any order.
  void order_reduced() { sort(kept, lengths.size()); }
  /// A kept axis in place of the first of the others; of that so many numbers stay behind it, a divisor of its length.
  void keep_outer(int64_t inner);
  /// `axis` is the innermost loop's: each walk's `inner`.
  void go_along(size_t axis);

 private:
  /// Axes from `first` to `last`; whether any moved.
  bool sort(size_t first, size_t last);
  void merge();
  void swap(size_t a, size_t b);
  void insert_axis(size_t at);
  void erase_axis(size_t at);
};

}  // namespace kasoku
