extern "C" __global__ void all(const double* x, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double v = x[i], *o = out + i * 16, s, c, whole;
  o[0] = sin(v); o[1] = exp(v); o[2] = log(v + 1.5); o[3] = pow(v + 1.5, 3); o[4] = asin(v * 0.5); o[5] = acos(v * 0.5);
  o[6] = asinh(v); o[7] = acosh(v + 2.5); o[8] = atanh(v * 0.5); o[9] = tgamma(v + 2); o[10] = lgamma(v + 2.5); o[11] = erfc(v);
  sincos(v, &s, &c);
  o[12] = s + 10 * c; o[13] = fma(v, v, 1.0); o[14] = modf(v * 10, &whole) + whole * 100; o[15] = copysign(3.0, v);
}
