template <class T> struct SharedMemory {
  __device__ inline operator T*() { extern __shared__ int __smem[]; return (T*)__smem; }
};
template <class T, unsigned block> __global__ void reduce(const T* in, T* out, unsigned n) {
  T* s = SharedMemory<T>();
  unsigned t = threadIdx.x;
  T sum = 0;
  for (unsigned i = blockIdx.x * block + t; i < n; i += block * gridDim.x) sum += in[i];
  s[t] = sum;
  __syncthreads();
  if (block >= 256) { if (t < 128) s[t] = sum = sum + s[t + 128]; __syncthreads(); }
  if (block >= 128) { if (t < 64) s[t] = sum = sum + s[t + 64]; __syncthreads(); }
  if (t < 32) {
    if (block >= 64) sum += s[t + 32];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffff, sum, o);
  }
  if (t == 0) out[blockIdx.x] = sum;
}
