// Per-thread arrays, also across a barrier.
extern "C" __global__ void sort_rows(const int* in, int* out) {
  int v[8];
  __shared__ int total;
  int t = threadIdx.x;
  for (int k = 0; k < 8; ++k) v[k] = in[t * 8 + k];
  if (t == 0) total = 0;
  __syncthreads();
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b + 1 < 8 - a; ++b)
      if (v[b] > v[b + 1]) { int w = v[b]; v[b] = v[b + 1]; v[b + 1] = w; }
  atomicAdd(&total, v[0]);
  __syncthreads();
  for (int k = 0; k < 8; ++k) out[t * 8 + k] = v[k] + total;
}
