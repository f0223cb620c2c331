#include <cub/block/block_reduce.cuh>

#define FULL 0xffffffffu

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(FULL, v, d);
  return v;
}
__device__ float warp_max(float v) {
  for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL, v, d));
  return v;
}
// Of a block of 256, in all its threads.
__device__ float block_sum(float v, float* s) {
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = s[threadIdx.x % 8];
  for (int d = 4; d > 0; d >>= 1) v += __shfl_xor_sync(FULL, v, d);
  return v;
}
__device__ float block_max(float v, float* s) {
  v = warp_max(v);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = s[threadIdx.x % 8];
  for (int d = 4; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(FULL, v, d));
  return v;
}

extern "C" __global__ void scan(const float* in, float* out) {
  __shared__ float sums[8];
  int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 256 + t;
  float v = in[i];
  for (int d = 1; d < 32; d <<= 1) {
    float o = __shfl_up_sync(FULL, v, d);
    if (lane >= d) v += o;
  }
  if (lane == 31) sums[t >> 5] = v;
  __syncthreads();
  float before = 0;
  for (int w = 0; w < t >> 5; ++w) before += sums[w];
  out[i] = v + before;
}

extern "C" __global__ void cub_sum(const float* in, float* out) {
  typedef cub::BlockReduce<float, 256> Reduce;
  __shared__ typename Reduce::TempStorage storage;
  float sum = Reduce(storage).Sum(in[blockIdx.x * 256 + threadIdx.x]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

extern "C" __global__ void compact(const float* in, float* out, unsigned* count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  float v = i < n ? in[i] : 0.0f;
  bool keep = v > 0.5f;
  unsigned kept = __ballot_sync(FULL, keep), base = 0;
  if (lane == 0) base = atomicAdd(count, (unsigned)__popc(kept));
  base = __shfl_sync(FULL, base, 0);
  if (keep) out[base + __popc(kept & ((1u << lane) - 1))] = v;
}

extern "C" __global__ void bitonic(const float* in, float* out) {
  __shared__ float s[512];
  int t = threadIdx.x;
  s[t] = in[blockIdx.x * 512 + t];
  __syncthreads();
  for (int k = 2; k <= 512; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      int other = t ^ j;
      if (other > t) {
        float a = s[t], b = s[other];
        if ((t & k) == 0 ? a > b : a < b) s[t] = b, s[other] = a;
      }
      __syncthreads();
    }
  out[blockIdx.x * 512 + t] = s[t];
}

// A row of `columns` for each block of 256.
extern "C" __global__ void softmax(const float* in, float* out, int columns) {
  __shared__ float a[8], b[8];
  in += (long)blockIdx.x * columns, out += (long)blockIdx.x * columns;
  float most = -INFINITY, sum = 0;
  for (int i = threadIdx.x; i < columns; i += 256) most = fmaxf(most, in[i]);
  most = block_max(most, a);
  for (int i = threadIdx.x; i < columns; i += 256) sum += expf(in[i] - most);
  sum = block_sum(sum, b);
  for (int i = threadIdx.x; i < columns; i += 256) out[i] = expf(in[i] - most) / sum;
}

// A row of `columns` for each warp.
extern "C" __global__ void layer_norm(const float* in, float* out, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  in += (long)row * columns, out += (long)row * columns;
  float sum = 0, squares = 0;
  for (int i = lane; i < columns; i += 32) {
    float v = in[i];
    sum += v, squares += v * v;
  }
  sum = warp_sum(sum), squares = warp_sum(squares);
  float mean = sum / columns, scale = rsqrtf(squares / columns - mean * mean + 1e-5f);
  for (int i = lane; i < columns; i += 32) out[i] = (in[i] - mean) * scale;
}

// The sum of each segment by a warp.
extern "C" __global__ void segments(const float* in, const int* begins, float* out, int n) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= n) return;
  float sum = 0;
  for (int i = begins[warp] + lane; i < begins[warp + 1]; i += 32) sum += in[i];
  sum = warp_sum(sum);
  if (lane == 0) out[warp] = sum;
}

extern "C" __global__ void dot(const float* x, const float* y, float* out, int n) {
  __shared__ float s[8];
  float sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += x[i] * y[i];
  sum = block_sum(sum, s);
  if (threadIdx.x == 0) atomicAdd(out, sum);
}

extern "C" __global__ void leaves_early(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  if (i >= n) return;
  s[t] = in[i];
  __syncthreads();
  out[i] = s[t] + s[t ^ 1] * 0.5f;
}

// Each lane of a warp in which some have nothing to do.
extern "C" __global__ void partly(const float* in, float* out, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  unsigned there = __ballot_sync(FULL, i < n && in[i] < 0.75f);
  if (there >> (threadIdx.x & 31) & 1) {
    float v = in[i], o = __shfl_xor_sync(there, v, 1);
    out[i] = there >> ((threadIdx.x & 31) ^ 1) & 1 ? v + o : v;
  }
}
