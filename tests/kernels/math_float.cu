extern "C" __global__ void all(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], *o = out + i * 24;
  o[0] = sinf(v); o[1] = cosf(v); o[2] = tanf(v); o[3] = expf(v); o[4] = logf(v + 1.5f); o[5] = sqrtf(v + 1.5f);
  o[6] = powf(v + 1.5f, 2.5f); o[7] = atan2f(v, 2.0f); o[8] = sinhf(v); o[9] = tanhf(v); o[10] = erff(v); o[11] = cbrtf(v);
  o[12] = log2f(v + 1.5f); o[13] = exp2f(v); o[14] = floorf(v * 10); o[15] = ceilf(v * 10); o[16] = roundf(v * 10); o[17] = truncf(v * 10);
  o[18] = fmodf(v * 10, 3.0f); o[19] = hypotf(v, 1.0f); o[20] = log1pf(v * 0.5f); o[21] = expm1f(v); o[22] = fabsf(v); o[23] = rintf(v * 10);
}
