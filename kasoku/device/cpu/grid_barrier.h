/// \file kasoku/device/cpu/grid_barrier.h
/// Where the blocks of a cooperative launch meet, each of which has a thread.
#pragma once

#include <barrier>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

namespace kasoku::cpu {

class SerialScope;

class GridBarrier {
 public:
  /// `turns` makes blocks run one at a time, each up to the barrier.
  GridBarrier(uint64_t blocks, const SerialScope* turns);

  /// Before the block runs.
  void begin(uint64_t block);
  void arrive_and_wait();
  /// The block has ended: others do not wait for it any more.
  void arrive_and_drop(uint64_t block);

 private:
  void pass_turn();

  std::optional<std::barrier<>> all_;
  const SerialScope* const turns_;
  std::mutex mutex_;
  std::condition_variable changed_;
  uint64_t turn_ = 0;
  std::vector<bool> has_ended_;
};

}  // namespace kasoku::cpu
