/// \file kasoku/device/cpu/schedule.h
/// Which threads of a block go on, where the compiler could not tell that all of
/// them take the same way to their barriers.
///
/// Threads run one after another until each has stopped at a place where it
/// meets others. Then, in this order: lanes of a warp go on whose mask is
/// complete, and threads at a numbered barrier to which as many have come as it
/// asks for; if there are none, all threads if every one that is left waits at a
/// block barrier (any one: CUDA counts arrivals, not places); else the lanes of
/// each warp that are least far, which is what hardware does with a mask that
/// names lanes that never come, or those at numbered barriers.
#pragma once

#include <cstdint>

/// The kinds of points at which threads wait for each other. The order is part of the cache key.
enum ks_sync : uint8_t {
  ks_sync_barrier, ks_sync_barrier_count, ks_sync_barrier_and, ks_sync_barrier_or,
  ks_sync_grid_barrier,
  ks_sync_warp_barrier, ks_sync_shfl_idx, ks_sync_shfl_up, ks_sync_shfl_down, ks_sync_shfl_xor,
  ks_sync_ballot, ks_sync_activemask, ks_sync_match_any, ks_sync_match_all,
  ks_sync_reduce_add, ks_sync_reduce_and, ks_sync_reduce_or, ks_sync_reduce_xor,
  ks_sync_reduce_umin, ks_sync_reduce_umax, ks_sync_reduce_smin, ks_sync_reduce_smax,
  ks_sync_loop, ks_sync_lane_loop, ks_sync_turn, ks_sync_aggregate,
  ks_sync_part_barrier, ks_sync_part_arrive,  ///< for a number of threads: one of 16 barriers, as `mask` says
  ks_sync_none
};

/// A block whose threads reach different places: arrays over its threads. All
/// threads have stopped; ks_rt_schedule says who goes on and hands over what
/// they exchanged.
struct ks_schedule {
  uint32_t threads;
  uint32_t done;         ///< the state of a thread that has returned
  const uint8_t* kinds;  ///< ks_sync by state; smaller states are earlier in the text
  uint32_t* state;       ///< where each thread stopped
  uint8_t* run;          ///< out: whether it goes on
  uint32_t* mask;        ///< which lanes it wants to meet, 0: whoever may come; at a numbered barrier
                         ///< how many meet there, times 16, and its number
  uint64_t* in;          ///< what it brought
  uint64_t* out;         ///< what it takes along
  uint32_t* active;      ///< out: the lanes that it met
  uint32_t come[16];     ///< how many have come to each numbered barrier; zeros at first
};

/// How many threads go on; 0: all have returned. Called by generated code.
extern "C" uint32_t ks_rt_schedule(ks_schedule* schedule);
