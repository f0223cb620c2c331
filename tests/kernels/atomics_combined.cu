// Integer atomics of all threads, or some, on the same addresses.
extern "C" __global__ void combined(const int* x, int* c, unsigned* u, unsigned long long* w, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i];
  if (v % 3 == 0) atomicAdd(&c[0], v);
  atomicMax(&c[1], v);
  atomicMin(&c[2], v);
  atomicXor(&c[3], v);
  atomicAnd(&c[4], v | 0x7f0f0000);
  if (v > 100000) atomicOr(&c[5], v);
  if (v & 1) atomicOr(&c[6], v);
  atomicAdd(&w[0], (unsigned long long)v);
  atomicMax(&u[0], (unsigned)v);
  atomicMin(&u[1], (unsigned)v);
}
// What a thread reads after its own addition is in it.
extern "C" __global__ void seen(int* c, int* out) {
  int t = threadIdx.x;
  atomicAdd(&c[0], 1);
  out[t] = c[0] > 0;
  if (t == 3) {
    atomicAdd(&c[1], 5);
    c[1] = c[1] * 2;
  }
}
