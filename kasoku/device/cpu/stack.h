/// \file kasoku/device/cpu/stack.h
/// How far calls on this thread may go down its stack.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kasoku::cpu {

struct Stack {
  uintptr_t low = 0, high = 0;  ///< 0, 0: not known

  /// Deep calls end here: below it is what run-time functions and the compiler need.
  uintptr_t end() const { return low + std::min<uintptr_t>(1 << 20, (high - low) / 4); }
};

/// This thread's stack, found once, or `anew`: the main thread's limit can be changed while it runs. A main thread
/// without a limit has one from the first call on, without which a recursion takes all memory first.
const Stack& stack_of_thread(bool anew = false);

}  // namespace kasoku::cpu
