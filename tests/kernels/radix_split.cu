// One bit of a radix sort in a block: a scan of flags, then a scatter.
extern "C" __global__ void split(unsigned* d, int bits) {
  __shared__ unsigned s[256];
  __shared__ unsigned falses;
  int t = threadIdx.x;
  for (int b = 0; b < bits; ++b) {
    unsigned v = d[t], flag = !((v >> b) & 1);
    s[t] = flag;
    __syncthreads();
    for (int o = 1; o < 256; o <<= 1) {
      unsigned u = t >= o ? s[t - o] : 0;
      __syncthreads();
      s[t] += u;
      __syncthreads();
    }
    if (t == 255) falses = s[255];
    unsigned before = s[t] - flag;
    __syncthreads();
    d[flag ? before : t - before + falses] = v;
    __syncthreads();
  }
}
