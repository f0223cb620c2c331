#define R 4
__constant__ float kernel_weights[2 * R + 1];
extern "C" __global__ void rows(float* dst, const float* src, int w, int h) {
  __shared__ float data[4][16 * 6];
  const int baseX = (blockIdx.x * 4 - 1) * 16 + threadIdx.x, baseY = blockIdx.y * 4 + threadIdx.y;
  for (int i = 0; i < 6; ++i) {
    int x = baseX + i * 16;
    data[threadIdx.y][threadIdx.x + i * 16] = x >= 0 && x < w && baseY < h ? src[baseY * w + x] : 0;
  }
  __syncthreads();
  for (int i = 1; i < 5; ++i) {
    float sum = 0;
#pragma unroll
    for (int j = -R; j <= R; j++) sum += kernel_weights[R - j] * data[threadIdx.y][threadIdx.x + i * 16 + j];
    int x = baseX + i * 16;
    if (x < w && baseY < h) dst[baseY * w + x] = sum;
  }
}
