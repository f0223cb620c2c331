// The instructions that dynamic programming has on newer GPUs.
extern "C" __global__ void words(const int* a, const int* b, const int* c, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = a[i], y = b[i], z = c[i];
  bool first, high, low;
  int* o = out + 16 * i;
  o[0] = __vimax3_s32(x, y, z);
  o[1] = (int)__vimin3_u32(x, y, z);
  o[2] = __vimax3_s32_relu(x, y, z);
  o[3] = __vimin3_s32_relu(x, y, z);
  o[4] = __viaddmax_s32(x, y, z);
  o[5] = __viaddmin_s32_relu(x, y, z);
  o[6] = (int)__viaddmax_u32(x, y, z);
  o[7] = (int)__vimax3_s16x2(x, y, z);
  o[8] = (int)__vimin3_u16x2(x, y, z);
  o[9] = (int)__viaddmax_s16x2_relu(x, y, z);
  o[10] = (int)__viaddmin_u16x2(x, y, z);
  o[11] = (int)__vimax_s16x2_relu(x, y);
  o[12] = __vibmax_s32(x, y, &first);
  o[13] = (int)__vibmin_u16x2(x, y, &high, &low);
  o[14] = first + 2 * high + 4 * low;
  o[15] = __vimin_s32_relu(x, y);
}

extern "C" __global__ void places(int* out, int* global) {
  __shared__ int fixed[3];
  extern __shared__ char dynamic[];
  out[0] = __isShared(&fixed[2]) != 0;
  out[1] = __isShared(dynamic) != 0;
  out[2] = __isShared(dynamic + 99) != 0;
  out[3] = __isShared(global) != 0;
  fixed[threadIdx.x] = dynamic[99] = 1;
  out[4] = fixed[threadIdx.x] + dynamic[99];
}
