// A do-while loop whose bound differs from thread to thread, before a barrier: no valid module.
// seed 0; grid 3; block 128; shared 0
// zeros u4 384; data u4 391 1; scalar u4 391
// crc 8ff0cbd9
extern "C" __global__ void k(unsigned* out, const unsigned* in, unsigned m) {
  unsigned tid = threadIdx.x, gid = blockIdx.x * 128u + tid, lane = tid & 31u;
  unsigned a = in[gid], b = in[gid], v = 5u, many[8];
  for (int i = 0; i < 8; ++i) many[i] = in[(gid + i) % m];
  int i = 0;
  do {
    v ^= 65535u;
  } while (++i < (int)((many[a & 7u] > lane ? a + b : b) % 6u));
  __syncthreads();
  for (int j = 0; j < 8; ++j) v = v * 33u ^ many[j];
  out[gid] = v;
}
