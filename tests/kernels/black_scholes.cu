__device__ inline float cnd(float d) {
  const float A1 = 0.31938153f, A2 = -0.356563782f, A3 = 1.781477937f, A4 = -1.821255978f, A5 = 1.330274429f;
  float K = __fdividef(1.0f, (1.0f + 0.2316419f * fabsf(d)));
  float c = 0.39894228040143267794f * __expf(-0.5f * d * d) * (K * (A1 + K * (A2 + K * (A3 + K * (A4 + K * A5)))));
  if (d > 0) c = 1.0f - c;
  return c;
}
extern "C" __global__ __launch_bounds__(128) void price(float2* __restrict call, const float2* __restrict s, const float2* __restrict x,
                                                        const float2* __restrict t, float r, float v, int n) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n / 2) {
    float2 c;
    float S[2] = {s[i].x, s[i].y}, X[2] = {x[i].x, x[i].y}, T[2] = {t[i].x, t[i].y}, R[2];
    for (int k = 0; k < 2; ++k) {
      float q = __fdividef(1.0F, rsqrtf(T[k]));
      float d1 = __fdividef(__logf(S[k] / X[k]) + (r + 0.5f * v * v) * T[k], v * q), d2 = d1 - v * q;
      R[k] = S[k] * cnd(d1) - X[k] * __expf(-r * T[k]) * cnd(d2);
    }
    c.x = R[0]; c.y = R[1];
    call[i] = c;
  }
}
