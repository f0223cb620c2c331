extern "C" __global__ void assign(const float* points, const float* centers, int* label, int* counts, int n, int k, int dims) {
  extern __shared__ float c[];
  for (int i = threadIdx.x; i < k * dims; i += blockDim.x) c[i] = centers[i];
  __syncthreads();
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p < n) {
    int best = 0;
    float nearest = FLT_MAX;
    for (int j = 0; j < k; ++j) {
      float d = 0;
      for (int q = 0; q < dims; ++q) { float e = points[q * n + p] - c[j * dims + q]; d += e * e; }
      if (d < nearest) { nearest = d; best = j; }
    }
    label[p] = best;
    atomicAdd(&counts[best], 1);
  }
}
