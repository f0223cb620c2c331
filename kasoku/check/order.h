/// \file kasoku/check/order.h
/// What fences and atomics order: the happens-before of one instrumented run.
///
/// A thread releases at a location what it (and, across a barrier, its block) did
/// before its last fence, and what others of its block did before fences of their own
/// that a barrier has since followed; who then reads that location atomically has acquired it,
/// and so has its block from its next barrier on. A barrier of a warp does the same among its lanes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace kasoku {

/// Points in the run, counted from 1; 0: never.
using Moment = uint64_t;

/// For each lane of a warp, the moment before which what it did is known: a vector clock.
using WarpClock = std::array<Moment, 32>;
/// The later moment of each lane.
void join(WarpClock& to, const WarpClock& from);

struct Agent {
  uint64_t block = 0, thread = 0;
  bool operator==(const Agent&) const = default;
};

class FenceOrder {
 public:
  /// `known`: what the agent knows of its warp.
  void fence(const Agent& agent, Moment now, uint32_t interval, const WarpClock& known);
  /// A fence that only the agent's block sees: it makes flags, and releases nothing here.
  void fence_of_block(const Agent& agent, Moment now);
  /// Whether the agent's last fence came after its last plain write.
  bool has_fenced(const Agent& agent);
  void plain_write(const Agent& agent, Moment now);
  /// An atomic write of `address`, or a volatile one behind a fence, in `interval` of the agent's block.
  void release(const Agent& agent, uint64_t address, Moment now, uint32_t interval);
  /// An atomic or volatile read of `address`; `is_relaxed`: it counts from the agent's next fence on.
  void acquire(const Agent& agent, uint64_t address, bool is_relaxed = false);
  /// `interval` ends for the agent.
  void barrier(const Agent& agent, uint32_t interval);
  /// Lanes at a barrier of their warp: what all bring, each takes along.
  struct Meeting;
  void arrive(const Agent& agent, Meeting& meeting);
  void leave(const Agent& agent, const Meeting& meeting);
  /// The same of threads of several warps, which do not count as one another's lanes.
  void arrive_in_part(const Agent& agent, Meeting& meeting);
  void leave_part(const Agent& agent, const Meeting& meeting);

  /// Whether what `earlier` did at `when`, in `interval` of its block, was released and has
  /// reached `later`, which is in its block's interval `now`. `is_atomic`: what it did there.
  bool covers(const Agent& earlier, Moment when, uint32_t interval, bool is_atomic, const Agent& later, uint32_t now);

 private:
  struct Hash {
    size_t operator()(const Agent& agent) const { return agent.block * 0x9E3779B97F4A7C15ull + agent.thread; }
  };
  /// The last fence of each thread of a block before `interval` began.
  struct Fences {
    uint32_t interval = 0;
    std::unordered_map<uint64_t, Moment> of;
  };
  std::shared_ptr<const Fences> fences_before(uint32_t interval);
  /// How far somebody's past reaches into others'.
  struct Clock {
    struct Reach {
      Moment data = 0, atomics = 0;
      uint32_t interval = 0;  ///< of the block: earlier ones lie before it entirely
      std::shared_ptr<const Fences> fences = {};  ///< of the block
    };
    std::unordered_map<Agent, Reach, Hash> agents;
    std::unordered_map<uint64_t, Reach> blocks;
    std::unordered_map<Agent, WarpClock, Hash> warps;  ///< by block and number
    bool is_empty() const { return agents.empty() && blocks.empty() && warps.empty(); }
    void join(const Clock& other);
    bool covers(const Agent& agent, Moment when, uint32_t interval, bool is_atomic) const;
  };
  struct Thread {
    Moment fenced = 0, wrote = 0, fenced_block = 0;
    Moment fenced_before = 0;  ///< in an earlier interval than `fenced`
    uint32_t interval = 0;     ///< at the fence
    WarpClock warp_fenced{};   ///< what lanes of its warp did before this was fenced, by them or behind their barrier
    Clock past;                ///< since its warp's last barrier
    Clock seen;                ///< what relaxed reads have found since the last fence
    std::shared_ptr<const Clock> past_of_warp;  ///< at that barrier
    void add_past(Clock& to) const;
  };
  Thread& thread(const Agent& agent);

  // Blocks run one after another: only the current one has threads.
  uint64_t block_ = ~0ull;
  std::unordered_map<uint64_t, Thread> threads_;
  Clock ready_, coming_;  ///< the block's: known to all its threads, from the next barrier on
  uint32_t coming_interval_ = 0;
  std::shared_ptr<const Fences> fences_;  ///< before the interval of the last release
  std::unordered_map<uint64_t, Clock> locations_;
  bool is_used_ = false;  ///< most kernels have no fences
};

struct FenceOrder::Meeting {
  WarpClock fenced{};
  std::shared_ptr<const Clock> past;
};

}  // namespace kasoku
