/// \file kasoku/compile/clang/passes/block_shape.h
/// The block shape that a kernel is compiled for.
#pragma once

#include <cstdint>

namespace kasoku::embedded {

struct BlockShape {
  uint32_t x = 0, y = 0, z = 0;  ///< zeros: any shape, read from the launch at run time

  bool is_known() const { return x != 0; }
  uint32_t threads() const { return x * y * z; }  ///< of a known shape
  bool is_single_thread() const { return is_known() && threads() == 1; }
  /// Whether 32 threads that follow each other always share y and z.
  bool rows_hold_whole_warps() const { return is_known() && (x % 32 == 0 || y * z == 1); }
};

}  // namespace kasoku::embedded
