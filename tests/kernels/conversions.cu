extern "C" __global__ void all(const float* x, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  int* o = out + i * 8;
  o[0] = __float2int_rn(v); o[1] = __float2int_rz(v); o[2] = __float2int_ru(v); o[3] = __float2int_rd(v);
  o[4] = __float_as_int(v); o[5] = (int)__float2uint_rz(fabsf(v)); o[6] = __double2int_rn((double)v * 2); o[7] = (int)lrintf(v);
}
