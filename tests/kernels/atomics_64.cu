extern "C" __global__ void all(unsigned long long* u, long long* s, double* d, float* f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&u[0], 1ull << 33);
  atomicMax(&u[1], (unsigned long long)i << 32);
  atomicMin((long long*)&s[0], (long long)-i);
  atomicExch(&u[2], 7ull);
  atomicOr(&u[3], 1ull << (i & 63));
  atomicAdd(&d[0], 0.5);
  atomicAdd(&f[0], 2.0f);
}
