// <curand_kernel.h>: Philox4x32-10 and XORWOW give cuRAND's own sequences; MRG32k3a
// is served by Philox under its own key.
#pragma once
#pragma clang system_header
#pragma clang force_cuda_host_device begin

#include <kasoku/curand_xorwow.h>

// --- Philox4x32-10: a counter, a key, and a place in the block of four ---
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

ks_inline uint4 curand_Philox4x32_10(uint4 c, uint2 k) {
  _Pragma("unroll") for (int round = 0; round < 10; ++round) {
    const unsigned long long a = (unsigned long long)0xD2511F53u * c.x;
    const unsigned long long b = (unsigned long long)0xCD9E8D57u * c.z;
    c = make_uint4((unsigned)(b >> 32) ^ c.y ^ k.x, (unsigned)b, (unsigned)(a >> 32) ^ c.w ^ k.y, (unsigned)a);
    k.x += 0x9E3779B9u, k.y += 0xBB67AE85u;
  }
  return c;
}
ks_inline void Philox_State_Incr(curandStatePhilox4_32_10_t* s, unsigned long long n = 1) {
  const unsigned long long low = (unsigned long long)s->ctr.y << 32 | s->ctr.x, sum = low + n;
  s->ctr.x = (unsigned)sum, s->ctr.y = (unsigned)(sum >> 32);
  if (sum < low && ++s->ctr.z == 0) ++s->ctr.w;
}
ks_inline void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t* s) {
  const unsigned long long sum = ((unsigned long long)s->ctr.w << 32 | s->ctr.z) + n;
  s->ctr.z = (unsigned)sum, s->ctr.w = (unsigned)(sum >> 32);
  s->output = curand_Philox4x32_10(s->ctr, s->key);
}
ks_inline void skipahead(unsigned long long n, curandStatePhilox4_32_10_t* s) {
  const unsigned place = s->STATE + (unsigned)(n & 3);
  s->STATE = place & 3;
  Philox_State_Incr(s, n / 4 + (place >> 2));
  s->output = curand_Philox4x32_10(s->ctr, s->key);
}
ks_inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                           unsigned long long offset, curandStatePhilox4_32_10_t* s) {
  *s = curandStatePhilox4_32_10_t{};
  s->key = make_uint2((unsigned)seed, (unsigned)(seed >> 32));
  s->ctr.z = (unsigned)subsequence, s->ctr.w = (unsigned)(subsequence >> 32);
  skipahead(offset, s);
}
ks_inline unsigned ks_philox_word(uint4 v, unsigned i) {
  const unsigned low = i & 1 ? v.y : v.x, high = i & 1 ? v.w : v.z;
  return i & 2 ? high : low;
}
ks_inline unsigned int curand(curandStatePhilox4_32_10_t* s) {
  const unsigned r = ks_philox_word(s->output, s->STATE);
  if (++s->STATE == 4) {
    Philox_State_Incr(s);
    s->output = curand_Philox4x32_10(s->ctr, s->key);
    s->STATE = 0;
  }
  return r;
}
ks_inline uint4 curand4(curandStatePhilox4_32_10_t* s) {
  const uint4 a = s->output;
  Philox_State_Incr(s);
  const uint4 b = s->output = curand_Philox4x32_10(s->ctr, s->key);
  switch (s->STATE) {
    case 0: return a;
    case 1: return make_uint4(a.y, a.z, a.w, b.x);
    case 2: return make_uint4(a.z, a.w, b.x, b.y);
    default: return make_uint4(a.w, b.x, b.y, b.z);
  }
}

// --- XORWOW ---
struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag, boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState_t;
typedef curandStateXORWOW curandState;

ks_inline void ks_xorwow_step(unsigned* v) {
  const unsigned t = v[0] ^ v[0] >> 2;
  v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
  v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
}
inline void ks_xorwow_jump(unsigned* v, const unsigned (*table)[15][5], unsigned long long n) {
  for (int j = 0; n; ++j, n >>= 4) {
    if ((n & 15) == 0) continue;
    const unsigned* power = table[j][(n & 15) - 1];
    unsigned sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; ++i) {
      const unsigned take = 0u - (power[i >> 5] >> (i & 31) & 1u);
      for (int k = 0; k < 5; ++k) sum[k] ^= v[k] & take;
      ks_xorwow_step(v);
    }
    for (int k = 0; k < 5; ++k) v[k] = sum[k];
  }
}
ks_inline void skipahead(unsigned long long n, curandStateXORWOW_t* s) {
  ks_xorwow_jump(s->v, ks_xorwow_offset, n);
  s->d += 362437u * (unsigned)n;
}
ks_inline void skipahead_sequence(unsigned long long n, curandStateXORWOW_t* s) {
  ks_xorwow_jump(s->v, ks_xorwow_subsequence, n);
}
ks_inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                           unsigned long long offset, curandStateXORWOW_t* s) {
  const unsigned low = 1099087573u * ((unsigned)seed ^ 0xaad26b49u);
  const unsigned high = 2591861531u * ((unsigned)(seed >> 32) ^ 0xf7dcefddu);
  *s = curandStateXORWOW_t{};
  s->d = 6615241u + high + low;
  s->v[0] = 123456789u + low, s->v[1] = 362436069u ^ low, s->v[2] = 521288629u + high;
  s->v[3] = 88675123u ^ high, s->v[4] = 5783321u + low;
  skipahead_sequence(subsequence, s);
  skipahead(offset, s);
}
ks_inline unsigned int curand(curandStateXORWOW_t* s) {
  ks_xorwow_step(s->v);
  s->d += 362437u;
  return s->v[4] + s->d;
}

