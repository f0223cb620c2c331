// threadIdx, blockIdx, blockDim, gridDim, warpSize; uint3, int3 and dim3.
#pragma once

extern "C" {
unsigned ks_tid_x() ks_const;
unsigned ks_tid_y() ks_const;
unsigned ks_tid_z() ks_const;
unsigned ks_bid_x() ks_const;
unsigned ks_bid_y() ks_const;
unsigned ks_bid_z() ks_const;
unsigned ks_bdim_x() ks_const;
unsigned ks_bdim_y() ks_const;
unsigned ks_bdim_z() ks_const;
unsigned ks_gdim_x() ks_const;
unsigned ks_gdim_y() ks_const;
unsigned ks_gdim_z() ks_const;
void ks_barrier() ks_convergent;
}
struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
struct ks_thread_index {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  static unsigned get_x() { return ks_tid_x(); }
  static unsigned get_y() { return ks_tid_y(); }
  static unsigned get_z() { return ks_tid_z(); }
  operator uint3() const { return {x, y, z}; }
  operator dim3() const { return {x, y, z}; }
};
struct ks_block_index {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  static unsigned get_x() { return ks_bid_x(); }
  static unsigned get_y() { return ks_bid_y(); }
  static unsigned get_z() { return ks_bid_z(); }
  operator uint3() const { return {x, y, z}; }
  operator dim3() const { return {x, y, z}; }
};
struct ks_block_dim {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  static unsigned get_x() { return ks_bdim_x(); }
  static unsigned get_y() { return ks_bdim_y(); }
  static unsigned get_z() { return ks_bdim_z(); }
  operator uint3() const { return {x, y, z}; }
  operator dim3() const { return {x, y, z}; }
};
struct ks_grid_dim {
  __declspec(property(get = get_x)) unsigned x;
  __declspec(property(get = get_y)) unsigned y;
  __declspec(property(get = get_z)) unsigned z;
  static unsigned get_x() { return ks_gdim_x(); }
  static unsigned get_y() { return ks_gdim_y(); }
  static unsigned get_z() { return ks_gdim_z(); }
  operator uint3() const { return {x, y, z}; }
  operator dim3() const { return {x, y, z}; }
};
extern const __device__ ks_thread_index threadIdx;
extern const __device__ ks_block_index blockIdx;
extern const __device__ ks_block_dim blockDim;
extern const __device__ ks_grid_dim gridDim;
#define warpSize 32
inline void __syncthreads() { ks_barrier(); }
