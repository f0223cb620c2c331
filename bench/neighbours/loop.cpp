#include <cmath>
#include <cstdint>

extern "C" void loop(const double *x, double *y, int64_t n) {
#pragma omp parallel for
  for (int64_t i = 0; i < n; ++i) y[i] = std::sqrt(x[i]) + 0.5 * x[i] * x[i];
}
