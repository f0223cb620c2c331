/// \file kasoku/compile/background.h
/// Compiling while the program goes on: one thread, made when there is something for it to do.
#pragma once

#include <functional>

namespace kasoku {

/// `work` runs when the thread comes to it, in the order in which it was given. It keeps what it throws to itself.
void in_background(std::function<void()> work);
/// A forked child has no thread: it gets one here, if its parent's had something left to do.
void go_on_in_background();
/// Waits until nothing is left to do.
void finish_background();
/// To be called once a compiler's library is loaded: at the process's end its destructors then run after the thread has
/// finished what it is at, for which the end waits; what has not begun is dropped.
void end_background_first();

}  // namespace kasoku
