/// \file kasoku/compile/clang/usual_kernels.h
/// Texts like those that most compiles see; first_calls.h says what for. What they leave out
/// costs a page fault, no more.
#pragma once

#include <cstdint>

namespace kasoku::embedded {

struct UsualKernel {
  const char* symbol;
  uint32_t block[3];
  bool is_generated;
  const char* text;
};

inline constexpr UsualKernel usual_kernels[] = {
    {"_Z8plus_onePiS_j", {256, 1, 1}, false, R"(
__global__ void plus_one(int *x, int *y, unsigned count) {
  const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index < count) {
    const size_t i = index;
    y[i] = x[i] + 1;
  }
})"},
    {"_Z3addiiPfS_S_", {16, 16, 1}, false, R"(
__global__ void add(int nx, int ny, float *res, float *arr1, float *arr2) {
  int x = threadIdx.x + blockDim.x * blockIdx.x;
  int y = threadIdx.y + blockDim.y * blockIdx.y;
  int ij = nx * y + x;
  if (x < nx && y < ny) res[ij] = arr1[ij] + arr2[ij] + 5;
})"},
    {"ks_group", {1, 1, 1}, true, R"(
#pragma clang fp contract(off)
extern "C" __global__ void ks_group(double* __restrict__ y, const double* __restrict__ x0, const int* __restrict__ x1,
                                    double s0, long long total, long long chunk) {
  long long at = (long long)blockIdx.x * chunk;
  const long long end = at + chunk < total ? at + chunk : total;
  double* py = y + at;
  const double* px0 = x0 + at;
  const int* px1 = x1 + at;
  const long long n = end - at;
#pragma clang loop vectorize(assume_safety)
  for (long long j = 0; j < n; ++j) {
    const double v0 = px0[j];
    const int v1 = px1[j];
    py[j] = v1 > 2 ? sqrt(v0 * s0) : v0 + v1;
  }
})"},
    {"ks_sum", {1, 1, 1}, true, R"(
extern "C" __global__ void ks_sum(double* __restrict__ y, const double* __restrict__ x0, long long n1, long long x0_s0,
                                  long long pairs, long long per_block, long long length) {
  double acc[1024];
  const long long last = (blockIdx.x + 1ll) * per_block < pairs ? (blockIdx.x + 1ll) * per_block : pairs;
  for (long long pair = blockIdx.x * per_block; pair < last; ++pair) {
    const int lanes = length < 1024 ? length : 1024;
    for (int l = 0; l < lanes; ++l) acc[l] = -0.0;
    for (long long row = 0; row < length; row += 1024) {
      const long long here = length - row < 1024 ? length - row : 1024;
      for (long long done = 0, n; done < here; done += n) {
        const long long at = pair * length + row + done, q1 = at / n1, i1 = at - q1 * n1;
        const double* px0 = x0 + q1 * x0_s0 + i1;
        n = n1 - i1 < here - done ? n1 - i1 : here - done;
#pragma clang loop vectorize(assume_safety)
        for (long long j = 0; j < n; ++j) acc[done + j] = acc[done + j] + px0[j];
      }
    }
    for (int s = 512, active = lanes; s > 0; s >>= 1) {
      const int m = active - s < s ? active - s : s;
#pragma clang loop vectorize(assume_safety)
      for (int l = 0; l < m; ++l) acc[l] = acc[l] + acc[l + s];
      if (active > s) active = s;
    }
    y[pair] = acc[0];
  }
})"},
    {"_Z9block_sumIfEvPKT_PS0_i", {256, 1, 1}, false, R"(
template <class T>
__device__ T warp_sum(T value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xffffffff, value, offset);
  return value;
}
template <class T>
__global__ void block_sum(const T* x, T* sum, int n) {
  __shared__ T parts[32];
  T mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += x[i];
  mine = warp_sum(mine);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = mine;
  __syncthreads();
  if (threadIdx.x == 0) {
    T all = 0;
    for (int i = 0; i < blockDim.x / 32; ++i) all += parts[i];
    atomicAdd(sum, all);
  }
}
template __global__ void block_sum<float>(const float*, float*, int);)"},
};

}  // namespace kasoku::embedded
