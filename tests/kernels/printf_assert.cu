#include <stdio.h>
#include <assert.h>
extern "C" __global__ void say(const float* x) {
  int t = threadIdx.x;
  assert(x[t] >= 0);
  if (t < 3) printf("thread %d of %u has %.2f %s\n", t, blockDim.x, x[t], t == 1 ? "one" : "other");
}
