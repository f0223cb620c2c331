/// \file kasoku/device/cpu/children.h
/// Kernels that launch kernels. A launch in a kernel is recorded; what the blocks of a grid asked for
/// runs when all of them have ended, and a grid's launch returns when that is done: children see
/// what their parents wrote, and nobody waits inside of a kernel for a worker that is not there.
/// Launches of one stream (of one block, where none is named) form a chain, one after another; chains
/// go to the pool. A kernel that calls cudaDeviceSynchronize, or asks for very many launches, runs
/// there and then what it has asked for so far.
#pragma once

#include "kasoku/device/cpu/launch.h"
#include "kasoku/device/module.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace kasoku::cpu {

class CpuFunction;
struct LaunchState;

/// The shape between <<< and >>> of a launch in a kernel, and the thread that asks for it: ks_child_shape of
/// compile/prelude/launch.h.
struct ChildShape {
  uint32_t grid[3], block[3];
  uint64_t shared_bytes, stream, from_block;
  uint32_t from_thread;
  int32_t line;
  const char* file;
};

/// A launch, or a copy or fill of memory, that somebody asked for.
struct Child {
  CpuFunction* function;  ///< null: `memory_work` is run instead
  KernelEntry memory_work;
  LaunchShape shape;
  void** args;            ///< in ChildWork's memory
  uint64_t chain;         ///< those of equal numbers run in their order
  const char *parent, *file;
  int line;
};

/// The launches that the blocks of one grid asked for, with the memory of their arguments.
class ChildWork {
 public:
  std::vector<Child> children;
  std::unique_ptr<ChildWork> tails;  ///< to run when all of that is done
  bool in_order = false;             ///< the order of asking counts for all, whatever their streams

  bool is_empty() const { return children.empty() && !tails; }
  void* take(size_t bytes, size_t align);
  void append(ChildWork&& later);

 private:
  std::vector<std::unique_ptr<char[]>> memory_;
  char* next_ = nullptr;
  size_t left_ = 0, block_ = 1024;
};

/// Runs the work, what that asks for in its turn, and so on. The first exception ends it.
void complete(std::unique_ptr<ChildWork> work);

/// Records the launches of the blocks that this thread runs. There is one for each run of blocks, on the stack.
class ChildRecorder {
 public:
  ChildRecorder(CpuFunction& parent, LaunchState& state);
  ~ChildRecorder();
  ChildRecorder(const ChildRecorder&) = delete;
  ChildRecorder& operator=(const ChildRecorder&) = delete;

  /// The blocks have ended: hands what is left to the launch. Throws what a child threw inside of
  /// the kernel, which was left then.
  void finish() {
    if (record_) hand_over();
  }

  struct Record;
  Record& record();  ///< made when it is first asked for
  CpuFunction& parent() { return parent_; }
  LaunchState& state() { return state_; }

 private:
  void hand_over();

  CpuFunction& parent_;
  LaunchState& state_;
  ChildRecorder* const before_;
  Record* record_ = nullptr;
};

/// The checker follows the grids of a launch, which run one after another then.
struct GridObserver {
  void (*launches)(const KernelInfo& kernel, void* const* args);  ///< a grid that a program launched
  void (*begins)(const KernelInfo& kernel, void* const* args);    ///< a grid that a kernel launched
  void (*is_within)(bool enters);  ///< grids run in the middle of another one, or have
};
void set_grid_observer(const GridObserver* observer);
const GridObserver* grid_observer();

}  // namespace kasoku::cpu

extern "C" {
void ks_rt_configure(const kasoku::cpu::ChildShape* shape);
void ks_rt_launch(const char* symbol, void* const* values, uint64_t from_block, uint32_t from_thread);
int ks_rt_last_error(uint64_t block, uint32_t thread, int forgets);
int ks_rt_wait_for_children();
uint64_t ks_rt_new_stream();
void ks_rt_keep_order();
void ks_rt_child_copy(void* to, const void* from, uint64_t bytes, uint64_t stream, uint64_t block);
void ks_rt_child_fill(void* to, int value, uint64_t bytes, uint64_t stream, uint64_t block);
}
