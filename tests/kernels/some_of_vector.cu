// Loops within threads, with conditions that hold for some of the threads beside each other.
extern "C" {
__global__ void blur(const float* x, const float* w, float* y, int rows, int cols, int r) {
  int q = blockIdx.x * blockDim.x + threadIdx.x, p = blockIdx.y * blockDim.y + threadIdx.y;
  if (p >= rows || q >= cols) return;
  float sum = 0;
  int taps = 0;
  for (int i = -r; i <= r; i++)
    for (int j = -r; j <= r; j++) {
      int a = p + i, b = q + j;
      if (a >= 0 && a < rows && b >= 0 && b < cols) {
        sum += x[a * cols + b] * w[(i + r) * (2 * r + 1) + j + r];
        taps++;
      }
    }
  y[p * cols + q] = sum / taps;
}

// Nobody may read x where no index says so; the last weights belong to no one.
__global__ void gather(const int* index, const double* x, const double* w, double* y, int n, int k) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  double sum = 0;
  for (int j = 0; j < k; j++) {
    int at = index[j * n + t];
    if (at >= 0) {
      double seen = x[at];
      if (seen > 0.5) sum += seen * w[at];
    }
  }
  y[t] = sum;
}

__global__ void quotients(const int* a, const int* b, int* y, int n, int k) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int sum = 0, last = -1;
  for (int j = 0; j < k; j++) {
    int d = b[j * n + t];
    if (d != 0) sum += a[t] / d;
    if (d > 2 && t + j < n) last = a[t + j] - j;
  }
  y[t] = sum * 1000 + last;
}

// What is the same for all is read where at least one takes part; beyond the end is nothing.
__global__ void prefixes(const float* x, const int* length, float* y, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float sum = 0, weight = 1;
  for (int j = 0; j < 1000000; j += 125000) {
    if (j < length[t]) {
      sum += x[j] * weight;
      weight *= 0.5f;
    }
  }
  y[t] = sum;
}
}
