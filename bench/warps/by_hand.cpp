// The same tasks as a careful person writes them for CPU cores.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>

extern "C" void scan(int64_t blocks, const float* __restrict__ in, float* __restrict__ out) {
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks; ++b) {
    float sum = 0;
    for (int t = 0; t < 256; ++t) out[b * 256 + t] = sum += in[b * 256 + t];
  }
}

extern "C" void sums(int64_t blocks, const float* __restrict__ in, float* __restrict__ out) {
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks; ++b) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int t = 0; t < 256; ++t) sum += in[b * 256 + t];
    out[b] = sum;
  }
}

extern "C" void compact(int64_t n, const float* __restrict__ in, float* __restrict__ out, unsigned* count) {
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < n; b += 4096) {
    float kept[4096];
    unsigned k = 0;
    for (int64_t i = b; i < std::min(n, b + 4096); ++i) {
      kept[k] = in[i];
      k += in[i] > 0.5f;
    }
    const unsigned base = __atomic_fetch_add(count, k, __ATOMIC_RELAXED);
    std::memcpy(out + base, kept, k * sizeof(float));
  }
}

extern "C" void bitonic(int64_t blocks, const float* __restrict__ in, float* __restrict__ out) {
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks; ++b) {
    float s[512];
    std::memcpy(s, in + b * 512, sizeof s);
    for (int k = 2; k <= 512; k <<= 1)
      for (int j = k >> 1; j > 0; j >>= 1)
        for (int base = 0; base < 512; base += 2 * j) {
          const bool up = (base & k) == 0;
#pragma omp simd
          for (int t = base; t < base + j; ++t) {
            const float low = std::min(s[t], s[t + j]), high = std::max(s[t], s[t + j]);
            s[t] = up ? low : high, s[t + j] = up ? high : low;
          }
        }
    std::memcpy(out + b * 512, s, sizeof s);
  }
}

extern "C" void softmax(int64_t rows, int columns, const float* __restrict__ in, float* __restrict__ out) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; ++r) {
    const float* x = in + r * columns;
    float* y = out + r * columns;
    float most = -INFINITY, sum = 0;
#pragma omp simd reduction(max : most)
    for (int i = 0; i < columns; ++i) most = std::max(most, x[i]);
#pragma omp simd reduction(+ : sum)
    for (int i = 0; i < columns; ++i) sum += y[i] = std::exp(x[i] - most);
    const float scale = 1 / sum;
    for (int i = 0; i < columns; ++i) y[i] *= scale;
  }
}

extern "C" void layer_norm(int64_t rows, int columns, const float* __restrict__ in, float* __restrict__ out) {
#pragma omp parallel for schedule(static)
  for (int64_t r = 0; r < rows; ++r) {
    const float* x = in + r * columns;
    float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum, squares)
    for (int i = 0; i < columns; ++i) sum += x[i], squares += x[i] * x[i];
    const float mean = sum / columns, scale = 1 / std::sqrt(squares / columns - mean * mean + 1e-5f);
    for (int i = 0; i < columns; ++i) out[r * columns + i] = (x[i] - mean) * scale;
  }
}

extern "C" void segments(int64_t n, const float* __restrict__ in, const int* __restrict__ begins, float* __restrict__ out) {
#pragma omp parallel for schedule(static)
  for (int64_t s = 0; s < n; ++s) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int i = begins[s]; i < begins[s + 1]; ++i) sum += in[i];
    out[s] = sum;
  }
}

extern "C" void dot(int64_t n, const float* __restrict__ x, const float* __restrict__ y, float* out) {
  float sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i] * y[i];
  *out = sum;
}

extern "C" void pairs(int64_t n, const float* __restrict__ in, float* __restrict__ out) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; i += 2) {
    out[i] = in[i] + in[i + 1] * 0.5f;
    out[i + 1] = in[i + 1] + in[i] * 0.5f;
  }
}

extern "C" void partly(int64_t n, const float* __restrict__ in, float* __restrict__ out) {
#pragma omp parallel for schedule(static)
  for (int64_t i = 0; i < n; i += 2) {
    const float a = in[i], b = in[i + 1], only_a = a < 0.75f ? a : 0, only_b = b < 0.75f ? b : 0;
    if (a < 0.75f) out[i] = a + only_b;
    if (b < 0.75f) out[i + 1] = b + only_a;
  }
}
