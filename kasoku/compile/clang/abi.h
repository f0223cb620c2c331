/// \file kasoku/compile/clang/abi.h
/// The contract between the prelude, the passes, the loader (device/cpu) and the
/// engine: what the text of a kernel becomes on a CPU.
///
/// 1. Prelude -> passes. The prelude maps CUDA's words to these functions, which
///    the passes replace (index functions are `const`, the others `convergent`):
///      unsigned ks_tid_x/y/z(), ks_bid_x/y/z(), ks_bdim_x/y/z(), ks_gdim_x/y/z()
///      void     ks_barrier()                          __syncthreads
///      void     ks_part_barrier/part_arrive(unsigned barrier, unsigned threads)  bar.sync, bar.arrive
///      int      ks_barrier_count/and/or(int)          __syncthreads_count/and/or
///      void     ks_warp_barrier(unsigned mask)        __syncwarp
///      unsigned ks_shfl_idx/up/down/xor_i32(unsigned mask, unsigned value, unsigned lane_or_delta, int width)
///      (the prelude builds the other types from 32-bit shuffles, 64-bit ones from _i64)
///      unsigned ks_ballot(unsigned mask, int predicate), ks_activemask()
///      unsigned ks_match_any_i32/i64(unsigned mask, value), ks_match_all_…
///      unsigned ks_reduce_add/and/or/xor/umin/umax/smin/smax(unsigned mask, unsigned value)
///      void     ks_grid_barrier()                     cooperative groups' grid.sync()
///      unsigned ks_dynamic_shared_bytes()
///    __shared__ variables arrive as internal (static) or external [0 x T]
///    (extern) globals with annotation "ks_shared"; __device__/__constant__ ones
///    as externally visible globals. A kernel has the annotation "ks_kernel".
///    A kernel carries the function attribute "ks-param-sizes"="8,8,12": bytes of
///    each parameter of the source, in order (0: an empty class that is not passed).
///    The passes need it because x86's calling convention splits small classes
///    over several IR arguments; without it one IR argument is one parameter.
///    "ks-no-return": its text has no return, so whoever is at its end has run all of it.
///
/// 2. Passes -> loader. The object of a kernel defines one function
///      void entry(void* const* args, const ks_launch* launch, uint64_t first_block, uint64_t last_block)
///    that runs blocks [first, last) in linear order (x fastest; y where the kernel reads
///    memory that way; loop by loop where blocks share a pass). It refers to the module's
///    globals and to run-time functions (below, libm, libmvec, mem*) as undefined symbols;
///    relocations are those of the PIC model (PC32, PLT32, GOTPCREL[X], REX_GOTPCRELX, 64).
///
/// 3. Run-time functions that generated code may call, given by device/cpu:
///      int   ks_rt_printf(const char* format, const void* packed)  — or vprintf-like, see prelude
///      void  ks_rt_assert_fail(const char* expr, const char* file, unsigned line, const char* function)
///      void  ks_rt_trap()
///      void* ks_rt_malloc(uint64_t) ; void ks_rt_free(void*)      device-side malloc
///      uint32_t ks_rt_place(const void*)          which memory an address is of (prelude/memory.h)
///      uint64_t ks_rt_clock(), ks_rt_globaltimer()
///      uint32_t ks_rt_schedule(ks_schedule*)    device/cpu/schedule.h: which threads go on,
///                                    for kernels whose threads reach barriers divergently
///      void     ks_rt_configure(const ks_child_shape*), then
///      void     ks_rt_launch(const char* symbol, void* const* args)  a kernel launches another; these and
///                                    what else of CUDA's runtime kernels call: prelude/launch.h
///    assert and trap end the launch: they set launch->status and the entry
///    returns at the next block boundary.
///
/// 4. KS_INFO of parse is the JSON of ModuleInfo (device/code.h; field names as
///    there), plus "initial_values": {symbol: hex}. KS_INFO of generate is
///    {"symbol", "scratch_bytes", "scratch_bytes_per_thread", "static_shared_bytes", "granule",
///     "spans_blocks", "blocks_in_turn", "waits_in_memory"};
///    the granule (passes/regions.h) and blocks_in_turn tell readers and tests how blocks run.
#pragma once

#include <stdint.h>

/// What a worker passes to a kernel's entry. Layout is part of the cache key.
struct ks_launch {
  uint32_t grid[3];
  uint32_t block[3];
  uint32_t shared_bytes;  ///< dynamic
  uint32_t reserved;
  void* shared;           ///< this worker's: static, then (16-aligned) dynamic; 64-aligned
  void* scratch;          ///< this worker's: values that live across a barrier; 64-aligned
  volatile int* status;   ///< nonzero: stop at the next block
  void* runtime;          ///< device/cpu's own
};

/// Raised whenever this contract changes; part of the cache key.
inline constexpr int ks_abi_version = 1;
