/// \file kasoku/task/arena.h
/// A bounded share of the process's worker threads.
///
/// Tasks may block (they are anybody's functions), so an arena of 8 really runs
/// 8 at once, also on two cores; parallel loops inside them share one pool.
#pragma once

#include <functional>
#include <memory>

namespace kasoku {

class Arena {
 public:
  /// 0 workers: as many as the CPU pool has.
  explicit Arena(int workers);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Runs `work` on a worker; it must not throw.
  void enqueue(std::function<void()> work);
  int workers() const { return workers_; }
  /// Of the calling thread in its arena, from 0; -1 outside.
  static int worker_index();

 private:
  struct Threads;
  int workers_;
  std::unique_ptr<Threads> threads_;
};

}  // namespace kasoku
