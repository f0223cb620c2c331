extern "C" __global__ void sizes(int* out) {
  out[0] = sizeof(float3); out[1] = alignof(float4); out[2] = sizeof(char4); out[3] = alignof(double2);
  out[4] = sizeof(short3); out[5] = sizeof(ulonglong2); out[6] = alignof(int3); out[7] = sizeof(uchar3);
  int2 a = make_int2(3, 4);
  uint3 b = make_uint3(1, 2, 3);
  dim3 c(5, 6);
  longlong2 d = {7, 8};
  out[8] = a.x + a.y + b.z; out[9] = c.x + c.y + c.z; out[10] = (int)(d.x * d.y);
}
