/// \file kasoku/array/algorithms/sorted_rows.h
/// Rows of memory in order: what sort.h becomes on a device.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/base/dtype.h"

#include <cstdint>

namespace kasoku {

/// Rows one behind the other, with at least one element each; of no complex numbers and no records.
struct RowsToSort {
  int64_t rows, length;
  Dtype dtype;
  bool is_descending = false;  ///< of positions
};

/// On the CPU's pool. `from` and `to` are different memory, but may be the same for values of few elements.
void sort_on_host(const RowsToSort& of, const void* from, void* to);
void argsort_on_host(const RowsToSort& of, const void* from, int64_t* to);
/// Positions of the first k elements of each row, in their order; 1 <= k <= length.
void first_on_host(const RowsToSort& of, int64_t k, const void* from, int64_t* to);

/// Places in the order of a row, from 0 on: `n` of them for each row, those of the next one `next_row` numbers further, or the same.
struct PlacesInOrder {
  const int64_t* ranks;
  int64_t n, next_row = 0;
};
/// The n elements of each row that sort_on_host() would put there.
void elements_on_host(const RowsToSort& of, const PlacesInOrder& wanted, const void* from, void* to);
/// All elements of each row, or their positions: those that belong there are there, none before them is greater and none behind less.
void partition_on_host(const RowsToSort& of, const PlacesInOrder& kth, const void* from, void* to);
void argpartition_on_host(const RowsToSort& of, const PlacesInOrder& kth, const void* from, int64_t* to);

/// By kernels, on the device of the array, which lies in C order. `is_own`: nobody else has it, so that it may be overwritten.
Array sort_by_kernels(const RowsToSort& of, const Array& from, bool is_own);
Array argsort_by_kernels(const RowsToSort& of, const Array& from, bool is_own);
/// first_on_host() by kernels, also along the last axis of an array. For rows too long for one block, with 8 k <=
/// length.
Array first_by_kernels(const RowsToSort& of, int64_t k, const Array& from);

/// How long a row may be that a block of a device sorts in its shared memory.
constexpr int64_t row_of_block = 4096;

}  // namespace kasoku
