#ifndef SCALE
#error "SCALE is to be given as -D"
#endif
#if __CUDACC__ && defined(__CUDA_ARCH__)
#define FLAG 1
#else
#define FLAG 0
#endif
extern "C" __global__ __launch_bounds__(128, 2) void scale(int* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * SCALE + FLAG;
}
