// What a careful person writes by hand for the same work.
extern "C" void axpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
#pragma omp parallel for simd schedule(static) if (n > 65536)
  for (int i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

extern "C" void add_2d(int nx, int ny, float* __restrict__ c, const float* __restrict__ a,
                       const float* __restrict__ b) {
#pragma omp parallel for schedule(static)
  for (int y = 0; y < ny; ++y)
#pragma omp simd
    for (int x = 0; x < nx; ++x) c[nx * y + x] = a[nx * y + x] + b[nx * y + x];
}
