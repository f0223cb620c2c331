// One dynamic allocation carved into parts of different types.
extern "C" __global__ void parts(const double* a, const int* b, double* out, int n) {
  extern __shared__ char memory[];
  double* x = (double*)memory;
  int* y = (int*)(x + n);
  char* z = (char*)(y + n);
  int t = threadIdx.x;
  x[t] = a[t];
  y[t] = b[t];
  z[t] = (char)(t % 3);
  __syncthreads();
  int r = n - 1 - t;
  out[t] = x[r] * y[r] + z[r];
}
