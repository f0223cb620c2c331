// Threads that take places in an array from a counter, in all the ways that people write it.
#define FULL 0xffffffffu
#define INDEX (blockIdx.x * blockDim.x + threadIdx.x)

__device__ bool wanted(int v) { return v % 3 == 0; }

extern "C" __global__ void each(const int* in, int* out, unsigned* count, int n) {
  int i = INDEX;
  if (i < n && wanted(in[i])) out[atomicAdd(count, 1u)] = in[i];
}

extern "C" __global__ void each_returns(const int* in, int* out, unsigned* count, int n) {
  int i = INDEX;
  if (i >= n) return;
  int v = in[i];
  if (!wanted(v)) return;
  unsigned at = atomicAdd(count, 1u);
  out[at] = v;
}

extern "C" __global__ void ballots(const int* in, int* out, unsigned* count, int n) {
  int i = INDEX, lane = threadIdx.x & 31;
  int v = i < n ? in[i] : 1;
  bool keep = wanted(v);
  unsigned kept = __ballot_sync(FULL, keep), base = 0;
  if (lane == 0) base = atomicAdd(count, (unsigned)__popc(kept));
  base = __shfl_sync(FULL, base, 0);
  if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = v;
}

// The first lane that has something is the one that adds.
extern "C" __global__ void first_of_warp(const int* in, int* out, unsigned* count, int n) {
  int i = INDEX, lane = threadIdx.x & 31;
  bool keep = i < n && wanted(in[i]);
  unsigned kept = __ballot_sync(FULL, keep), base = 0;
  int first = __ffs(kept) - 1;
  if (lane == first) base = atomicAdd(count, (unsigned)__popc(kept));
  base = __shfl_sync(FULL, base, first);
  if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = in[i];
}

extern "C" __global__ void blocks(const int* in, int* out, unsigned* count, int n) {
  __shared__ int sums[1024];
  __shared__ unsigned base;
  int i = INDEX, t = threadIdx.x;
  int keep = i < n && wanted(in[i]);
  sums[t] = keep;
  __syncthreads();
  for (int d = 1; d < blockDim.x; d *= 2) {
    int v = t >= d ? sums[t - d] : 0;
    __syncthreads();
    sums[t] += v;
    __syncthreads();
  }
  if (t == 0) base = atomicAdd(count, (unsigned)sums[blockDim.x - 1]);
  __syncthreads();
  if (keep) out[base + sums[t] - 1] = in[i];
}

// The block's own list in memory of a size that the launch says.
extern "C" __global__ void lists(const int* in, int* out, unsigned* count, int n) {
  extern __shared__ int list[];
  __shared__ unsigned length, base;
  if (threadIdx.x == 0) length = 0;
  __syncthreads();
  int i = INDEX;
  if (i < n && wanted(in[i])) list[atomicAdd(&length, 1u)] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(count, length);
  __syncthreads();
  for (unsigned k = threadIdx.x; k < length; k += blockDim.x) out[base + k] = list[k];
}

extern "C" __global__ void strides(const int* in, int* out, unsigned* count, int n) {
  for (int i = INDEX; i < n; i += gridDim.x * blockDim.x)
    if (wanted(in[i])) out[atomicAdd(count, 1u)] = in[i];
}

extern "C" __global__ void strides_of_ballots(const int* in, int* out, unsigned* count, int n) {
  int lane = threadIdx.x & 31;
  for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
    int i = first + threadIdx.x;
    bool keep = i < n && wanted(in[i]);
    unsigned kept = __ballot_sync(FULL, keep), base = 0;
    if (lane == 0 && kept) base = atomicAdd(count, (unsigned)__popc(kept));
    base = __shfl_sync(FULL, base, 0);
    if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = in[i];
  }
}

extern "C" __global__ void strides_of_blocks(const int* in, int* out, unsigned* count, int n) {
  __shared__ unsigned length, base;
  for (int first = blockIdx.x * blockDim.x; first < n; first += gridDim.x * blockDim.x) {
    if (threadIdx.x == 0) length = 0;
    __syncthreads();
    int i = first + threadIdx.x;
    bool keep = i < n && wanted(in[i]);
    unsigned own = keep ? atomicAdd(&length, 1u) : 0;
    __syncthreads();
    if (threadIdx.x == 0) base = atomicAdd(count, length);
    __syncthreads();
    if (keep) out[base + own] = in[i];
    __syncthreads();
  }
}

