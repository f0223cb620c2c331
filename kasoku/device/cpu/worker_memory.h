/// \file kasoku/device/cpu/worker_memory.h
/// Shared memory and scratch of the block that a thread runs, kept by the thread
/// from launch to launch: a launch of known sizes allocates nothing.
#pragma once

#include <cstddef>

namespace kasoku::cpu {

/// Whether a kernel that this thread runs has `address` in its shared memory or scratch.
bool is_worker_memory(const void* address);

class WorkerMemory {
 public:
  /// Takes this thread's memory, or new one if a kernel further up this stack has it.
  WorkerMemory(size_t shared_bytes, size_t scratch_bytes);
  ~WorkerMemory();
  WorkerMemory(const WorkerMemory&) = delete;
  WorkerMemory& operator=(const WorkerMemory&) = delete;

  void* shared() const { return shared_; }
  void* scratch() const { return scratch_; }

 private:
  char* shared_ = nullptr;
  char* scratch_ = nullptr;
  friend bool is_worker_memory(const void* address);

  WorkerMemory* outer_ = nullptr;  ///< of the kernel further up this stack
  size_t bytes_ = 0;
  char* own_ = nullptr;
};

}  // namespace kasoku::cpu
