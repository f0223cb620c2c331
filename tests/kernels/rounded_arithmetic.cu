// Arithmetic whose rounding is named: eight results in each direction.
#define ALL(T, p, fma, mode)                                                                     \
  o[0] = __##p##add_##mode(a, b), o[1] = __##p##sub_##mode(a, b), o[2] = __##p##mul_##mode(a, b); \
  o[3] = __##p##div_##mode(a, b), o[4] = __##p##rcp_##mode(b), o[5] = __##p##sqrt_##mode(fabs(a)); \
  o[6] = fma##_##mode(a, b, c), o[7] = fma##_##mode(c, a, b), o += 8;
extern "C" __global__ void floats(const float* x, const float* y, const float* z, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a = x[i], b = y[i], c = z[i], *o = out + 36 * i;
  ALL(float, f, __fmaf, rn)
  ALL(float, f, __fmaf, rd)
  ALL(float, f, __fmaf, ru)
  ALL(float, f, __fmaf, rz)
  o[0] = __fmaf_ieee_rn(a, b, c), o[1] = __fmaf_ieee_rd(a, b, c);
  o[2] = __fmaf_ieee_ru(a, b, c), o[3] = __fmaf_ieee_rz(a, b, c);
}
extern "C" __global__ void doubles(const double* x, const double* y, const double* z, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double a = x[i], b = y[i], c = z[i], *o = out + 32 * i;
  ALL(double, d, __fma, rn)
  ALL(double, d, __fma, rd)
  ALL(double, d, __fma, ru)
  ALL(double, d, __fma, rz)
}
/// Sums and differences, the sign of which is asked for where they are nothing.
#define SUMS(T, p, fma, mode) o[0] = __##p##add_##mode(a, b), o[1] = __##p##sub_##mode(a, b), o[2] = fma##_##mode(a, (T)1, b), o += 3;
#define NOTHING(name, T, p, fma)                                           \
  extern "C" __global__ void name(const T* x, const T* y, T* out, int n) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                         \
    if (i >= n) return;                                                    \
    T a = x[i], b = y[i], *o = out + 12 * i;                               \
    SUMS(T, p, fma, rn) SUMS(T, p, fma, rd) SUMS(T, p, fma, ru) SUMS(T, p, fma, rz) }
NOTHING(no_floats, float, f, __fmaf)
NOTHING(no_doubles, double, d, __fma)
