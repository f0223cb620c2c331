// Threads that wait for what another thread of their block writes, without a barrier.
#include <cuda/atomic>

extern "C" __global__ void chain(const int* x, volatile int* sums, int n) {
  const int i = threadIdx.x;
  int next = 0;
  if (i + 1 < n)
    while ((next = sums[i + 1]) < 0) {}
  sums[i] = x[i] + next;
}

// A tree of cells, each thread with several: a cell is summed when its children are.
extern "C" __global__ void tree(const int* value, volatile int* sum, int cells) {
  int cell = threadIdx.x;
  while (cell < cells) {
    const int left = 2 * cell + 1, right = left + 1;
    const int a = left < cells ? sum[left] : 0, b = right < cells ? sum[right] : 0;
    if (a >= 0 && b >= 0) {
      sum[cell] = value[cell] + a + b;
      cell += blockDim.x;
    } else if (cell + blockDim.x < cells && sum[cell + blockDim.x] < 0) {
      const int later = cell + blockDim.x;
      const int c = 2 * later + 1 < cells ? sum[2 * later + 1] : 0, d = 2 * later + 2 < cells ? sum[2 * later + 2] : 0;
      if (c >= 0 && d >= 0) sum[later] = value[later] + c + d;
    }
  }
}

extern "C" __global__ void flags(int* ready, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_block> flag(*ready);
  if (threadIdx.x == blockDim.x - 1) flag.store(threadIdx.x, cuda::memory_order_release);
  int seen;
  while ((seen = flag.load(cuda::memory_order_acquire)) == 0) {}
  out[threadIdx.x] = seen;
}

// Warps each of which looks, all lanes together, at what a later warp writes, of its own block or of one
// that begins later; those that have seen it wait at a barrier for those that still look.
extern "C" __global__ void warps(const int* x, volatile int* sums, int* more, int n) {
  __shared__ int of_block[8];
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  int mine = x[warp * 32 + lane], again;
  do {
    again = 0;
    for (int later = warp + 1; later < n; later += 5) {
      const int seen = sums[later];
      if (lane == later % 32 && seen < 0) again = 1;
    }
  } while (__any_sync(~0u, again));
  for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(~0u, mine, d);
  if (lane == 0) of_block[threadIdx.x / 32] = sums[warp] = mine + (warp + 1 < n ? sums[warp + 1] : 0);
  const int positive = __syncthreads_count(x[warp * 32 + lane] > 50);
  more[warp * 32 + lane] = positive + of_block[(threadIdx.x / 32 + 1) % (blockDim.x / 32)];
}

// One warp makes rows, the next takes them from a ring of four in shared memory, the last waits for both.
extern "C" __global__ void ring(int* rows, int* last, int n) {
  __shared__ volatile int made, taken, slots[4][32];
  __shared__ int is_over;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) made = taken = is_over = 0;
  __syncthreads();
  if (warp == 0) {
    if (lane == 0)
      while (atomicAdd(&is_over, 0) == 0) {}
    __syncwarp();
    last[lane] = rows[(n - 1) * 32 + lane] + is_over;
  } else if (warp == 1) {
    for (int row = 0; row < n; ++row) {
      if (lane == 0)
        while (made <= row) {}
      __syncwarp();
      rows[row * 32 + lane] = slots[row % 4][31 - lane];
      __threadfence_block();
      __syncwarp();
      if (lane == 0) taken = row + 1;
    }
    if (lane == 31) atomicExch(&is_over, 7);
  } else {
    for (int row = 0; row < n; ++row) {
      while (row - taken >= 4) {}
      slots[row % 4][lane] = row * 100 + lane;
      __threadfence_block();
      __syncwarp();
      if (lane == 0) made = row + 1;
      __syncwarp();
    }
  }
}
