// All four shuffles, with and without a width, of every size.
extern "C" __global__ void shuffles(const int* in, int* idx, int* up, int* down, int* x, double* d, long long* l, int* w) {
  int t = threadIdx.x;
  int v = in[t];
  idx[t] = __shfl_sync(0xffffffffu, v, (t * 7) & 31);
  up[t] = __shfl_up_sync(0xffffffffu, v, 3);
  down[t] = __shfl_down_sync(0xffffffffu, v, 5);
  x[t] = __shfl_xor_sync(0xffffffffu, v, 6);
  d[t] = __shfl_down_sync(0xffffffffu, v * 0.5, 1);
  l[t] = __shfl_xor_sync(0xffffffffu, (long long)v << 33, 16);
  w[t] = __shfl_sync(0xffffffffu, v, 1, 8) + 1000 * __shfl_up_sync(0xffffffffu, v, 2, 4) + 1000000 * __shfl_down_sync(0xffffffffu, v, 1, 2);
}