// Into an array that may be full.
extern "C" __global__ void limited(const int* in, int* out, unsigned* count, int n, unsigned most) {
  int i = INDEX;
  if (i < n && wanted(in[i])) {
    unsigned at = atomicAdd(count, 1u);
    if (at < most) out[at] = in[i];
  }
}

// Two places each, of a counter that may pass zero.
extern "C" __global__ void pairs(const int* in, int* out, unsigned* count, int n, unsigned mask) {
  int i = INDEX;
  if (i < n && wanted(in[i])) {
    unsigned at = atomicAdd(count, 2u);
    out[at & mask] = in[i];
    out[(at + 1) & mask] = -in[i] - 1;
  }
}

extern "C" __global__ void wide(const int* in, int* out, unsigned long long* count, int n) {
  int i = INDEX;
  if (i < n && wanted(in[i])) out[atomicAdd(count, 1ull) - (1ull << 40)] = in[i];
}

// Wanted ones from the left, others from the right.
extern "C" __global__ void sides(const int* in, int* out, unsigned* counts, int n) {
  int i = INDEX, lane = threadIdx.x & 31;
  bool here = i < n, keep = here && wanted(in[i]);
  unsigned kept = __ballot_sync(FULL, keep), other = __ballot_sync(FULL, here && !keep), low = 0, high = 0;
  if (lane == 0) {
    low = atomicAdd(&counts[0], (unsigned)__popc(kept));
    high = atomicAdd(&counts[1], (unsigned)__popc(other));
  }
  low = __shfl_sync(FULL, low, 0), high = __shfl_sync(FULL, high, 0);
  unsigned below = (1u << lane) - 1;
  if (keep) out[low + __popc(kept & below)] = in[i];
  else if (here) out[n - 1 - high - __popc(other & below)] = in[i];
}

extern "C" __global__ void sides_each(const int* in, int* out, unsigned* counts, int n) {
  int i = INDEX;
  if (i >= n) return;
  if (wanted(in[i])) out[atomicAdd(&counts[0], 1u)] = in[i];
  else out[n - 1 - atomicAdd(&counts[1], 1u)] = in[i];
}

extern "C" __global__ void numbers(unsigned* number, unsigned* count, int n) {
  int i = INDEX;
  if (i < n) number[i] = atomicAdd(count, 3u);
}

// Each thread is the same to the text.
extern "C" __global__ void alike(unsigned* number, unsigned* count) { number[atomicAdd(count, 1u)] = blockIdx.x; }

// Nobody comes to the third way, and two ways are one.
extern "C" __global__ void ways(const int* in, int* out, unsigned* count, int n) {
  int i = INDEX, v = i < n ? in[i] : 1;
  switch (v % 6) {
    case 0: case 3: out[atomicAdd(count, 1u)] = v; break;
    case 1: case 2: case 5: v += 3; break;
    case -1: out[0] = 5;
  }
  if (i < n && v % 3 == 0 && v < 0) out[1] = 7;
}

// What was there before, asked without a change, and what is there now.
extern "C" __global__ void looks(const int* in, unsigned* seen, unsigned* count, int n) {
  int i = INDEX;
  if (i >= n) return;
  if (wanted(in[i])) atomicAdd(count, 1u);
  seen[i] = atomicAdd(count, 0u);
}

// The element is read, and then its place is used for something else.
extern "C" __global__ void moves(int* in, int* out, unsigned* count, int n) {
  int i = INDEX;
  if (i >= n) return;
  int v = in[i];
  in[i] = wanted(v) ? -1 : v + 1;
  if (in[i] < 0) out[atomicAdd(count, 1u)] = v;
}

// What a thread has gathered in memory of its own outlives the addition.
extern "C" __global__ void own_memory(const int* in, int* out, unsigned* count, int n) {
  int i = INDEX, found[4], k = 0;
  for (int j = 0; j < 4; ++j)
    if (4 * i + j < n && wanted(in[4 * i + j])) found[k++] = in[4 * i + j];
  if (k == 4) {
    unsigned at = atomicAdd(count, 4u);
    for (int j = 0; j < k; ++j) out[at + j] = found[3 - j];
  }
}

// As many places as the element says.
extern "C" __global__ void amounts(const int* in, int* out, unsigned* count, int n) {
  int i = INDEX;
  if (i >= n) return;
  int k = in[i] % 4;
  unsigned at = atomicAdd(count, (unsigned)k);
  for (int j = 0; j < k; ++j) out[at + j] = in[i];
}

