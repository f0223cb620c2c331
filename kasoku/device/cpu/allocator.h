/// \file kasoku/device/cpu/allocator.h
/// Memory for arrays: aligned, pooled by size class, bounded.
///
/// Fresh pages cost more than most operations on them, so what is given back is
/// kept for the next request of its class, up to a share of the machine's memory.
/// Kernels write past the end of arrays: behind each stands a canary, behind the last
/// one that the system gave together a slack, and nothing of ours lies between them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kasoku::cpu {

/// Of memory for no more than half as much it is 128 or 64: whatever fits there is aligned to its own size at most.
inline constexpr size_t memory_alignment = 256;

/// Never null. Throws ErrorKind::memory, also when the machine could promise the
/// memory but not provide it. Contents are not defined.
void* allocate(size_t bytes);
/// `bytes` as for allocate().
void deallocate(void* memory, size_t bytes) noexcept;
/// Whether somebody wrote behind memory that allocate(bytes) gave; says so once.
bool was_overrun(void* memory, size_t bytes) noexcept;
/// Gives what is kept back to the system; small pieces when all of their chunk are kept.
void trim_memory() noexcept;

struct AllocatorUse {
  uint64_t used = 0;    ///< bytes given out
  uint64_t cached = 0;  ///< bytes kept
};
AllocatorUse allocator_use();

/// The bytes that a request really takes: its size class.
size_t class_bytes(size_t bytes);

}  // namespace kasoku::cpu
