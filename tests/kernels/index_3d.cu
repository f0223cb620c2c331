// Every index word in three dimensions.
extern "C" __global__ void coordinates(int* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  out[(z * ny + y) * nx + x] = x + 100 * y + 10000 * z + 1000000 * (gridDim.x + 10 * gridDim.y + 100 * gridDim.z);
}
