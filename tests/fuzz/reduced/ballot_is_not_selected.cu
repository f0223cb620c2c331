// A ballot kept as a vector of 32 bits: no machine code for it.
// seed 1029592; grid 1; block 64; shared 0
// zeros u4 64; data u4 71 1029592; scalar u4 71; scalar u4 3425394653; zeros u4 64; zeros u4 232; zeros u4 64; zeros u4 65; zeros u4 256; zeros u4 8 12; zeros f4 4
// crc 6b291459
struct Cell { unsigned p; short q; unsigned long long r; };
__constant__ unsigned table[16] = {3088137187u, 7u, 8u, 3u, 1909572743u, 1885913350u, 2u, 32u, 2u, 1767488637u, 31u, 32u, 5u, 8u, 4294967295u, 33u};
__device__ unsigned values[16] = {4294967295u, 7u, 15u, 63u, 33u, 256u, 5u, 1622666861u, 15u, 2169388627u, 33u, 4294967295u, 16u, 16u, 5u, 1u};
template <typename T>
__device__ T w1(unsigned m, T x) {
  for (int d = 16; d > 0; d /= 2) x += __shfl_xor_sync(m, x, d); return x;
}
__device__ unsigned w2(unsigned m, unsigned x, unsigned lane) {
  unsigned z = 33u; const unsigned a = 5u, n = 7u;
  x ^= (unsigned)__all_sync(m, !(z % 4u != 2u));
  { const unsigned d = ((z - x) & 31u); const unsigned y = __shfl_sync(m, (unsigned)(z), d, 32);
    z ^= m >> ((lane & ~31u) | (d & 31u)) & 1u ? ((unsigned)y) : 66u; }
  int i3 = 2;
  while (i3-- > 0) {
    x &= (unsigned)((x * z) % 4u < 0u);
    x += x;
    x &= (unsigned)(x);
  }
  z = table[(((unsigned)((int)(z) % 3) - (z / 5u))) % 16u];
  return z ^ x;
}
extern "C" __global__ void k(unsigned* __restrict__ out, const unsigned* __restrict__ in, unsigned n, unsigned a, unsigned* __restrict__ memory, unsigned* __restrict__ stream, unsigned* __restrict__ partials, unsigned* __restrict__ tickets, uint4* __restrict__ four, unsigned* __restrict__ sums, float* __restrict__ floats) {
  const unsigned t = threadIdx.x;
  const unsigned gid = blockIdx.x * 64u + t, lane = t & 31u;
  unsigned v0 = t;
  unsigned v1 = 3u;
  unsigned v2 = in[gid];
  unsigned v3 = 4u;
  unsigned y0 = threadIdx.x;
  float y1 = (float)((int)(0.5f) % 1000);
  bool y2 = (bool)((v2 & 1u));
  double y3 = (double)((int)(0.25) % 1000);
  unsigned u0 = n;
  unsigned u1 = in[a % n];
  unsigned many[16]; for (int i = 0; i < 16; ++i) many[i] = (unsigned)in[(gid + i) % n];
  float4 vector = make_float4(fmaxf(y1 + 0.0f, y1 + 0.0f), (float)((int)(fmaf(y1, y1, 3.0f)) % 1000), y1, (float)(int)(v0 & 1023u));
  unsigned m = ~0u;
  __shared__ Cell cells[64]; cells[t].p = t; cells[t].q = 3; cells[t].r = v0;
  __syncthreads();
  const bool c4 = gid >= 64u;
  m = __ballot_sync(m, !c4);
  if (c4) { out[gid] = v0 + v1 + v2; return; }
  const uint4 q5 = ((const uint4*)in)[((2147483647u ^ v1)) % (n / 4u)];
  v2 ^= q5.x + q5.y * q5.z - q5.w;
  unsigned x7 = 1103154475u;
  for (unsigned k6 = 0u; k6 < 5u; ++k6) {
    x7 = max(x7, in[(gid + k6) % n]);
  }
  y0 ^= (unsigned)x7;
  many[100u & 15u] = min((2u * y0), u1);
  unsigned x9 = 3u;
  for (unsigned k8 = 0u; k8 < (u1 % 7u) % 14u; ++k8) {
    x9 = max(x9, in[((v3) + k8) % n]);
  }
  v2 += (unsigned)x9;
  for (int i10 = 0; i10 < 3 && __syncthreads_and(((unsigned)(cells[t].q / 3) & 2u)) != 0; ++i10) {
    y0 *= (u0 / 10u);
    y1 = (float)((int)(sqrtf(((float)(int)(values[u0 & 15u] & 1023u) + 1.0f) * ((float)(int)(values[u0 & 15u] & 1023u) + 1.0f))) % 1000);
    bool live11 = y2;
    for (int i13 = 0; i13 < 4; ++i13) {
      const unsigned m12 = __ballot_sync(m, live11);
      if (!m12) break;
      if (live11) {
        { const unsigned d = 1u; const unsigned y = __shfl_down_sync(m12, (unsigned)(~((u0 << (blockIdx.x & 31u)))), d);
          v3 += m12 >> ((lane & 31u) + d < 32u ? lane + d : lane) & 1u ? ((unsigned)y) : 62u; }
        atomicAdd(sums + (16u >> 3) % 8u, (u1 ^ v0));
        live11 = (v3 % 3u != 0u) || (cells[t].q > cells[t].q);
      }
      many[in[((u1 | u0)) % n] & 15u] += many[n & 15u];
    }
  }
  unsigned x14 = 256u;
  for (unsigned i15 = t; i15 < 142u; i15 += 64u) {
    x14 += y0;
  }
  cells[t].p += (unsigned)x14;
  __syncthreads();
  unsigned h = 17u;
  h = h * 31u + ((unsigned)v0);
  h = h * 31u + ((unsigned)v1);
  h = h * 31u + ((unsigned)v2);
  h = h * 31u + ((unsigned)v3);
  h = h * 31u + ((unsigned)y0);
  h = h * 31u + ((unsigned)(int)y1);
  h = h * 31u + ((unsigned)y2);
  h = h * 31u + ((unsigned)(int)y3);
  h = h * 31u + ((unsigned)u0);
  h = h * 31u + ((unsigned)u1);
  h = h * 31u + ((unsigned)(int)vector.x);
  h = h * 31u + ((unsigned)(int)vector.y);
  h = h * 31u + ((unsigned)(int)vector.z);
  h = h * 31u + ((unsigned)(int)vector.w);
  h = h * 31u + ((unsigned)cells[t].p);
  h = h * 31u + ((unsigned)cells[t].q);
  h = h * 31u + ((unsigned)cells[t].r ^ (unsigned)(cells[t].r >> 32));
  for (int i = 0; i < 16; ++i) h = h * 33u ^ many[i];
  out[gid] = h;
}
