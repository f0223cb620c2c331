// The same algorithms as a careful person writes them for CPU cores.
#include <cstdint>
#include <cstring>

extern "C" void reduce(int64_t blocks, const float* __restrict__ in, float* __restrict__ out) {
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks; ++b) {
    float s[256];
    for (int t = 0; t < 128; ++t) s[t] = in[b * 256 + t] + in[b * 256 + t + 128];
    for (int k = 64; k > 0; k >>= 1)
#pragma omp simd
      for (int t = 0; t < k; ++t) s[t] += s[t + k];
    out[b] = s[0];
  }
}

typedef float Eight __attribute__((vector_size(32), aligned(4)));

// As the kernel with shuffles adds: each 32 by halves, then the eight sums in order.
extern "C" void reduce_warps(int64_t blocks, const float* __restrict__ in, float* __restrict__ out) {
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks; ++b) {
    float total = 0;
    for (int w = 0; w < 8; ++w) {
      const Eight* x = (const Eight*)(in + b * 256 + w * 32);
      const Eight s = (x[0] + x[2]) + (x[1] + x[3]);
      total += ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
    }
    out[b] = total;
  }
}

extern "C" void matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int by = 0; by < n; by += 16)
    for (int bx = 0; bx < n; bx += 16) {
      float sum[16][16] = {}, x[16][16], y[16][16];
      for (int m = 0; m < n; m += 16) {
        for (int i = 0; i < 16; ++i) {
          std::memcpy(x[i], a + (by + i) * n + m, sizeof x[i]);
          std::memcpy(y[i], b + (m + i) * n + bx, sizeof y[i]);
        }
        for (int i = 0; i < 16; ++i)
          for (int k = 0; k < 16; ++k)
#pragma omp simd
            for (int j = 0; j < 16; ++j) sum[i][j] += x[i][k] * y[k][j];
      }
      for (int i = 0; i < 16; ++i) std::memcpy(c + (by + i) * n + bx, sum[i], sizeof sum[i]);
    }
}

extern "C" void transpose(const float* __restrict__ in, float* __restrict__ out, int n) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int by = 0; by < n; by += 32)
    for (int bx = 0; bx < n; bx += 32) {
      float tile[32][33];
      for (int i = 0; i < 32; ++i)
        for (int j = 0; j < 32; ++j) tile[i][j] = in[(by + i) * n + bx + j];
      for (int j = 0; j < 32; ++j)
        for (int i = 0; i < 32; ++i) out[(bx + j) * n + by + i] = tile[i][j];
    }
}

extern "C" void stencil(const float* __restrict__ in, float* __restrict__ out, int64_t n) {
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < n; b += 256) {
    float s[262];
    for (int l = 0; l < 262; ++l) {
      const int64_t g = b + l - 3;
      s[l] = g >= 0 && g < n ? in[g] : 0.0f;
    }
#pragma omp simd
    for (int t = 0; t < 256; ++t)
      out[b + t] = s[t] + s[t + 1] + s[t + 2] + s[t + 3] + s[t + 4] + s[t + 5] + s[t + 6];
  }
}

extern "C" void scan(int64_t blocks, const float* __restrict__ in, float* __restrict__ out) {
#pragma omp parallel for schedule(static)
  for (int64_t b = 0; b < blocks; ++b) {
    float s[512], u[512];
    std::memcpy(s, in + b * 512, sizeof s);
    float *from = s, *to = u;
    for (int d = 1; d < 512; d <<= 1) {
      std::memcpy(to, from, d * sizeof(float));
#pragma omp simd
      for (int t = d; t < 512; ++t) to[t] = from[t] + from[t - d];
      float* other = from;
      from = to, to = other;
    }
    std::memcpy(out + b * 512, from, sizeof s);
  }
}

extern "C" void histogram(const unsigned char* data, unsigned* bins, int64_t n) {
#pragma omp parallel
  {
    unsigned local[256] = {};
#pragma omp for schedule(static) nowait
    for (int64_t i = 0; i < n; ++i) ++local[data[i]];
#pragma omp critical
    for (int i = 0; i < 256; ++i) bins[i] += local[i];
  }
}
