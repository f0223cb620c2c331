template <typename T, int N>
__global__ void polynomial(const T* x, T* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T r = 1;
#pragma unroll
  for (int k = 0; k < N; ++k) r = r * x[i] + T(k);
  y[i] = r;
}
