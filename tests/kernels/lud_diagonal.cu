#define B 16
extern "C" __global__ void diagonal(float* m, int dim) {
  __shared__ float s[B][B];
  int t = threadIdx.x;
  for (int i = 0; i < B; ++i) s[i][t] = m[i * dim + t];
  __syncthreads();
  for (int i = 0; i < B - 1; i++) {
    if (t > i) {
      for (int j = 0; j < i; j++) s[t][i] -= s[t][j] * s[j][i];
      s[t][i] /= s[i][i];
    }
    __syncthreads();
    if (t > i)
      for (int j = 0; j < i + 1; j++) s[i + 1][t] -= s[i + 1][j] * s[j][t];
    __syncthreads();
  }
  for (int i = 0; i < B; ++i) m[i * dim + t] = s[i][t];
}
