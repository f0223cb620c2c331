/// \file kasoku/device/cpu/worker_memory.cpp
#include "kasoku/device/cpu/worker_memory.h"

#include "kasoku/device/cpu/allocator.h"

#include <utility>

namespace kasoku::cpu {

namespace {

struct Kept {
  char* memory = nullptr;
  size_t bytes = 0;
  bool is_taken = false;

  ~Kept() { deallocate(memory, bytes); }
};

thread_local Kept kept;
thread_local WorkerMemory* innermost = nullptr;

size_t padded(size_t bytes) { return (bytes + 255) / 256 * 256; }

}  // namespace

WorkerMemory::WorkerMemory(size_t shared_bytes, size_t scratch_bytes) {
  // Vector code may read a little past an array's end.
  constexpr size_t tail = 256;
  const size_t bytes = padded(shared_bytes) + tail + padded(scratch_bytes) + tail;
  char* memory;
  if (kept.is_taken) {
    own_ = memory = static_cast<char*>(allocate(bytes));
  } else {
    if (kept.bytes < bytes) {
      deallocate(std::exchange(kept.memory, nullptr), std::exchange(kept.bytes, 0));
      kept.memory = static_cast<char*>(allocate(bytes));
      kept.bytes = bytes;
    }
    kept.is_taken = true;
    memory = kept.memory;
  }
  bytes_ = bytes;
  outer_ = std::exchange(innermost, this);
  shared_ = memory;
  scratch_ = memory + padded(shared_bytes) + tail;
}

WorkerMemory::~WorkerMemory() {
  innermost = outer_;
  if (own_)
    deallocate(own_, bytes_);
  else
    kept.is_taken = false;
}

bool is_worker_memory(const void* address) {
  for (const WorkerMemory* memory = innermost; memory; memory = memory->outer_)
    if (static_cast<size_t>(static_cast<const char*>(address) - memory->shared_) < memory->bytes_) return true;
  return false;
}

}  // namespace kasoku::cpu
