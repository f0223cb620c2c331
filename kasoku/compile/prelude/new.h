// new and delete in kernels. Clang has declared them for the host already, so
// these are for the device alone.
#pragma once

__device__ ks_inline void* operator new(size_t bytes) { return ks_rt_malloc(bytes); }
__device__ ks_inline void* operator new[](size_t bytes) { return ks_rt_malloc(bytes); }
__device__ ks_inline void operator delete(void* memory) noexcept { ks_rt_free(memory); }
__device__ ks_inline void operator delete[](void* memory) noexcept { ks_rt_free(memory); }
__device__ ks_inline void operator delete(void* memory, size_t) noexcept { ks_rt_free(memory); }
__device__ ks_inline void operator delete[](void* memory, size_t) noexcept { ks_rt_free(memory); }
