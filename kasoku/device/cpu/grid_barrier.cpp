#include "kasoku/device/cpu/grid_barrier.h"

#include "kasoku/device/cpu/pool.h"

namespace kasoku::cpu {

GridBarrier::GridBarrier(uint64_t blocks, const SerialScope* turns) : turns_(turns), has_ended_(blocks) {
  if (!turns) all_.emplace(static_cast<ptrdiff_t>(blocks));
}

void GridBarrier::begin(uint64_t block) {
  if (all_) return;
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return turn_ == block; });
}

void GridBarrier::arrive_and_wait() {
  if (all_) return all_->arrive_and_wait();
  std::unique_lock lock(mutex_);
  const uint64_t own = turn_;
  pass_turn();
  changed_.wait(lock, [&] { return turn_ == own; });
}

void GridBarrier::arrive_and_drop(uint64_t block) {
  if (all_) return all_->arrive_and_drop();
  std::lock_guard lock(mutex_);
  has_ended_[block] = true;
  if (turn_ == block) pass_turn();
}

/// To the next block that has not ended; behind the last one stands the first, past the barrier.
void GridBarrier::pass_turn() {
  const uint64_t blocks = has_ended_.size();
  for (uint64_t i = 1; i <= blocks; ++i) {
    const uint64_t next = (turn_ + i) % blocks;
    if (has_ended_[next]) continue;
    if (next <= turn_ && turns_->meets) turns_->meets();
    turn_ = next;
    return changed_.notify_all();
  }
}

}  // namespace kasoku::cpu
