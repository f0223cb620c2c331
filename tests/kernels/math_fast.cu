extern "C" __global__ void all(const float* x, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i], *o = out + i * 10;
  o[0] = __expf(v); o[1] = __logf(v); o[2] = __sinf(v); o[3] = __cosf(v); o[4] = __fdividef(v, 3.0f); o[5] = __powf(v, 1.5f);
  o[6] = rsqrtf(v); o[7] = __frcp_rn(v); o[8] = __fsqrt_rn(v); o[9] = __saturatef(v - 0.5f);
}
