/// \file kasoku/compile/clang/passes/intrinsics.h
/// The functions of the prelude that the passes replace, see abi.h.
#pragma once

#include "kasoku/device/cpu/schedule.h"

#include <cstdint>

namespace llvm {
class CallInst;
class Function;
class IRBuilderBase;
class Instruction;
class Module;
class Value;
}  // namespace llvm

namespace kasoku::embedded {

/// Words whose value is known without running the thread.
enum class Index : uint8_t {
  tid_x, tid_y, tid_z, bid_x, bid_y, bid_z, bdim_x, bdim_y, bdim_z, gdim_x, gdim_y, gdim_z,
  dynamic_shared_bytes, none
};

/// Places where threads of a block wait for each other or exchange values.
enum class Sync : uint8_t {
  barrier = ks_sync_barrier,
  barrier_count = ks_sync_barrier_count,
  barrier_and = ks_sync_barrier_and,
  barrier_or = ks_sync_barrier_or,
  grid_barrier = ks_sync_grid_barrier,
  warp_barrier = ks_sync_warp_barrier,
  shfl_idx = ks_sync_shfl_idx,
  shfl_up = ks_sync_shfl_up,
  shfl_down = ks_sync_shfl_down,
  shfl_xor = ks_sync_shfl_xor,
  ballot = ks_sync_ballot,
  activemask = ks_sync_activemask,
  match_any = ks_sync_match_any,
  match_all = ks_sync_match_all,
  reduce_add = ks_sync_reduce_add,
  reduce_and = ks_sync_reduce_and,
  reduce_or = ks_sync_reduce_or,
  reduce_xor = ks_sync_reduce_xor,
  reduce_umin = ks_sync_reduce_umin,
  reduce_umax = ks_sync_reduce_umax,
  reduce_smin = ks_sync_reduce_smin,
  reduce_smax = ks_sync_reduce_smax,
  loop = ks_sync_loop,  ///< put in by converge_loops.h: no thread waits, but the loop is cut here
  lane_loop = ks_sync_lane_loop,  ///< the same for the lanes of a warp
  turn = ks_sync_turn,  ///< put in by volatile_barriers.h: a warp that looks again later lets others run
  aggregate = ks_sync_aggregate,  ///< put in by aggregate_atomics.h: where a block knows what it adds to a counter
  part_barrier = ks_sync_part_barrier,  ///< one of 16, to which a number of threads comes
  part_arrive = ks_sync_part_arrive,    ///< the same without waiting
  none = ks_sync_none
};

Index index_of(const llvm::Instruction& instruction);
llvm::Value* index_value(llvm::IRBuilderBase& build, Index index);
Sync sync_of(const llvm::Instruction& instruction);
Sync sync_of(const llvm::Function& function);

inline bool is_of_part(Sync sync) { return sync == Sync::part_barrier || sync == Sync::part_arrive; }
inline bool is_block_barrier(Sync sync) {
  return sync <= Sync::grid_barrier || sync == Sync::aggregate || is_of_part(sync);
}
inline bool is_voting_barrier(Sync sync) {
  return sync >= Sync::barrier_count && sync <= Sync::barrier_or;
}
inline bool is_warp_operation(Sync sync) {
  return sync >= Sync::warp_barrier && sync <= Sync::reduce_smax;
}
inline bool is_reduction(Sync sync) { return sync >= Sync::reduce_add && sync <= Sync::reduce_smax; }
inline bool is_loop_cut(Sync sync) { return sync >= Sync::loop && sync <= Sync::turn; }
inline bool is_shuffle(Sync sync) { return sync >= Sync::shfl_idx && sync <= Sync::shfl_xor; }

/// The declaration of a sync that is_loop_cut.
llvm::Function* loop_barrier(llvm::Module& module, Sync kind);

/// A call that runs and never comes back: assert and trap.
bool ends_thread(const llvm::Instruction& instruction);

}  // namespace kasoku::embedded