// --- MRG32k3a: its name, with Philox's numbers ---
struct curandStateMRG32k3a : curandStatePhilox4_32_10 {};
typedef curandStateMRG32k3a curandStateMRG32k3a_t;
ks_inline void curand_init(unsigned long long seed, unsigned long long subsequence,
                           unsigned long long offset, curandStateMRG32k3a_t* s) {
  curand_init(seed ^ 0x4d5247333266b331ull, subsequence, offset, (curandStatePhilox4_32_10_t*)s);
}

// --- distributions; uniform numbers lie in (0, 1] ---
ks_inline float _curand_uniform(unsigned x) { return __builtin_fmaf((float)x, 2.3283064e-10f, 2.3283064e-10f / 2.0f); }
ks_inline double _curand_uniform_double(unsigned x) {
  return __builtin_fma((double)x, 2.3283064365386963e-10, 2.3283064365386963e-10 / 2.0);
}
ks_inline double _curand_uniform_double_hq(unsigned x, unsigned y) {
  const unsigned long long z = (unsigned long long)x ^ (unsigned long long)y << 21;
  return __builtin_fma((double)z, 1.1102230246251565e-16, 1.1102230246251565e-16 / 2.0);
}
ks_inline float2 _curand_box_muller(unsigned x, unsigned y) {
  const float u = _curand_uniform(x);
  const float v = __builtin_fmaf((float)y, 2.3283064e-10f * 6.2831855f, 2.3283064e-10f * 6.2831855f / 2);
  const float r = __builtin_sqrtf(-2.0f * logf(u));
  return make_float2(r * sinf(v), r * cosf(v));
}
ks_inline double2 _curand_box_muller_double(unsigned x0, unsigned x1, unsigned y0, unsigned y1) {
  const double u = _curand_uniform_double_hq(x0, x1), v = 2.0 * _curand_uniform_double_hq(y0, y1);
  const double r = __builtin_sqrt(-2.0 * log(u));
  return make_double2(r * sinpi(v), r * cospi(v));
}

