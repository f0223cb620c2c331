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
/// Waits until the thread has finished what it is at; what has not begun is dropped, and nothing more begins.
void end_background();
/// To be called when a compiler's library has loaded or compiled something: at the process's end the background then ends
/// before the destructors of what is there by then. A host with an end of its own, as Python, calls end_background() there.
void end_background_first();

}  // namespace kasoku
