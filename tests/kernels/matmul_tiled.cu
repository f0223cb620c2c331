#define TILE 16
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int n) {
  __shared__ float a[TILE][TILE], b[TILE][TILE + 1];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int m = 0; m < (n + TILE - 1) / TILE; ++m) {
    a[threadIdx.y][threadIdx.x] = row < n && m * TILE + threadIdx.x < n ? A[row * n + m * TILE + threadIdx.x] : 0;
    b[threadIdx.y][threadIdx.x] = col < n && m * TILE + threadIdx.y < n ? B[(m * TILE + threadIdx.y) * n + col] : 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE; ++k) sum += a[threadIdx.y][k] * b[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < n) C[row * n + col] = sum;
}
