/// \file kasoku/device/cpu/arena.h
/// Where loaded code lives: few large mappings, so that thousands of kernels do
/// not exhaust the process's maps. Code is never given back.
///
/// Executable memory is never writable at its address: it has a second, writable
/// view elsewhere. After fork() the child starts an arena of its own, because
/// both views are shared with the parent.
#pragma once

#include <cstddef>

namespace kasoku::cpu {

struct ArenaBlock {
  char* code = nullptr;        ///< where it runs
  char* code_writable = nullptr;  ///< the same bytes, to be written before the first run
  char* data = nullptr;        ///< writable, zero, within 2 GB of the code
};

/// Maps the first arena unless there is one, so that the first kernel need not wait for it.
void reserve_code();

/// Both parts start at multiples of 4096 if they are larger than that, else of 64.
/// Throws ErrorKind::memory. To be called by one thread at a time is not needed.
ArenaBlock allocate_code(size_t code_bytes, size_t data_bytes);

/// After the block's code_writable has been written: makes it executable where
/// the system has no second views.
void finish_code(const ArenaBlock& block, size_t code_bytes);

}  // namespace kasoku::cpu
