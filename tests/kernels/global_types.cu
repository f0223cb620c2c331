// Global memory that is read as another type than it was written, a barrier between; which word it is, only an argument says.
extern "C" __global__ void parts(const unsigned* in, unsigned* pool, unsigned* out, int zero) {
  unsigned long long* wide = reinterpret_cast<unsigned long long*>(pool);
  const unsigned n = blockDim.x, t = threadIdx.x;
  wide[t] = in[t] * 0x100000001ull + 5;
  __syncthreads();
  unsigned sum = reinterpret_cast<const unsigned short*>(pool)[t * 5 % (4 * n) + zero];
  __syncthreads();
  reinterpret_cast<float*>(pool)[t] = in[t];
  __syncthreads();
  sum += pool[n - 1 - t + zero];
  __syncthreads();
  wide[t] = 7;
  __syncthreads();
  out[t] = sum + pool[2 * t + zero];
}

// A round begins with what the round before wrote.
extern "C" __global__ void rounds(unsigned* pool, unsigned* out, int rounds, int zero) {
  const unsigned t = threadIdx.x;
  unsigned sum = 0;
  for (int i = 0; i < rounds; ++i) {
    sum = sum * 3 + pool[zero];
    __syncthreads();
    if (t == i % blockDim.x) reinterpret_cast<float*>(pool)[0] = i;
    __syncthreads();
  }
  out[t] = sum;
}

// A round reads and writes with no barrier between.
extern "C" __global__ void own_rounds(unsigned* pool, unsigned* out, int rounds, int zero) {
  const unsigned t = threadIdx.x;
  unsigned sum = 0;
  for (int i = 0; i < rounds; ++i) {
    sum = sum * 3 + pool[t + zero];
    reinterpret_cast<float*>(pool)[t] = i + t;
    __syncthreads();
  }
  out[t] = sum;
}
