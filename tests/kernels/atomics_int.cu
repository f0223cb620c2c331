extern "C" __global__ void all(int* r, unsigned* u, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&r[0], i);
  atomicSub(&r[1], i);
  atomicMin(&r[2], -i);
  atomicMax(&r[3], i);
  atomicAnd(&r[4], ~(1 << (i & 15)));
  atomicOr(&r[5], 1 << (i & 15));
  atomicXor(&r[6], i);
  atomicExch(&r[7], 42);
  atomicInc(&u[0], 9u);
  atomicDec(&u[1], 9u);
  atomicMin(&u[2], (unsigned)(i + 5));
  atomicMax(&u[3], 0x80000000u + i);
}
