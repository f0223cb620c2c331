/// \file kasoku/device/cpu/runtime.h
/// What generated code may call: compile/clang/abi.h point 3, the mathematical
/// and memory functions of the C library, and what other parts register.
#pragma once

#include "kasoku/device/cpu/children.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace kasoku::cpu {

/// Makes `function` known to code that is loaded from now on, under `name`; the
/// last one to register a name has it.
void register_runtime_function(const char* name, void* function);

/// The address behind an undefined symbol of generated code: a registered
/// function, one of ours, of libm, of libmvec, or one of the compiler's helpers.
/// nullptr if there is none.
void* find_runtime_function(const std::string& name);

class GridBarrier;

/// The state that the workers of one launch share. It lives on the launching thread's stack.
struct LaunchState {
  const char* kernel = "";
  volatile int status = 0;  ///< nonzero: blocks that have not begun are left out
  std::mutex mutex;
  std::string failure;      ///< what assert, trap or a fault said first
  GridBarrier* grid_barrier = nullptr;  ///< of a cooperative launch
  std::unique_ptr<ChildWork> children;     ///< what its blocks that have ended asked for; guarded by the mutex

  /// Ends the launch with `text`; the first one counts.
  void fail(const std::string& text);
};

/// The launch whose block this thread is running; nullptr outside of kernels.
LaunchState* current_launch();
/// Sets it and gives what was there before.
LaunchState* set_current_launch(LaunchState* launch);

}  // namespace kasoku::cpu
