// The same loops by hand, without checks and without Python's negative indices.
#include <cstdint>

using i64 = std::int64_t;

template <class I>
static void gather_by(i64 n, double* __restrict__ y, const double* __restrict__ x, const I* __restrict__ index) {
  for (i64 i = 0; i < n; ++i) y[i] = x[index[i]];
}

static double row(const i64* start, const i64* column, const double* value, const double* x, i64 i) {
  double s = 0;
  for (i64 k = start[i]; k < start[i + 1]; ++k) s += value[k] * x[column[k]];
  return s;
}

extern "C" {

void histogram(i64, i64* count, i64 n, const i64* bins) {
  for (i64 i = 0; i < n; ++i) ++count[bins[i]];
}

void gather(i64 n, double* y, i64, const double* x, i64, const i64* index) { gather_by(n, y, x, index); }
void gather_32(i64 n, double* y, i64, const double* x, i64, const std::int32_t* index) { gather_by(n, y, x, index); }

void scatter(i64, double* __restrict__ y, i64, const double* __restrict__ x, i64 n, const i64* __restrict__ index) {
  for (i64 i = 0; i < n; ++i) y[index[i]] = x[i];
}

void look_up(i64 n, double* __restrict__ y, i64, i64 width, const double* __restrict__ table, i64,
             const i64* __restrict__ row, i64, const i64* __restrict__ column) {
  for (i64 i = 0; i < n; ++i) y[i] = table[row[i] * width + column[i]];
}

void bytes_table(i64 n, std::uint8_t* __restrict__ y, i64, const std::uint8_t* __restrict__ x, i64,
                 const std::uint8_t* __restrict__ table) {
  for (i64 i = 0; i < n; ++i) y[i] = table[x[i]];
}

void sparse_product(i64 n, double* __restrict__ y, i64, const i64* start, i64, const i64* column, i64,
                    const double* value, i64, const double* x) {
  for (i64 i = 0; i < n; ++i) y[i] = row(start, column, value, x, i);
}

void binary_search(i64 n, i64* __restrict__ y, i64 size, const double* __restrict__ a, i64,
                   const double* __restrict__ x) {
  for (i64 i = 0; i < n; ++i) {
    i64 low = 0, high = size;
    while (low < high) {
      const i64 middle = (low + high) / 2;
      if (a[middle] < x[i]) low = middle + 1;
      else high = middle;
    }
    y[i] = low;
  }
}

void sieve(i64 n, bool* is_prime) {
  for (i64 i = 2; i * i < n; ++i)
    if (is_prime[i])
      for (i64 j = i * i; j < n; j += i) is_prime[j] = false;
}

i64 walk(i64, const i64* following, i64 steps) {
  i64 at = 0;
  for (i64 i = 0; i < steps; ++i) at = following[at];
  return at;
}

void offsets(i64 n, double* __restrict__ y, i64, const double* __restrict__ x, i64 size, const i64* __restrict__ offset,
             i64, const double* __restrict__ weight) {
  for (i64 i = 8; i < n - 8; ++i) {
    double s = 0;
    for (i64 k = 0; k < size; ++k) s += weight[k] * x[i + offset[k]];
    y[i] = s;
  }
}

void insertion_sort(i64 n, double* __restrict__ a, i64, const double* __restrict__ x, i64 width) {
  for (i64 i = 0; i < n; ++i) a[i] = x[i];
  for (i64 first = 0; first + width <= n; first += width)
    for (i64 i = first + 1; i < first + width; ++i) {
      const double v = a[i];
      i64 j = i - 1;
      for (; j >= first && a[j] > v; --j) a[j + 1] = a[j];
      a[j + 1] = v;
    }
}

void torus(i64 n, i64 m, double* __restrict__ out, i64, i64, const double* __restrict__ in) {
  for (i64 i = 0; i < n; ++i)
    for (i64 j = 0; j < m; ++j)
      out[i * m + j] = in[(i + n - 1) % n * m + j] + in[(i + 1) % n * m + j] + in[i * m + (j + m - 1) % m] +
                       in[i * m + (j + 1) % m];
}

void parallel_gather(i64 n, double* __restrict__ y, i64, const double* __restrict__ x, i64,
                     const i64* __restrict__ index) {
#pragma omp parallel for schedule(static)
  for (i64 i = 0; i < n; ++i) y[i] = x[index[i]];
}

void parallel_sparse(i64 n, double* __restrict__ y, i64, const i64* start, i64, const i64* column, i64,
                     const double* value, i64, const double* x) {
#pragma omp parallel for schedule(static)
  for (i64 i = 0; i < n; ++i) y[i] = row(start, column, value, x, i);
}

}
