#include <curand_kernel.h>
extern "C" __global__ void pi(unsigned long long seed, int per_thread, unsigned long long* inside) {
  curandStatePhilox4_32_10_t state;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, &state);
  unsigned count = 0;
  for (int k = 0; k < per_thread; ++k) {
    float x = curand_uniform(&state), y = curand_uniform(&state);
    if (x * x + y * y < 1.0f) ++count;
  }
  atomicAdd(inside, (unsigned long long)count);
}
