extern "C" __global__ void scale(const float4* in, float4* out, float4 s, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float4 v = in[i];
    out[i] = make_float4(v.x * s.x, v.y * s.y, v.z * s.z, v.w * s.w);
  }
}
