// Shared memory that is read as another type than it was written, a barrier between; arrays of several types in one.
extern "C" __global__ void parts(const unsigned* in, unsigned* out) {
  extern __shared__ unsigned char pool[];
  unsigned long long* wide = reinterpret_cast<unsigned long long*>(pool);
  const unsigned n = blockDim.x, t = threadIdx.x;
  wide[t] = in[t] * 0x100000001ull + 5;
  __syncthreads();
  unsigned sum = reinterpret_cast<const unsigned short*>(pool)[t * 5 % (4 * n)];
  __syncthreads();
  reinterpret_cast<float*>(pool)[t] = in[t];
  __syncthreads();
  sum += reinterpret_cast<const unsigned*>(pool)[n - 1 - t];
  __syncthreads();
  wide[t] = 7;
  __syncthreads();
  out[t] = sum + reinterpret_cast<const unsigned*>(pool)[2 * t];
}
