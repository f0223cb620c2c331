// <cuda/barrier>, <cuda/latch>, <cuda/semaphore>, <cuda/pipeline>, <cuda_pipeline.h>:
// barriers that live in memory, and copies in stages. A copy is done when its call returns;
// what is left is the order between threads.
#pragma once
#pragma clang system_header
#include <kasoku/cooperative_groups.h>
#include <kasoku/cuda_atomic.h>
#pragma clang force_cuda_host_device begin

namespace cuda {

struct ks_no_completion { ks_inline void operator()() const {} };
template <thread_scope s = thread_scope_system, class Completion = ks_no_completion>
class barrier {
 public:
  typedef int arrival_token;
  barrier() = default;
  ks_inline constexpr barrier(int n, Completion f = Completion()) : ks_expected(n), ks_arrived(0), ks_phase(0), ks_done(f) {}
  ks_inline static constexpr int max() { return 0x3fffffff; }
  ks_inline arrival_token arrive(int n = 1) {
    const int phase = ks_load(&ks_phase);
    if (__atomic_add_fetch(&ks_arrived, n, __ATOMIC_ACQ_REL) == ks_load(&ks_expected)) {
      ks_done();
      __atomic_store_n(&ks_arrived, 0, __ATOMIC_RELAXED);
      __atomic_fetch_add(&ks_phase, 1, __ATOMIC_RELEASE);
    }
    return phase;
  }
  ks_inline bool try_wait(const arrival_token& token) const { return ks_load(&ks_phase) != token; }
  ks_inline void wait(arrival_token token) const { ks_wait_until([&] { return ks_load(&ks_phase) != token; }); }
  ks_inline void wait_parity(bool parity) const { ks_wait_until([&] { return (ks_load(&ks_phase) & 1) != (int)parity; }); }
  ks_inline void arrive_and_wait() { wait(arrive()); }
  ks_inline void arrive_and_drop() {
    __atomic_fetch_sub(&ks_expected, 1, __ATOMIC_ACQ_REL);
    arrive(0);
  }
  ks_inline friend void init(barrier* b, int n, Completion f = Completion()) { *b = barrier(n, f); }

