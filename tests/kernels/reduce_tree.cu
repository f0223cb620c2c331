extern "C" __global__ void reduce(const float* in, float* out, int n) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  s[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k >>= 1) {
    if (t < k) s[t] += s[t + k];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// Every second thread, then every fourth, …: and those of which a further condition holds.
extern "C" __global__ void reduce_strided(const int* x, int* y, int n) {
  extern __shared__ int some[];
  unsigned t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;
  some[t] = i < n ? x[i] : 0;
  __syncthreads();
  for (unsigned k = 1; k < blockDim.x; k *= 2) {
    if (t % (2 * k) == 0 && t + k < blockDim.x) some[t] += some[t + k];
    __syncthreads();
  }
  if (t % 3 == 0) y[blockIdx.x * blockDim.x + t] = t == 0 ? some[0] : -(int)t;
}

// What the loop over threads counts on to is read by each of them, before any is asked.
extern "C" __global__ void every_eighth(const int* x, int* y) {
  unsigned t = threadIdx.x, next = t + 1;
  if ((t % 8 == 0) & (x[next] > 3)) y[t] = 2 * x[next] + next;
}
