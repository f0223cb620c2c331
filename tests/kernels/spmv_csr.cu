// One warp a row.
extern "C" __global__ void spmv(const int* row, const int* col, const double* val, const double* x, double* y, int rows) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (warp >= rows) return;
  double sum = 0;
  for (int k = row[warp] + lane; k < row[warp + 1]; k += 32) sum += val[k] * x[col[k]];
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (lane == 0) y[warp] = sum;
}
