/// \file kasoku/array/algorithms/row_kernels.h
/// Programs over the keys of rows, and how their kernels are launched: what sorting and selecting share on a device.
#pragma once

#include "kasoku/array/algorithms/sorted_rows.h"
#include "kasoku/compile/program.h"
#include "kasoku/device/device.h"
#include "kasoku/device/module.h"
#include "kasoku/device/stream.h"

#include <cstdint>
#include <string>

namespace kasoku {

/// Threads of a block.
constexpr int64_t row_threads = 256;

/// Positions in a row take 64 bits where 30 do not hold them: two more say what a number is.
bool has_wide_numbers(const RowsToSort& of);

/// A text over what row_keys.cuh says of its rows. `defines` are lines.
struct RowText {
  const char *file, *text;
  bool gives_positions;
  int items;  ///< elements of a thread
  std::string defines;
};
Program row_program(const RowsToSort& of, const RowText& text, const Device& device);

/// A kernel's arguments, which live as long as the call.
template <class... Arguments>
void launch_rows(Function& function, int64_t blocks, Stream& stream, Arguments... arguments) {
  void* pointers[] = {&arguments...};
  LaunchShape shape;
  shape.grid[0] = static_cast<uint32_t>(blocks);
  shape.block[0] = static_cast<uint32_t>(row_threads);
  function.launch(shape, pointers, stream);
}

/// How a row is cut: into parts, a block each, of so many tiles. `at_once` is how many blocks are wanted.
struct RowParts {
  int64_t parts, tiles;
};
RowParts cut_rows(const RowsToSort& of, int64_t tile, int64_t at_once);

}  // namespace kasoku
