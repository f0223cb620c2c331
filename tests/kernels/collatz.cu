extern "C" __global__ void collatz(const unsigned long long* start, unsigned* steps, int n) {
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned long long v = start[i];
    unsigned k = 0;
    do {
      if (v == 1) break;
      v = v & 1 ? 3 * v + 1 : v >> 1;
      if (++k == 100000) continue;
    } while (true);
    steps[i] = k;
  }
}
