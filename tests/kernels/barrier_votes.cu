extern "C" __global__ void votes(const int* x, int* out) {
  int t = threadIdx.x;
  int count = __syncthreads_count(x[t] > 0);
  int all = __syncthreads_and(x[t] >= 0);
  int any = __syncthreads_or(x[t] == 7);
  out[t] = count * 100 + all * 10 + any;
}
