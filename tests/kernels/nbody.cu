__device__ float3 pull(float4 a, float4 b, float3 acc) {
  float3 r = make_float3(b.x - a.x, b.y - a.y, b.z - a.z);
  float d2 = r.x * r.x + r.y * r.y + r.z * r.z + 0.01f;
  float inv = rsqrtf(d2);
  float s = b.w * inv * inv * inv;
  acc.x += r.x * s; acc.y += r.y * s; acc.z += r.z * s;
  return acc;
}
extern "C" __global__ void forces(const float4* pos, float3* out, int n) {
  extern __shared__ float4 tile[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float4 me = pos[i];
  float3 acc = make_float3(0, 0, 0);
  for (int k = 0; k < n; k += blockDim.x) {
    tile[threadIdx.x] = pos[k + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < blockDim.x; ++j) acc = pull(me, tile[j], acc);
    __syncthreads();
  }
  out[i] = acc;
}
