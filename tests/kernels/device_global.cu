__device__ int counter = 100;
__device__ unsigned long long table[4] = {1, 2, 3};
__device__ float* pointer;
extern "C" __global__ void count(int* out) {
  int before = atomicAdd(&counter, 1);
  if (threadIdx.x == 0) { table[3] = table[0] + table[1] + table[2]; out[0] = pointer == nullptr; }
  if (before < 0) out[1] = 1;
}
