// The same loops as people write them for CPU cores; tiles of the kernels' block sizes.
#include <cmath>
#include <cstdint>

extern "C" void matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
#pragma omp parallel for collapse(2) schedule(static)
  for (int by = 0; by < n; by += 16)
    for (int bx = 0; bx < n; bx += 16) {
      float sum[16][16] = {};
      for (int k = 0; k < n; ++k)
        for (int y = 0; y < 16; ++y)
#pragma omp simd
          for (int x = 0; x < 16; ++x) sum[y][x] += a[(by + y) * n + k] * b[k * n + bx + x];
      for (int y = 0; y < 16; ++y)
        for (int x = 0; x < 16; ++x) c[(by + y) * n + bx + x] = sum[y][x];
    }
}

extern "C" void matvec(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
#pragma omp parallel for schedule(static)
  for (int row = 0; row < rows; ++row) {
    float sum = 0;
    for (int j = 0; j < cols; ++j) sum += a[row * cols + j] * x[j];
    y[row] = sum;
  }
}

struct point {
  float x, y, z, w;
};

extern "C" void nbody(const point* __restrict__ p, point* __restrict__ force, int n) {
#pragma omp parallel for schedule(static)
  for (int b = 0; b < n; b += 128) {
    float fx[128] = {}, fy[128] = {}, fz[128] = {};
    for (int j = 0; j < n; ++j)
#pragma omp simd
      for (int t = 0; t < 128; ++t) {
        float dx = p[j].x - p[b + t].x, dy = p[j].y - p[b + t].y, dz = p[j].z - p[b + t].z;
        float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
        float s = p[j].w * inverse * inverse * inverse;
        fx[t] += dx * s, fy[t] += dy * s, fz[t] += dz * s;
      }
    for (int t = 0; t < 128; ++t) force[b + t] = {fx[t], fy[t], fz[t], 0};
  }
}

static inline float cumulative(float d) {
  const float a1 = 0.31938153f, a2 = -0.356563782f, a3 = 1.781477937f, a4 = -1.821255978f, a5 = 1.330274429f;
  float k = 1.0f / (1.0f + 0.2316419f * std::fabs(d));
  float c = 0.39894228040143267794f * std::exp(-0.5f * d * d) * (k * (a1 + k * (a2 + k * (a3 + k * (a4 + k * a5)))));
  return d > 0 ? 1.0f - c : c;
}

extern "C" void black_scholes(const float* __restrict__ price, const float* __restrict__ strike, const float* __restrict__ years,
                              float* __restrict__ call, float* __restrict__ put, int n) {
  const float rate = 0.02f, volatility = 0.30f;
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; ++i) {
    float s = price[i], x = strike[i], t = years[i];
    float root = std::sqrt(t), d1 = (std::log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root, c1 = cumulative(d1), c2 = cumulative(d2), e = std::exp(-rate * t);
    call[i] = s * c1 - x * e * c2;
    put[i] = x * e * (1.0f - c2) - s * (1.0f - c1);
  }
}

extern "C" void mandelbrot(int* __restrict__ out, int width, int height, int most) {
#pragma omp parallel for schedule(dynamic, 8)
  for (int py = 0; py < height; ++py)
    for (int px = 0; px < width; ++px) {
      float cx = -2.0f + 3.0f * px / width, cy = -1.5f + 3.0f * py / height, x = 0, y = 0;
      int i = 0;
      for (; x * x + y * y < 4.0f && i < most; ++i) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
      }
      out[py * width + px] = i;
    }
}

extern "C" void five_points(const float* __restrict__ in, float* __restrict__ out, int w, int h) {
#pragma omp parallel for schedule(static)
  for (int y = 1; y < h - 1; ++y)
#pragma omp simd
    for (int x = 1; x < w - 1; ++x) {
      int i = y * w + x;
      out[i] = 0.5f * in[i] + 0.125f * (in[i - 1] + in[i + 1] + in[i - w] + in[i + w]);
    }
}

extern "C" void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; ++i) y[i] += a * x[i];
}

extern "C" void histogram(const int* data, unsigned* bins, int n) {
#pragma omp parallel for schedule(static)
  for (int i = 0; i < n; ++i) {
#pragma omp atomic
    ++bins[data[i]];
  }
}

extern "C" void convolution(const float* __restrict__ in, const float* __restrict__ weights, float* __restrict__ out, int n) {
#pragma omp parallel for simd schedule(static)
  for (int i = 0; i < n; ++i) {
    float sum = 0;
    for (int k = 0; k < 17; ++k) sum += weights[k] * in[i + k];
    out[i] = sum;
  }
}

extern "C" void rows(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int rows, int cols) {
#pragma omp parallel for schedule(static)
  for (int row = 0; row < rows; ++row)
#pragma omp simd
    for (int col = 0; col < cols; ++col) c[row * cols + col] = a[row * cols + col] + 2.0f * b[row * cols + col];
}
