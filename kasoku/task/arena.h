/// \file kasoku/task/arena.h
/// Threads for tasks, which are anybody's functions and may block.
///
/// An arena of 8 really runs 8 at once, also on two cores, so it has threads of
/// its own; parallel loops inside tasks share the one CPU pool.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace kasoku {

class Arena {
 public:
  /// 0 workers: as many as the CPU pool has. Threads start when work comes.
  explicit Arena(int workers);
  /// Runs what is enqueued, then ends the threads.
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// Runs `work` on a worker, first come, first served; it must not throw. Whether there is a thread free for
  /// it: the system may give no more of them.
  bool enqueue(std::function<void()> work);
  int workers() const { return workers_; }
  /// The number, from 0, of the calling thread in its arena; -1 for a thread of none.
  static int worker_index();
  bool has_this_thread() const;

 private:
  /// Outlives the arena in a thread whose task gave back the last reference to it.
  struct State {
    std::mutex mutex;
    std::condition_variable work_came;
    std::deque<std::function<void()>> queue;
    size_t idle = 0;
    bool is_ending = false;
  };
  static void serve(const std::shared_ptr<State>& state, int index);

  const int workers_;
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::vector<std::thread> threads_;
};

/// An arena for one run. It rests between runs: to start threads takes as long as small tasks do.
class ArenaLease {
 public:
  explicit ArenaLease(int workers);
  ~ArenaLease();
  ArenaLease(const ArenaLease&) = delete;
  ArenaLease& operator=(const ArenaLease&) = delete;

  Arena& operator*() const { return *arena_; }

 private:
  std::unique_ptr<Arena> arena_;
};

}  // namespace kasoku
