// Warps leave a loop with shuffles at different times.
extern "C" __global__ void halve(const int* in, int* rounds, int* out) {
  int t = threadIdx.x, v = in[t], k = 0;
  while (__any_sync(0xffffffff, v > 1)) {
    v = v > 1 ? v / 2 : v;
    ++k;
  }
  rounds[t] = k;
  out[t] = v + __shfl_sync(0xffffffff, k, 0);
}
