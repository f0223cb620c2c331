// Kernels that launch kernels: sorting by recursion, sums of a tree level by level, stages in one stream.
struct Range { int first, last; };

__device__ void insertion_sort(int* x, Range range) {
  for (int i = range.first + 1; i < range.last; ++i) {
    const int value = x[i];
    int at = i;
    for (; at > range.first && x[at - 1] > value; --at) x[at] = x[at - 1];
    x[at] = value;
  }
}

extern "C" __global__ void sort(int* x, Range range, int depth) {
  if (range.last - range.first <= 12 || depth == 0) return insertion_sort(x, range);
  const int pivot = x[(range.first + range.last) / 2];
  int left = range.first, right = range.last - 1;
  while (left <= right) {
    while (x[left] < pivot) ++left;
    while (x[right] > pivot) --right;
    if (left <= right) {
      const int other = x[left];
      x[left++] = x[right];
      x[right--] = other;
    }
  }
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  sort<<<1, 1, 0, stream>>>(x, Range{range.first, right + 1}, depth - 1);
  cudaStreamDestroy(stream);
  sort<<<1, 1, 0, cudaStreamFireAndForget>>>(x, Range{left, range.last}, depth - 1);
}
extern "C" __global__ void sort_all(int* x, int n) {
  if (threadIdx.x == 0) sort<<<1, 1>>>(x, Range{0, n}, 20);
}

// One level of pairwise sums; the block that ends last launches the next level.
__device__ unsigned ended;
template <class T>
__global__ void add_pairs(T* x, int n, int blocks) {
  extern __shared__ char memory[];
  T* both = (T*)memory;
  const int i = blockIdx.x * blockDim.x + threadIdx.x, half = (n + 1) / 2;
  both[threadIdx.x] = i < n / 2 ? x[i + half] : T(0);
  __syncthreads();
  if (i < half) x[i] += both[threadIdx.x];
  __threadfence();
  __syncthreads();
  if (threadIdx.x || atomicAdd(&ended, 1u) != blocks - 1 || half == 1) return;
  ended = 0;
  const int next = ((half + 1) / 2 + 31) / 32;
  add_pairs<T><<<next, 32, 32 * sizeof(T)>>>(x, half, next);
}
extern "C" __global__ void sum(double* x, int n) {
  ended = 0;
  const int blocks = ((n + 1) / 2 + 31) / 32;
  add_pairs<<<blocks, 32, 32 * sizeof(double)>>>(x, n, blocks);
}

template <int step>
__global__ void stage(const float* from, float* to, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = factor * from[(i + step) % n];
}
__device__ void launch_stages(float* x, float* y, int n) {
  const dim3 grid((n + 63) / 64), block(64);
  stage<1><<<grid, block>>>(x, y, 2.0f, n);
  stage<3><<<grid, block>>>(y, x, 3.0f, n);
  stage<5><<<grid, block>>>(x, y, 0.5f, n);
}
extern "C" __global__ void stages(float* x, float* y, int n) {
  x[threadIdx.x] += 1;  // by each of the block's threads
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) launch_stages(x, y, n);
}
