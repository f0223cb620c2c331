// Numbers that an integer type does not hold, as a GPU converts them.
#define TO(T) ((T)x[i])
template <class F> __device__ void all(const F* x, long long* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const long long values[] = {TO(int), TO(unsigned), TO(signed char), TO(unsigned char), TO(short), TO(unsigned short), TO(long long),
                              (long long)TO(unsigned long long)};
  for (int k = 0; k < 8; ++k) out[8 * i + k] = values[k];
}
extern "C" __global__ void floats(const float* x, long long* out, int n) { all(x, out, n); }
extern "C" __global__ void doubles(const double* x, long long* out, int n) { all(x, out, n); }
