// A uniform value that leaves a loop over rows: the vectoriser left poison in its users, and a later loop had no end.
// seed 102490; grid 1; block 2 32; shared 0
// zeros u4 64; data u4 71 102490; scalar u4 71; scalar u4 223999234; zeros u4 1; unordered u4 9216; zeros u4 8 12
// crc aa7bbb0b
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
template <typename T>
__device__ __noinline__ T b1(T* s, T x, unsigned t, unsigned by) {
  s[t] = x;
  __syncthreads();
  const T y = s[(t + by) % 64u];
  __syncthreads();
  return y;
}
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n, unsigned a, unsigned* taken, unsigned* queue, unsigned* sums) {
  const unsigned t = threadIdx.x + 2u * (threadIdx.y + 32u * threadIdx.z);
  const unsigned gid = blockIdx.x * 64u + t, lane = t & 31u;
  unsigned v0 = in[(gid * 1u + 0u) % n];
  unsigned v1 = t;
  unsigned v2 = 0u;
  unsigned v3 = in[gid];
  unsigned y0 = v3;
  unsigned y1 = in[gid];
  int y2 = ((int)(v1) >> 31);
  unsigned u0 = in[a % n];
  unsigned m = ~0u;
  __shared__ unsigned s0[64];
  s0[t] = (unsigned)v0;
  __shared__ unsigned s1[64];
  s1[t] = (unsigned)3u;
  __shared__ unsigned one; if (t == 0u) one = 1u;
  __shared__ unsigned bins[16], count, list[64];
  for (unsigned i = t; i < 16u; i += 64u) bins[i] = 0u;
  __syncthreads();
  for (unsigned i = t; i < 16u; i += 64u) bins[i] = 470796574u;
  __syncthreads();
  atomicAdd(bins + 6, v3);
  __shared__ unsigned two2[2][64];
  two2[0][t] = (((t >> 5) ^ u0) << 1);
  __syncthreads();
  for (int i3 = 0; i3 < 4; ++i3) {
    two2[(i3 + 1) & 1][t] = two2[i3 & 1][(t + 27u) % 64u] ^ v1;
    __syncthreads();
  }
  y1 ^= two2[0][63u - t];
  cg::this_thread_block().sync();
  __syncthreads();
  y0 ^= bins[(s0[t]) % 16u];
  __syncthreads();
  y2 = (((63u | s0[t]) & 4u) != 0u ? ((int)((y0 - u0)) >> 31) : (((63u ? y2 : y2) >> 2) + ((v3 >= in[gid] ? y2 : (int)(8u)) >> 2)));
  v2 = __reduce_add_sync(m, (unsigned)(((in[gid] ^ v2) >> ((s1[t] << (s1[t] & 31u)) & 31u))));
  const unsigned x4 = b1<unsigned>(s1, (y0 & v1), t, s0[t] & 255u);
  y0 += (unsigned)x4;
  const unsigned x5 = b1<unsigned>(s1, (y0 + (t / 32u)), t, u0 & 255u);
  v3 += (unsigned)x5;
  s0[t] = y1;
  __syncthreads();
  for (unsigned d = 32u; d > 0u; d >>= 1) {
    if (t < d && t + d < 64u) s0[t] = s0[t] + s0[t + d];
    __syncthreads();
  }
  v3 += (unsigned)s0[0];
  __syncthreads();
  const unsigned x6 = b1<unsigned>(s0, (u0 % 5u), t, (100u % 2u == 1u ? v3 : 3922715683u) & 255u);
  v2 += (unsigned)x6;
  unsigned h = 17u;
  h = h * 31u + ((unsigned)v0);
  h = h * 31u + ((unsigned)v1);
  h = h * 31u + ((unsigned)v2);
  h = h * 31u + ((unsigned)v3);
  h = h * 31u + ((unsigned)y0);
  h = h * 31u + ((unsigned)y1);
  h = h * 31u + ((unsigned)y2);
  h = h * 31u + ((unsigned)u0);
  h = h * 31u + ((unsigned)s0[t]);
  h = h * 31u + ((unsigned)s1[t]);
  out[gid] = h;
}
