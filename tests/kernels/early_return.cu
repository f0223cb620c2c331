extern "C" __global__ void clamp_positive(const double* x, double* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i];
  if (v < 0) { y[i] = 0; return; }
  if (v > 1) { y[i] = 1; return; }
  y[i] = v;
}
