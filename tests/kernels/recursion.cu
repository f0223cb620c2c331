__device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
extern "C" __global__ void run(int* out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = fib(i) + 1000 * ackermann(2, i % 4);
}
