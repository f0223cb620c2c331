// <cuComplex.h>: complex numbers as float2 and double2.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

typedef float2 cuFloatComplex;
typedef float2 cuComplex;
typedef double2 cuDoubleComplex;

#define KS_CU_COMPLEX(C, T, f, absolute)                                                  \
  ks_inline T cuCreal##f(C z) { return z.x; }                                             \
  ks_inline T cuCimag##f(C z) { return z.y; }                                             \
  ks_inline C cuConj##f(C z) { return C{z.x, -z.y}; }                                     \
  ks_inline C cuCadd##f(C a, C b) { return C{a.x + b.x, a.y + b.y}; }                     \
  ks_inline C cuCsub##f(C a, C b) { return C{a.x - b.x, a.y - b.y}; }                     \
  ks_inline C cuCmul##f(C a, C b) { return C{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x}; } \
  ks_inline C cuCdiv##f(C a, C b) {                                                       \
    const T s = 1 / (absolute(b.x) + absolute(b.y));                                      \
    const T ax = a.x * s, ay = a.y * s, bx = b.x * s, by = b.y * s;                       \
    const T o = 1 / (bx * bx + by * by);                                                  \
    return C{(ax * bx + ay * by) * o, (ay * bx - ax * by) * o};                           \
  }                                                                                       \
  ks_inline T cuCabs##f(C z) { return hypot(z.x, z.y); }                                  \
  ks_inline C cuCfma##f(C a, C b, C c) {                                                  \
    return C{(a.x * b.x + c.x) - a.y * b.y, (a.x * b.y + c.y) + a.y * b.x};               \
  }
KS_CU_COMPLEX(cuFloatComplex, float, f, fabsf)
KS_CU_COMPLEX(cuDoubleComplex, double, , fabs)
#undef KS_CU_COMPLEX
ks_inline cuFloatComplex make_cuFloatComplex(float x, float y) { return cuFloatComplex{x, y}; }
ks_inline cuComplex make_cuComplex(float x, float y) { return cuComplex{x, y}; }
ks_inline cuDoubleComplex make_cuDoubleComplex(double x, double y) { return cuDoubleComplex{x, y}; }
ks_inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex z) { return cuDoubleComplex{z.x, z.y}; }
ks_inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex z) {
  return cuFloatComplex{(float)z.x, (float)z.y};
}

#pragma clang force_cuda_host_device end
