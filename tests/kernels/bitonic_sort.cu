extern "C" __global__ void sort(unsigned* data) {
  extern __shared__ unsigned s[];
  unsigned t = threadIdx.x;
  s[t] = data[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (unsigned k = 2; k <= blockDim.x; k *= 2)
    for (unsigned j = k / 2; j > 0; j /= 2) {
      unsigned other = t ^ j;
      if (other > t) {
        bool up = (t & k) == 0;
        if ((s[t] > s[other]) == up) { unsigned v = s[t]; s[t] = s[other]; s[other] = v; }
      }
      __syncthreads();
    }
  data[blockIdx.x * blockDim.x + t] = s[t];
}
