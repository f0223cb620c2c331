// A ballot that is kept over warp operations, as a vector of 32 bits: code generation did not end.
// seed 1304280; grid 2; block 4 4 4; shared 0
// zeros u4 128; data u4 135 1304280; scalar u4 135; scalar u4 1000; zeros u4 1; unordered u4 1536; zeros u4 8 12
// crc 9c851a93
#include <cuda_fp16.h>
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned n, unsigned a, unsigned* taken, unsigned* queue, unsigned* sums) {
  const unsigned t = threadIdx.x + 4u * (threadIdx.y + 4u * threadIdx.z);
  const unsigned gid = blockIdx.x * 64u + t, lane = t & 31u;
  unsigned v0 = 7u;
  unsigned v1 = in[(gid * 2u + 1u) % n];
  unsigned v2 = 3u;
  unsigned v3 = gid * 2654435761u;
  unsigned v4 = 4u;
  unsigned u0 = blockIdx.x;
  unsigned u1 = in[a % n];
  unsigned m = ~0u;
  __syncthreads();
  v4 += (unsigned)__ballot_sync(m, !(v3 % 3u == 0u));
  for (int i1 = 0; i1 < 2; ++i1) {
    unsigned x3 = 8u;
    for (unsigned k2 = 0u; k2 < u0 % 14u; ++k2) {
      x3 = max(x3, in[(((unsigned)(v1 == 255u)) + k2) % n]);
    }
    v2 += (unsigned)x3;
    const unsigned* p4 = in + ((v3 + t)) % (n - 7u);
    for (int i5 = 0; i5 < 3; ++i5) { v4 = v4 * 31u + *p4; p4 += 2; }
    v2 ^= (min(v0, blockIdx.x) + (u0 & 256u));
    if (__ballot_sync(m, min(256u, v1) % 4u != 1u) != 0u) break;
  }
  v0 ^= __reduce_add_sync(m, (unsigned)((v1 / 10u)));
  v2 = (v4 | 32u);
  v4 = (unsigned)__ballot_sync(m, (1440356931u << (v2 & 31u)) == v1);
  __syncthreads();
  if ((v2 * v1)) queue[atomicAdd(&taken[0], 1u)] = v3;
  u0 += (unsigned)__syncthreads_or(((int)(threadIdx.y) % 2) >= ((int)(u0) >> 1));
  for (int i6 = 0; i6 < 4; ++i6) {
    v0 = (unsigned)__ballot_sync(m, v3);
    if (__all_sync(m, -((int)(v4) >> 1) == (((int)(t) >> 2) + ((int)(u0) >> 2)))) break;
  }
  v3 += (unsigned)__any_sync(m, (u1 - v0) > (v2 >> 16));
  v1 ^= (unsigned)__ballot_sync(m, max(u0, u0) >= u0);
  const bool c7 = (unsigned)(v0 > v0);
  m = __ballot_sync(m, !c7);
  if (c7) { out[gid] = v0 + v1 + v2; return; }
  u0 = (max(u1, u1) & u0);
  unsigned x9 = 255u;
  for (unsigned k8 = 0u; k8 < u0 % 11u; ++k8) {
    x9 += in[(threadIdx.x * 11u + k8) % n] * in[(k8 * 8u + gid) % n];
  }
  v2 += (unsigned)x9;
  v2 ^= (unsigned)__syncthreads_and((unsigned)(a <= v4));
  for (int i10 = 0; i10 < 4 && __ballot_sync(m, (unsigned)!(u0) >= v3) != 0u; ++i10) {
    v2 += (unsigned)__ballot_sync(m, (v1 >> (v1 & 31u)) >= (v2 & v0));
    unsigned x11 = (unsigned)(!(v2 % 4u < 2u));
    v0 ^= ((v1 ^ v2) - ((t / 32u) - v2));
    v3 += (unsigned)x11;
    atomicXor(sums + 2, (v0 + 2147483648u));
  }
  u1 = (u1 ^ u0);
  unsigned h = 17u;
  h = h * 31u + ((unsigned)v0);
  h = h * 31u + ((unsigned)v1);
  h = h * 31u + ((unsigned)v2);
  h = h * 31u + ((unsigned)v3);
  h = h * 31u + ((unsigned)v4);
  h = h * 31u + ((unsigned)u0);
  h = h * 31u + ((unsigned)u1);
  out[gid] = h;
}
