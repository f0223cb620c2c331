struct Particle { float x, y, z; int id; };
extern "C" __global__ void nearest(const Particle* p, int* out, int n) {
  __shared__ Particle tile[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 1e30f;
  int which = -1;
  Particle me = {0, 0, 0, -1};
  if (i < n) me = p[i];
  for (int base = 0; base < n; base += 32) {
    if (base + threadIdx.x < n) tile[threadIdx.x] = p[base + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 32 && base + k < n; ++k) {
      float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      float d = dx * dx + dy * dy + dz * dz;
      if (tile[k].id != me.id && d < best) { best = d; which = tile[k].id; }
    }
    __syncthreads();
  }
  if (i < n) out[i] = which;
}
