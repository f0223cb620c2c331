// A bit field of a sum with the thread index, compared: it begins anew within the warp, and the loop was split as if it did not.
// seed 2009719; grid 1; block 31; shared 0
// zeros u4 31; data u4 38 2009719; scalar u4 38; scalar u4 7; zeros u4 8 12
// crc 8a196733
__device__ unsigned g1(unsigned x, unsigned y) {
  unsigned z = 108892824u; const unsigned a = 5u, n = 7u;
  x &= z;
  auto f2 = [&](unsigned x3) -> unsigned {
    y -= ((y >> 3) % 3u);
    if (!(y)) return (x + y);
    return (unsigned)76;
  };
  z ^= (unsigned)f2(min(y, a));
  y = (x ^ z);
  return z ^ x + (unsigned)y;
}
template <typename T>
__device__ T w4(unsigned m, T x) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(m, x, d); return x;
}
__device__ __forceinline__ unsigned w5(unsigned m, unsigned x, unsigned lane) {
  unsigned z = 4294967295u; const unsigned a = 5u, n = 7u;
  z += (unsigned)__all_sync(m, ((z * z) & 4u) == 0u);
  z = (617069795u + x);
  auto f6 = [&](unsigned x7) -> unsigned {
    x7 += x7;
    if (x7 % 4u == 1u) return z;
    return (z % 10u);
  };
  z ^= (unsigned)f6((16u ^ x));
  return z ^ x;
}
extern "C" __global__ void k(unsigned* __restrict__ out, const unsigned* __restrict__ in, unsigned n, unsigned a, unsigned* __restrict__ sums) {
  const unsigned t = threadIdx.x;
  const unsigned gid = blockIdx.x * 31u + t, lane = t & 31u;
  unsigned v0 = 4u;
  unsigned v1 = t;
  unsigned u0 = in[a % n];
  unsigned u1 = n;
  int many[8]; for (int i = 0; i < 8; ++i) many[i] = (int)in[(gid + i) % n];
  __shared__ unsigned s0[31];
  s0[t] = (unsigned)v0;
  __shared__ unsigned one; if (t == 0u) one = 1u;
  __syncthreads();
  if (s0[t] < in[(in[gid + 5u]) % n]) s0[t] = u1;
  __syncthreads();
  v1 += (unsigned)s0[((u0 | v0)) % 31u];
  __syncthreads();
  auto f8 = [&](unsigned x9) -> unsigned {
    s0[t] ^= -(x9);
    v0 = (in[(u0) % n] | (t >> 5));
    if ((4u >> (v1 & 31u))) return v0;
    return ((u1 + x9) % 7u);
  };
  v0 ^= (unsigned)f8((blockIdx.x - (t / 32u)));
  atomicAdd(sums + u0 % 8u, (v1 + v0));
  auto f10 = [&](unsigned x11) -> unsigned {
    const unsigned here12 = __ballot_sync(~0u, 1);
    { const unsigned d = ((u1 - in[gid + 3u]) & 31u); const unsigned y = __shfl_sync(~0u, (unsigned)(((lane << 3) & 3716512310u)), d);
      v1 += here12 >> ((lane & ~31u) | (d & 31u)) & 1u ? ((unsigned)y) : 49u; }
    many[520181931u & 7u] = (max((int)((int)(v1)), (int)((int)(s0[t]))) / 7);
    return v1;
  };
  const unsigned x13 = f10(v0);
  s0[t] ^= (unsigned)x13;
  const unsigned x14 = f10((v1 - u1));
  s0[t] ^= (unsigned)x14;
  __shared__ unsigned two15[2][31];
  two15[0][t] = (min(u1, v1) >> ((t / 32u) & 31u));
  __syncthreads();
  for (int i16 = 0; i16 < 4; ++i16) {
    two15[(i16 + 1) & 1][t] = two15[i16 & 1][(t + 38u) % 31u] ^ (t & 1515741479u);
    __syncthreads();
  }
  v0 = two15[0][30u - t];
  __syncthreads();
  unsigned h = 17u;
  h = h * 31u + ((unsigned)v0);
  h = h * 31u + ((unsigned)v1);
  h = h * 31u + ((unsigned)u0);
  h = h * 31u + ((unsigned)u1);
  h = h * 31u + ((unsigned)s0[t]);
  for (int i = 0; i < 8; ++i) h = h * 33u ^ many[i];
  out[gid] = h;
}
