// <helper_math.h> of CUDA's samples: arithmetic of vectors, member by member.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

// An expression for each member, with commas or with + between them.
#define KS_LIST_2(f, what) f(x, what), f(y, what)
#define KS_LIST_3(f, what) KS_LIST_2(f, what), f(z, what)
#define KS_LIST_4(f, what) KS_LIST_3(f, what), f(w, what)
#define KS_SUM_2(f, what) f(x, what) + f(y, what)
#define KS_SUM_3(f, what) KS_SUM_2(f, what) + f(z, what)
#define KS_SUM_4(f, what) KS_SUM_3(f, what) + f(w, what)
#define KS_BOTH(m, op) a.m op b.m
#define KS_LEFT(m, op) a.m op b
#define KS_RIGHT(m, op) a op b.m
#define KS_OF_ONE(m, op) op a.m
#define KS_CALL(m, f) f(a.m)
#define KS_CALL_BOTH(m, f) f(a.m, b.m)
#define KS_CLAMPED(m, f) max(a, min(v.m, b))
#define KS_SAME(m, v) v
#define KS_CAST(m, T) (T)v.m

#define KS_OPERATOR(V, T, n, op)                                                  \
  ks_inline V operator op(V a, V b) { return V{KS_LIST_##n(KS_BOTH, op)}; }       \
  ks_inline V operator op(V a, T b) { return V{KS_LIST_##n(KS_LEFT, op)}; }       \
  ks_inline V operator op(T a, V b) { return V{KS_LIST_##n(KS_RIGHT, op)}; }      \
  ks_inline void operator op##=(V& a, V b) { a = a op b; }                        \
  ks_inline void operator op##=(V& a, T b) { a = a op b; }
#define KS_VECTOR(V, T, n)                                                        \
  KS_OPERATOR(V, T, n, +)                                                         \
  KS_OPERATOR(V, T, n, -)                                                         \
  KS_OPERATOR(V, T, n, *)                                                         \
  KS_OPERATOR(V, T, n, /)                                                         \
  ks_inline V min(V a, V b) { return V{KS_LIST_##n(KS_CALL_BOTH, min)}; }         \
  ks_inline V max(V a, V b) { return V{KS_LIST_##n(KS_CALL_BOTH, max)}; }         \
  ks_inline V clamp(V v, T a, T b) { return V{KS_LIST_##n(KS_CLAMPED, )}; }       \
  ks_inline V clamp(V v, V a, V b) { return max(a, min(v, b)); }                  \
  ks_inline T dot(V a, V b) { return KS_SUM_##n(KS_BOTH, *); }                    \
  ks_inline V make_##V(T v) { return V{KS_LIST_##n(KS_SAME, v)}; }
#define KS_VECTORS(name, T)                                                       \
  KS_VECTOR(name##2, T, 2)                                                        \
  KS_VECTOR(name##3, T, 3)                                                        \
  KS_VECTOR(name##4, T, 4)                                                        \
  ks_inline T clamp(T v, T a, T b) { return max(a, min(v, b)); }                  \
  ks_inline name##2 make_##name##2(name##3 v) { return name##2{v.x, v.y}; }       \
  ks_inline name##2 make_##name##2(name##4 v) { return name##2{v.x, v.y}; }       \
  ks_inline name##3 make_##name##3(name##2 v, T z = 0) { return name##3{v.x, v.y, z}; } \
  ks_inline name##3 make_##name##3(name##4 v) { return name##3{v.x, v.y, v.z}; }  \
  ks_inline name##4 make_##name##4(name##3 v, T w = 0) { return name##4{v.x, v.y, v.z, w}; }
KS_VECTORS(float, float)
KS_VECTORS(int, int)
KS_VECTORS(uint, unsigned)
KS_VECTORS(double, double)
#undef KS_VECTORS
#undef KS_VECTOR
#undef KS_OPERATOR

#define KS_SIGNED(V, n) ks_inline V operator-(V a) { return V{KS_LIST_##n(KS_OF_ONE, -)}; }
KS_SIGNED(float2, 2) KS_SIGNED(float3, 3) KS_SIGNED(float4, 4)
KS_SIGNED(double2, 2) KS_SIGNED(double3, 3) KS_SIGNED(double4, 4)
KS_SIGNED(int2, 2) KS_SIGNED(int3, 3) KS_SIGNED(int4, 4)
#undef KS_SIGNED
#define KS_CONVERSION(to, T, from, n) ks_inline to make_##to(from v) { return to{KS_LIST_##n(KS_CAST, T)}; }
#define KS_CONVERSIONS(n)                      \
  KS_CONVERSION(float##n, float, int##n, n)    \
  KS_CONVERSION(float##n, float, uint##n, n)   \
  KS_CONVERSION(int##n, int, float##n, n)      \
  KS_CONVERSION(int##n, int, uint##n, n)       \
  KS_CONVERSION(uint##n, unsigned, int##n, n)
KS_CONVERSIONS(2) KS_CONVERSIONS(3) KS_CONVERSIONS(4)
#undef KS_CONVERSIONS
#undef KS_CONVERSION

ks_inline float lerp(float a, float b, float t) { return a + t * (b - a); }
ks_inline float fracf(float v) { return v - floorf(v); }
#define KS_GEOMETRY(V, n)                                                         \
  ks_inline float length(V v) { return sqrtf(dot(v, v)); }                        \
  ks_inline V normalize(V v) { return v * rsqrtf(dot(v, v)); }                    \
  ks_inline V lerp(V a, V b, float t) { return a + t * (b - a); }                 \
  ks_inline V floorf(V a) { return V{KS_LIST_##n(KS_CALL, floorf)}; }             \
  ks_inline V fracf(V v) { return v - floorf(v); }                                \
  ks_inline V fabs(V a) { return V{KS_LIST_##n(KS_CALL, fabsf)}; }                \
  ks_inline V fminf(V a, V b) { return min(a, b); }                               \
  ks_inline V fmaxf(V a, V b) { return max(a, b); }                               \
  ks_inline V fmodf(V a, V b) { return V{KS_LIST_##n(KS_CALL_BOTH, fmodf)}; }     \
  ks_inline V reflect(V i, V axis) { return i - 2.0f * axis * dot(axis, i); }     \
  ks_inline V smoothstep(V a, V b, V x) {                                         \
    const V y = clamp((x - a) / (b - a), 0.0f, 1.0f);                             \
    return y * y * (make_##V(3.0f) - make_##V(2.0f) * y);                         \
  }
#define KS_ABSOLUTE(V, n) ks_inline V abs(V a) { return V{KS_LIST_##n(KS_CALL, abs)}; }
KS_ABSOLUTE(int2, 2) KS_ABSOLUTE(int3, 3) KS_ABSOLUTE(int4, 4)
#undef KS_ABSOLUTE
KS_GEOMETRY(float2, 2) KS_GEOMETRY(float3, 3) KS_GEOMETRY(float4, 4)
#undef KS_GEOMETRY
ks_inline float3 cross(float3 a, float3 b) {
  return float3{a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
ks_inline float smoothstep(float a, float b, float x) {
  const float y = clamp((x - a) / (b - a), 0.0f, 1.0f);
  return y * y * (3.0f - 2.0f * y);
}

#undef KS_LIST_2
#undef KS_LIST_3
#undef KS_LIST_4
#undef KS_SUM_2
#undef KS_SUM_3
#undef KS_SUM_4
#undef KS_BOTH
#undef KS_LEFT
#undef KS_RIGHT
#undef KS_OF_ONE
#undef KS_CALL
#undef KS_CALL_BOTH
#undef KS_CLAMPED
#undef KS_SAME
#undef KS_CAST
#pragma clang force_cuda_host_device end
