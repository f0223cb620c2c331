// Threads beyond n leave before the barriers; the others go on.
extern "C" __global__ void shift(const int* in, int* out, int n) {
  __shared__ int s[128];
  int t = threadIdx.x;
  if (t >= n) return;
  s[t] = in[t];
  __syncthreads();
  int v = s[(t + 1) % n];
  __syncthreads();
  s[t] = v * 2;
  __syncthreads();
  out[t] = s[(t + n - 1) % n];
}
