extern "C" __global__ void op(const int* code, const int* a, const int* b, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int r;
  switch (code[i]) {
    case 0: r = a[i] + b[i]; break;
    case 1: r = a[i] - b[i]; break;
    case 2: r = a[i] * b[i];
    case 3: r = a[i] ^ b[i]; break;  // 2 falls through
    default: r = -1;
  }
  out[i] = r;
}
