// threadIdx, blockIdx, blockDim, gridDim, warpSize, dim3.
//
// The four are objects without a state: reading a member calls a function that
// the passes replace by a loop counter.
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
unsigned ks_dynamic_shared_bytes() ks_const;
}

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int x = 1, unsigned int y = 1, unsigned int z = 1) : x(x), y(y), z(z) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return uint3{x, y, z}; }
};

#define KS_INDEX(type, word)                             \
  struct type {                                          \
    __declspec(property(get = get_x)) unsigned int x;    \
    __declspec(property(get = get_y)) unsigned int y;    \
    __declspec(property(get = get_z)) unsigned int z;    \
    ks_inline static unsigned int get_x() { return ks_##word##_x(); } \
    ks_inline static unsigned int get_y() { return ks_##word##_y(); } \
    ks_inline static unsigned int get_z() { return ks_##word##_z(); } \
    ks_inline operator uint3() const { return uint3{get_x(), get_y(), get_z()}; } \
    ks_inline operator dim3() const { return dim3(get_x(), get_y(), get_z()); }   \
  };
KS_INDEX(ks_thread_index, tid)
KS_INDEX(ks_block_index, bid)
KS_INDEX(ks_block_dim, bdim)
KS_INDEX(ks_grid_dim, gdim)
#undef KS_INDEX

extern const __device__ ks_thread_index threadIdx;
extern const __device__ ks_block_index blockIdx;
extern const __device__ ks_block_dim blockDim;
extern const __device__ ks_grid_dim gridDim;
constexpr int warpSize = 32;
