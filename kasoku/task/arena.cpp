#include "kasoku/task/arena.h"

#include "kasoku/device/cpu/computing.h"
#include "kasoku/device/cpu/pool.h"

#include <pthread.h>

#include <algorithm>
#include <system_error>

namespace kasoku {

namespace {

thread_local int own_index = -1;

int count_of(int workers) { return workers > 0 ? workers : static_cast<int>(cpu::worker_count()); }

/// Arenas between two runs; more than a few are not kept.
struct Resting {
  static constexpr size_t most = 4;
  std::mutex mutex;
  std::vector<std::unique_ptr<Arena>> arenas;
};

Resting& resting() {
  static Resting& all = *new Resting;  // its threads may wait for longer than statics live
  static const bool registered = [] {
    pthread_atfork([] { all.mutex.lock(); }, [] { all.mutex.unlock(); },
                   [] {
                     for (auto& arena : all.arenas) (void)arena.release();  // a child has none of their threads
                     all.arenas.clear();
                     all.mutex.unlock();
                   });
    return true;
  }();
  (void)registered;
  return all;
}

}  // namespace

ArenaLease::ArenaLease(int workers) {
  Resting& all = resting();
  {
    const std::lock_guard lock(all.mutex);
    const auto found =
        std::ranges::find(all.arenas, count_of(workers), [](const auto& arena) { return arena->workers(); });
    if (found != all.arenas.end()) {
      arena_ = std::move(*found);
      all.arenas.erase(found);
    }
  }
  if (!arena_) arena_ = std::make_unique<Arena>(workers);
}

ArenaLease::~ArenaLease() {
  std::unique_ptr<Arena> ended;  // outside of the lock: it waits for its threads
  Resting& all = resting();
  const std::lock_guard lock(all.mutex);
  all.arenas.push_back(std::move(arena_));
  if (all.arenas.size() > Resting::most) {
    ended = std::move(all.arenas.front());
    all.arenas.erase(all.arenas.begin());
  }
}

Arena::Arena(int workers) : workers_(count_of(workers)) {}

Arena::~Arena() {
  {
    std::lock_guard lock(state_->mutex);
    state_->is_ending = true;
  }
  state_->work_came.notify_all();
  for (std::thread& thread : threads_)
    if (thread.get_id() == std::this_thread::get_id())
      thread.detach();  // the last reference went in a task of ours
    else
      thread.join();
}

bool Arena::enqueue(std::function<void()> work) {
  State& state = *state_;
  bool is_free = true;
  {
    std::lock_guard lock(state.mutex);
    state.queue.push_back(std::move(work));
    if (state.queue.size() > state.idle) {
      is_free = threads_.size() < static_cast<size_t>(workers_);
      if (is_free) try {
          const int index = static_cast<int>(threads_.size());
          threads_.emplace_back([state = state_, index] { serve(state, index); });
        } catch (const std::system_error&) {  // as many as the system gives
          if (threads_.empty()) {
            state.queue.pop_back();
            throw;
          }
          is_free = false;
        }
    }
  }
  state.work_came.notify_one();
  return is_free;
}

void Arena::serve(const std::shared_ptr<State>& state, int index) {
  own_index = index;
  std::unique_lock lock(state->mutex);
  while (true) {
    ++state->idle;
    state->work_came.wait(lock, [&] { return state->is_ending || !state->queue.empty(); });
    --state->idle;
    if (state->queue.empty()) return;
    {
      std::function<void()> work = std::move(state->queue.front());
      state->queue.pop_front();
      lock.unlock();
      const cpu::Computing here;
      work();
    }
    lock.lock();
  }
}

int Arena::worker_index() { return own_index; }

bool Arena::has_this_thread() const {
  const std::lock_guard lock(state_->mutex);
  return std::ranges::any_of(threads_,
                             [](const std::thread& thread) { return thread.get_id() == std::this_thread::get_id(); });
}

}  // namespace kasoku
