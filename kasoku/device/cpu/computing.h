/// \file kasoku/device/cpu/computing.h
/// Threads that compute side by side, those of tasks, and how many threads of its own a library may take in each.
#pragma once

#include <cstdint>

namespace kasoku::cpu {

/// While one lives, its thread is one of those that compute.
class Computing {
 public:
  Computing();
  ~Computing();
  Computing(const Computing&) = delete;
  Computing& operator=(const Computing&) = delete;
};

/// While one lives, its thread, which is Computing, waits for work.
class Waiting {
 public:
  Waiting();
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;
};

/// The calling thread's part of what may take part in its calls (thread_limit()): all if nobody computes beside it,
/// at least 1, inside of a parallel call 1. A library's own threads wait for one another; more of them than cores
/// stand still most of the time.
uint32_t thread_share();

}  // namespace kasoku::cpu
