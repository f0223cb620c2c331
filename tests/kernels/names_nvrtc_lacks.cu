extern "C" __global__ void names(int32_t* i, uint64_t* u, double* d, float* f) {
  i[0] = INT_MAX; i[1] = (int32_t)sizeof(uchar); i[2] = std::min(3, 4); i[3] = std::numeric_limits<short>::max();
  u[0] = UINT64_MAX; u[1] = sizeof(uint16_t) + sizeof(int8_t);
  d[0] = M_PI; d[1] = DBL_MAX; d[2] = std::max(1.5, 2.5);
  f[0] = FLT_MAX; f[1] = INFINITY; f[2] = FLT_EPSILON; f[3] = std::sqrt(2.0f);
}
