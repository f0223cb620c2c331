/// \file python/src/known_thread.h
/// Threads of ours that run Python code again and again.
#pragma once

#include "gil.h"

namespace kasoku {

/// Python knows a thread from its first task to its end, so that threading.local() lasts, and to make
/// what Python knows of it for each run of tasks costs as much as some tasks do.
struct KnownThread {
  const GilHeld known;
  const GilReleased until_a_task;
};

/// The calling thread is one of these from now on, unless Python knows it already (task_pool.cpp).
void remember_thread();

}  // namespace kasoku
