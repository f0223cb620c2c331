/// \file kasoku/device/cpu/fault.h
/// A user's kernel that touches memory that is not there, or divides by zero, ends
/// its launch and not the process.
#pragma once

#include "kasoku/device/cpu/launch.h"

#include <csetjmp>
#include <cstdint>
#include <string>

namespace kasoku::cpu {

struct Fault {
  static constexpr uintptr_t unnamed = ~uintptr_t{0};  ///< it was not aligned to its type, or none that can be
  int signal = 0;  ///< 0: none
  uintptr_t address = 0;  ///< unnamed where the processor says none
  bool is_stack_full = false;

  /// "it read or wrote memory that is not its own (address 0x10)".
  std::string str() const;
};

/// Runs blocks [first, last). A fault in generated code or in what it calls of the
/// C library ends the run and is returned; faults elsewhere go to the handlers
/// that were there before ours.
Fault run_guarded(KernelEntry entry, void* const* args, const LaunchContext& context,
                  uint64_t first, uint64_t last);

/// Whether this thread is inside of run_guarded() and not OutsideKernel.
bool is_inside_kernel();
/// Ends the guarded run with `signal`; for handlers of signals, inside of a kernel only.
[[noreturn]] void leave_kernel(int signal);

/// While alive, on a thread that runs a kernel: faults are not the kernel's. Run-time
/// functions that hold locks or call others have one.
class OutsideKernel {
 public:
  OutsideKernel();
  ~OutsideKernel();
  OutsideKernel(const OutsideKernel&) = delete;
  OutsideKernel& operator=(const OutsideKernel&) = delete;

 private:
  sigjmp_buf* before_;
};

}  // namespace kasoku::cpu
