/// \file kasoku/device/cpu/launch.h
/// What a worker passes to a kernel's entry: ks_launch of compile/clang/abi.h,
/// which stands above; compile/clang.cpp checks that both are the same.
#pragma once

#include <cstdint>

namespace kasoku::cpu {

struct LaunchContext {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;  ///< dynamic
  uint32_t reserved;
  void* shared;           ///< this worker's: static, then (16-aligned) dynamic shared memory
  void* scratch;          ///< this worker's
  volatile int* status;   ///< nonzero: stop at the next block
  void* runtime;
};

/// Runs blocks [first, last) in linear order.
using KernelEntry = void (*)(void* const* args, const LaunchContext* launch, uint64_t first_block,
                             uint64_t last_block);

}  // namespace kasoku::cpu
