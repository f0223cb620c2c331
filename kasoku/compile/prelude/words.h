// The words of the language: where a function runs, where a variable lives.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global, annotate("ks_kernel")))
#define __shared__ __attribute__((shared, annotate("ks_shared")))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((device))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __inline_hint__ __inline__
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __align__(n) __attribute__((aligned(n)))
#define __builtin_align__(n) __attribute__((aligned(n)))
#define __nv_pure__ __attribute__((pure))
#define __device_builtin__
#define __cudart_builtin__
#define CUDARTAPI

// What NVRTC and nvcc say of themselves.
#define __CUDACC__ 1
#define __CUDACC_RTC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 4
#define __CUDACC_VER_BUILD__ 0
#define CUDA_VERSION 12040
#define CUDART_VERSION 12040

// <nv/target>: a kernel's code is a device's.
#define NV_IS_DEVICE 1
#define NV_IS_HOST 0
#define NV_ANY_TARGET 1
#define NV_NO_TARGET 0
#define KS_NV_TEXT(...) __VA_ARGS__
#define KS_NV_IF_1(yes, ...) KS_NV_TEXT yes
#define KS_NV_IF_0(yes, no, ...) KS_NV_TEXT no
#define KS_NV_JOIN(a, b) a##b
#define KS_NV_IF(target, ...) KS_NV_JOIN(KS_NV_IF_, target)(__VA_ARGS__)
#define NV_IF_TARGET(target, ...) KS_NV_IF(target, __VA_ARGS__, ())
#define NV_IF_ELSE_TARGET(target, yes, no) KS_NV_IF(target, yes, no)

// Ours. Wrappers disappear before anything else is looked at.
#define ks_convergent __attribute__((convergent))
#define ks_const __attribute__((const))
#define ks_inline inline __attribute__((always_inline, nodebug))
// check reads an atomic's scope, and whether its text says an order, from the names of such functions
// (clang/passes/instrument.cpp).
#define ks_named inline __attribute__((always_inline))

// Clang says 1; each parse says what the options name.
#undef __CUDA_ARCH__
