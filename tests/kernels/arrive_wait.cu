#include <cuda/barrier>

// The second half of the block fills a buffer, the first half adds it up: two barriers say
// when it is full and when it is free.
extern "C" __global__ void relay(const int* in, int* out, int rounds) {
  __shared__ cuda::barrier<cuda::thread_scope_block> full, empty;
  __shared__ int buffer[32];
  const int t = threadIdx.x;
  if (t == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  if (t >= 32) {
    for (int r = 0; r < rounds; ++r) {
      empty.arrive_and_wait();
      buffer[t - 32] = in[r * 32 + t - 32];
      auto token = full.arrive();
      (void)token;
    }
    empty.arrive();
  } else {
    int sum = 0;
    for (int r = 0; r < rounds; ++r) {
      auto token = empty.arrive();
      (void)token;
      full.arrive_and_wait();
      sum += buffer[31 - t];
    }
    out[t] = sum;
  }
}