// A frontier: each place is entered once.
extern "C" __global__ void enters(const int* to, int* visited, int* out, unsigned* count, int n) {
  int i = INDEX;
  if (i < n && atomicCAS(&visited[to[i]], 0, 1) == 0) out[atomicAdd(count, 1u)] = to[i];
}

extern "C" __global__ void enters_neighbours(const int* begins, const int* to, int* visited, int* out, unsigned* count, int n) {
  int i = INDEX;
  if (i >= n) return;
  for (int e = begins[i]; e < begins[i + 1]; ++e)
    if (atomicExch(&visited[to[e]], 1) == 0) out[atomicAdd(count, 1u)] = to[e];
}

extern "C" __global__ void takes_work(const int* in, int* out, unsigned* head, int n) {
  for (unsigned i = atomicAdd(head, 1u); i < n; i = atomicAdd(head, 1u)) out[i] = in[i] + 1;
}

extern "C" __global__ void block_takes_work(const int* in, int* out, unsigned* head, int n) {
  __shared__ unsigned first;
  for (;;) {
    if (threadIdx.x == 0) first = atomicAdd(head, blockDim.x);
    __syncthreads();
    unsigned i = first + threadIdx.x;
    if (first >= n) break;
    if (i < n) out[i] = in[i] + 1;
    __syncthreads();
  }
}

// The last block to come adds up what all left.
extern "C" __global__ void last_block(const int* in, int* partial, unsigned* done, int* sum, int n) {
  __shared__ int of_block;
  __shared__ bool is_last;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  int i = INDEX;
  if (i < n) atomicAdd(&of_block, in[i]);
  __syncthreads();
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = of_block;
    __threadfence();
    is_last = atomicAdd(done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    int all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) all += ((volatile int*)partial)[b];
    *sum = all;
  }
}

// Two additions of the few who come, of which the first has a loop behind it.
extern "C" __global__ void two_on_one_way(const int* in, int* out, unsigned* counts, int n) {
  int i = INDEX, v = i < n ? in[i] : 0;
  unsigned k = v % 4, more = 0;
  if (threadIdx.x == 0) {
    unsigned at = atomicAdd(&counts[0], k);
    for (unsigned j = 0; j < k; ++j)
      if (at + j < n) atomicAdd(&out[at + j], i + 1);
    more = atomicAdd(&counts[1], 2u);
    for (unsigned j = 0; j < 2; ++j)
      if (more + j < n) atomicAdd(&out[n - 1 - more - j], i + 1);
    more = 2;
  }
  if (i < n) out[n + i] = k + more;
}

// What the first lane stores is made before the additions, and only there.
extern "C" __global__ void first_lane_twice(unsigned* out, unsigned* count, unsigned* added) {
  unsigned i = INDEX, sum = 0;
  if ((threadIdx.x & 31) == 0) {
    unsigned at = atomicAdd(count, 2u);
    for (unsigned j = 0; j < 2; ++j) atomicAdd(&out[at + j], 4 * i + 1);
    at = atomicAdd(count, 1u);
    atomicAdd(&out[at], 4 * i + 2);
    sum = 3;
  }
  added[i] = sum;
}

// All threads add to the block's, whose places are asked for after a barrier.
extern "C" __global__ void all_of_block(int* seen, unsigned* counts) {
  __shared__ unsigned length, base;
  if (threadIdx.x == 0) length = 0;
  __syncthreads();
  unsigned own = atomicAdd(&length, 1u);
  __syncthreads();
  if (threadIdx.x == 0) base = atomicAdd(&counts[1], length);
  __syncthreads();
  seen[base + own] = blockIdx.x;
}

// A parameter says whose counter it is.
extern "C" __global__ void own_or_all(int* seen, unsigned* count, bool is_own) {
  __shared__ unsigned own;
  if (threadIdx.x == 0) own = 0;
  __syncthreads();
  seen[INDEX] = atomicAdd(is_own ? &own : count, 1u);
}

// A counter that nobody adds to need not be there.
extern "C" __global__ void perhaps(const int* in, int* out, unsigned* count, int n, bool adds) {
  int i = INDEX;
  if (adds && i < n && wanted(in[i])) out[atomicAdd(count, 1u)] = in[i];
}

// A lock is held while a place is taken: a block that waits for it must not keep its holder from going on.
extern "C" __global__ void locked(const int* in, int* out, unsigned* count, int* lock, int* sum, int n) {
  __shared__ unsigned base;
  int kept = __syncthreads_count(INDEX < n && wanted(in[INDEX]));
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    base = atomicAdd(count, (unsigned)kept);
    atomicAdd(sum, kept);
    atomicExch(lock, 0);
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = base;
}
