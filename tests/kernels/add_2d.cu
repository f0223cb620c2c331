extern "C" __global__ void add(int nx, int ny, float* out, const float* a, const float* b) {
  int x = threadIdx.x + blockDim.x * blockIdx.x;
  int y = threadIdx.y + blockDim.y * blockIdx.y;
  if (x < nx && y < ny) out[nx * y + x] = a[nx * y + x] + b[nx * y + x];
}
