/// \file python/src/interrupt.h
/// Ctrl-C in long launches. The engine asks now and then whether to stop; on
/// Python's main thread the answer is what the signal's handler did.
#pragma once

namespace kasoku {

/// Sets the exception that a signal handler raised while the engine asked; false
/// if there is none of this thread.
bool restore_interrupt();

}  // namespace kasoku
