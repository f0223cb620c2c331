#include "kasoku/task/arena.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>

#include "kasoku/device/cpu/pool.h"

namespace kasoku {

struct Arena::Threads {
  explicit Threads(int workers)
      : enough(tbb::global_control::max_allowed_parallelism,
               std::max<size_t>(workers, cpu::worker_count()) + 1),
        arena(workers, /*reserved_for_masters=*/0) {}

  tbb::global_control enough;
  tbb::task_arena arena;
};

Arena::Arena(int workers)
    : workers_(workers > 0 ? workers : static_cast<int>(cpu::worker_count())),
      threads_(std::make_unique<Threads>(workers_)) {}

Arena::~Arena() = default;

void Arena::enqueue(std::function<void()> work) {
  threads_->arena.enqueue([work = std::move(work)] { work(); });
}

int Arena::worker_index() { return tbb::this_task_arena::current_thread_index(); }

}  // namespace kasoku
