// Barriers, fences, clocks, and what ends a launch.
#pragma once

extern "C" {
void ks_barrier() ks_convergent;
void ks_part_barrier(unsigned barrier, unsigned threads) ks_convergent;
int ks_barrier_count(int) ks_convergent;
int ks_barrier_and(int) ks_convergent;
int ks_barrier_or(int) ks_convergent;
void ks_warp_barrier(unsigned mask) ks_convergent;
void ks_grid_barrier() ks_convergent;
// Both end the thread, not the process.
__attribute__((noreturn)) void ks_rt_trap();
__attribute__((noreturn)) void ks_rt_assert_fail(const char* expression, const char* file, unsigned line,
                                                 const char* function);
unsigned long long ks_rt_clock();
unsigned long long ks_rt_globaltimer();
}

ks_inline void __syncthreads() { ks_barrier(); }
ks_inline int __syncthreads_count(int p) { return ks_barrier_count(p); }
ks_inline int __syncthreads_and(int p) { return ks_barrier_and(p); }
ks_inline int __syncthreads_or(int p) { return ks_barrier_or(p); }
ks_inline void __syncwarp(unsigned mask = 0xffffffffu) { ks_warp_barrier(mask); }
ks_inline void __barrier_sync(unsigned) { ks_barrier(); }
ks_inline void __barrier_sync_count(unsigned barrier, unsigned threads) { ks_part_barrier(barrier, threads); }

ks_inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
ks_named void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
ks_inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

ks_inline void __trap() { ks_rt_trap(); }
ks_inline void __brkpt() {}
ks_inline void __brkpt(int) {}
ks_inline void abort() { ks_rt_trap(); }
ks_inline long long clock64() { return (long long)ks_rt_clock(); }
ks_inline clock_t clock() { return (clock_t)(int)ks_rt_clock(); }
ks_inline unsigned long long __globaltimer() { return ks_rt_globaltimer(); }
ks_inline void __nanosleep(unsigned) { __builtin_ia32_pause(); }
ks_inline void __prof_trigger(int) {}
#ifdef NDEBUG
#define assert(x) ((void)0)
#else
#define assert(x) \
  ((x) ? (void)0 : ks_rt_assert_fail(#x, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