 private:
  int ks_expected, ks_arrived, ks_phase;
  Completion ks_done;
};

template <thread_scope s = thread_scope_system>
class latch {
  int ks_left;
 public:
  ks_inline constexpr explicit latch(int n) : ks_left(n) {}
  ks_inline void count_down(int n = 1) { __atomic_fetch_sub(&ks_left, n, __ATOMIC_ACQ_REL); }
  ks_inline bool try_wait() const { return ks_load(&ks_left) <= 0; }
  ks_inline void wait() const { ks_wait_until([&] { return ks_load(&ks_left) <= 0; }); }
  ks_inline void arrive_and_wait(int n = 1) { count_down(n), wait(); }
};
template <thread_scope s = thread_scope_system, int most = 0x3fffffff>
class counting_semaphore {
  int ks_free;
 public:
  ks_inline constexpr explicit counting_semaphore(int n) : ks_free(n) {}
  ks_inline void release(int n = 1) { __atomic_fetch_add(&ks_free, n, __ATOMIC_ACQ_REL); }
  ks_inline bool try_acquire() {
    int seen = ks_load(&ks_free);
    return seen > 0 && __atomic_compare_exchange_n(&ks_free, &seen, seen - 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
  }
  ks_inline void acquire() { ks_wait_until([&] { return try_acquire(); }); }
};
template <thread_scope s = thread_scope_system> using binary_semaphore = counting_semaphore<s, 1>;

// A size that is known to be a multiple of an alignment.
template <size_t align> struct aligned_size_t {
  size_t ks_bytes;
  ks_inline explicit constexpr aligned_size_t(size_t n) : ks_bytes(n) {}
  ks_inline constexpr operator size_t() const { return ks_bytes; }
};

enum class pipeline_role { producer, consumer };
template <thread_scope s, unsigned char stages> struct pipeline_shared_state {
  int ks_committed[stages], ks_released[stages];
};
// Threads that copy commit a stage, threads that read release it. Each stage counts for
// itself: a fast thread may have committed the next one already.
template <thread_scope s> class pipeline {
 public:
  ks_inline pipeline() = default;
  ks_inline pipeline(int* counts, int stages, int producers, int consumers)
      : ks_counts(counts), ks_stages(stages), ks_producers(producers), ks_consumers(consumers) {}
  ks_inline void producer_acquire() {
    if (!ks_counts) return;
    const int *count = ks_counts + ks_stages + ks_filled % ks_stages, needed = ks_filled / ks_stages * ks_consumers;
    ks_wait_until([&] { return ks_load(count) >= needed; });
  }
  ks_inline void producer_commit() {
    if (ks_counts) __atomic_fetch_add(&ks_counts[ks_filled % ks_stages], 1, __ATOMIC_ACQ_REL);
    ++ks_filled;
  }
  ks_inline void consumer_wait() {
    if (!ks_counts) return;
    const int *count = ks_counts + ks_read % ks_stages, needed = (ks_read / ks_stages + 1) * ks_producers;
    ks_wait_until([&] { return ks_load(count) >= needed; });
  }
  ks_inline void consumer_release() {
    if (ks_counts) __atomic_fetch_add(&ks_counts[ks_stages + ks_read % ks_stages], 1, __ATOMIC_ACQ_REL);
    ++ks_read;
  }
  ks_inline bool quit() { return true; }
  ks_inline void ks_wait_prior(int later) {
    const int read = ks_read;
    ks_read = ks_filled - later - 1;
    if (ks_read >= 0) consumer_wait();
    ks_read = read;
  }

 private:
  int* ks_counts = nullptr;
  int ks_stages = 1, ks_producers = 1, ks_consumers = 1, ks_filled = 0, ks_read = 0;
};
ks_inline pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <class Group, thread_scope s, unsigned char stages>
ks_inline pipeline<s> ks_make_pipeline(const Group& g, pipeline_shared_state<s, stages>* state, int producers) {
  if (g.thread_rank() == 0) memset(state, 0, sizeof(*state));
  g.sync();
  const int n = (int)g.size();
  return pipeline<s>(state->ks_committed, stages, producers < 0 ? n : producers, producers < 0 ? n : n - producers);
}
template <class Group, thread_scope s, unsigned char stages>
ks_inline pipeline<s> make_pipeline(const Group& g, pipeline_shared_state<s, stages>* state) { return ks_make_pipeline(g, state, -1); }
template <class Group, thread_scope s, unsigned char stages>
ks_inline pipeline<s> make_pipeline(const Group& g, pipeline_shared_state<s, stages>* state, size_t producers) {
  return ks_make_pipeline(g, state, (int)producers);
}
template <class Group, thread_scope s, unsigned char stages>
ks_inline pipeline<s> make_pipeline(const Group& g, pipeline_shared_state<s, stages>* state, pipeline_role role) {
  return ks_make_pipeline(g, state, __syncthreads_count(role == pipeline_role::producer));
}
template <unsigned char later, thread_scope s> ks_inline void pipeline_consumer_wait_prior(pipeline<s>& p) { p.ks_wait_prior(later); }
template <thread_scope s> ks_inline void pipeline_producer_commit(pipeline<s>& p, barrier<s>&) { p.producer_commit(); }

template <class T, class Size, class Sync>
ks_inline void memcpy_async(T* to, const T* from, Size bytes, Sync&) { memcpy((void*)to, (const void*)from, (size_t)bytes); }
template <class Sync> ks_inline void memcpy_async(void* to, const void* from, size_t bytes, Sync&) { memcpy(to, from, bytes); }
template <class Group, class T, class Size, class Sync>
ks_inline void memcpy_async(const Group& g, T* to, const T* from, Size bytes, Sync&) {
  cooperative_groups::memcpy_async(g, to, from, (size_t)bytes);
}
}  // namespace cuda

namespace cooperative_groups {
template <class Group, class T, class U, size_t align>
ks_inline void memcpy_async(const Group& g, T* to, const U* from, const cuda::aligned_size_t<align>& bytes) {
  memcpy_async(g, to, from, (size_t)bytes);
}
}  // namespace cooperative_groups

ks_inline void __pipeline_memcpy_async(void* to, const void* from, size_t bytes, size_t zeros = 0) {
  memcpy(to, from, bytes - zeros);
  memset((char*)to + bytes - zeros, 0, zeros);
}
ks_inline void __pipeline_commit() {}
ks_inline void __pipeline_wait_prior(size_t) {}

#pragma clang force_cuda_host_device end
