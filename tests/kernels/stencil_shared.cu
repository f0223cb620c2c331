#define RADIUS 3
extern "C" __global__ void stencil(const int* in, int* out, int n) {
  __shared__ int temp[128 + 2 * RADIUS];
  int g = threadIdx.x + blockIdx.x * blockDim.x, l = threadIdx.x + RADIUS;
  temp[l] = g < n ? in[g] : 0;
  if (threadIdx.x < RADIUS) {
    temp[l - RADIUS] = g >= RADIUS ? in[g - RADIUS] : 0;
    temp[l + blockDim.x] = g + blockDim.x < n ? in[g + blockDim.x] : 0;
  }
  __syncthreads();
  int sum = 0;
  for (int o = -RADIUS; o <= RADIUS; o++) sum += temp[l + o];
  if (g < n) out[g] = sum;
}