ks_inline float curand_uniform(curandStateXORWOW_t* s) { return _curand_uniform(curand(s)); }
ks_inline float curand_uniform(curandStatePhilox4_32_10_t* s) { return _curand_uniform(curand(s)); }
ks_inline double curand_uniform_double(curandStateXORWOW_t* s) {
  const unsigned x = curand(s), y = curand(s);
  return _curand_uniform_double_hq(x, y);
}
ks_inline double curand_uniform_double(curandStatePhilox4_32_10_t* s) { return _curand_uniform_double(curand(s)); }
ks_inline float4 curand_uniform4(curandStatePhilox4_32_10_t* s) {
  const uint4 x = curand4(s);
  return make_float4(_curand_uniform(x.x), _curand_uniform(x.y), _curand_uniform(x.z), _curand_uniform(x.w));
}
ks_inline double2 curand_uniform2_double(curandStatePhilox4_32_10_t* s) {
  const uint4 x = curand4(s);
  return make_double2(_curand_uniform_double_hq(x.x, x.y), _curand_uniform_double_hq(x.z, x.w));
}
ks_inline double4 curand_uniform4_double(curandStatePhilox4_32_10_t* s) {
  const uint4 x = curand4(s), y = curand4(s);
  return make_double4(_curand_uniform_double_hq(x.x, x.y), _curand_uniform_double_hq(x.z, x.w),
                      _curand_uniform_double_hq(y.x, y.y), _curand_uniform_double_hq(y.z, y.w));
}
ks_inline float2 curand_box_muller(curandStateXORWOW_t* s) {
  const unsigned x = curand(s), y = curand(s);
  return _curand_box_muller(x, y);
}
ks_inline float2 curand_box_muller(curandStatePhilox4_32_10_t* s) {
  const unsigned x = curand(s), y = curand(s);
  return _curand_box_muller(x, y);
}
ks_inline double2 curand_box_muller_double(curandStateXORWOW_t* s) {
  const unsigned x0 = curand(s), x1 = curand(s), y0 = curand(s), y1 = curand(s);
  return _curand_box_muller_double(x0, x1, y0, y1);
}
ks_inline double2 curand_box_muller_double(curandStatePhilox4_32_10_t* s) {
  const uint4 x = curand4(s);
  return _curand_box_muller_double(x.x, x.y, x.z, x.w);
}
template <class S> ks_inline float2 curand_normal2(S* s) { return curand_box_muller(s); }
template <class S> ks_inline double2 curand_normal2_double(S* s) { return curand_box_muller_double(s); }
// The second of a pair waits for the next call.
template <class S> ks_inline float curand_normal(S* s) {
  if (s->boxmuller_flag) {
    s->boxmuller_flag = 0;
    return s->boxmuller_extra;
  }
  const float2 v = curand_box_muller(s);
  s->boxmuller_extra = v.y, s->boxmuller_flag = 1;
  return v.x;
}
template <class S> ks_inline double curand_normal_double(S* s) {
  if (s->boxmuller_flag_double) {
    s->boxmuller_flag_double = 0;
    return s->boxmuller_extra_double;
  }
  const double2 v = curand_box_muller_double(s);
  s->boxmuller_extra_double = v.y, s->boxmuller_flag_double = 1;
  return v.x;
}
ks_inline float4 curand_normal4(curandStatePhilox4_32_10_t* s) {
  const uint4 x = curand4(s);
  const float2 a = _curand_box_muller(x.x, x.y), b = _curand_box_muller(x.z, x.w);
  return make_float4(a.x, a.y, b.x, b.y);
}
template <class S> ks_inline float curand_log_normal(S* s, float mean, float deviation) {
  return expf(mean + deviation * curand_normal(s));
}
template <class S> ks_inline double curand_log_normal_double(S* s, double mean, double deviation) {
  return exp(mean + deviation * curand_normal_double(s));
}
template <class S> ks_inline float2 curand_log_normal2(S* s, float mean, float deviation) {
  const float2 v = curand_normal2(s);
  return make_float2(expf(mean + deviation * v.x), expf(mean + deviation * v.y));
}
template <class S> ks_inline double2 curand_log_normal2_double(S* s, double mean, double deviation) {
  const double2 v = curand_normal2_double(s);
  return make_double2(exp(mean + deviation * v.x), exp(mean + deviation * v.y));
}
ks_inline float4 curand_log_normal4(curandStatePhilox4_32_10_t* s, float mean, float deviation) {
  const float4 v = curand_normal4(s);
  return make_float4(expf(mean + deviation * v.x), expf(mean + deviation * v.y),
                     expf(mean + deviation * v.z), expf(mean + deviation * v.w));
}
ks_inline double4 curand_normal4_double(curandStatePhilox4_32_10_t* s) {
  const double2 a = curand_normal2_double(s), b = curand_normal2_double(s);
  return make_double4(a.x, a.y, b.x, b.y);
}
ks_inline double4 curand_log_normal4_double(curandStatePhilox4_32_10_t* s, double mean, double deviation) {
  const double4 v = curand_normal4_double(s);
  return make_double4(exp(mean + deviation * v.x), exp(mean + deviation * v.y), exp(mean + deviation * v.z),
                      exp(mean + deviation * v.w));
}
// Products of uniform numbers while the mean is small, Hormann's transformed
// rejection above.
template <class S> inline unsigned int curand_poisson(S* s, double lambda) {
  if (!(lambda > 0)) return 0;
  if (lambda < 30) {
    const double limit = exp(-lambda);
    unsigned k = 0;
    for (double p = curand_uniform_double(s); p > limit; p *= curand_uniform_double(s)) ++k;
    return k;
  }
  const double root = sqrt(lambda), b = 0.931 + 2.53 * root, a = -0.059 + 0.02483 * b;
  const double inverse = 1.1239 + 1.1328 / (b - 3.4), vr = 0.9277 - 3.6224 / (b - 2.0);
  for (;;) {
    const double u = curand_uniform_double(s) - 0.5, v = curand_uniform_double(s);
    const double us = 0.5 - fabs(u), k = floor((2.0 * a / us + b) * u + lambda + 0.43);
    if (us >= 0.07 && v <= vr) return (unsigned)k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (log(v) + log(inverse) - log(a / (us * us) + b) <= k * log(lambda) - lambda - lgamma(k + 1.0))
      return (unsigned)k;
  }
}
ks_inline uint4 curand_poisson4(curandStatePhilox4_32_10_t* s, double lambda) {
  const unsigned a = curand_poisson(s, lambda), b = curand_poisson(s, lambda);
  const unsigned c = curand_poisson(s, lambda), d = curand_poisson(s, lambda);
  return make_uint4(a, b, c, d);
}

#include <kasoku/curand_sobol.h>

#pragma clang force_cuda_host_device end
