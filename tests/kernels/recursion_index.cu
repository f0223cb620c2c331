// Functions that are not inlined - they call themselves, or are called through a pointer or
// virtually - know their thread and the block's shared memory.
__shared__ int shared[64];
__device__ int paths(int n) { return n < 2 ? n + threadIdx.x : paths(n - 1) + paths(n - 2); }
__device__ int shared_sum(int n) { return n < 0 ? 0 : shared[n] + shared_sum(n - 1); }

typedef int (*Step)(int);
__device__ int add_thread(int v) { return v + threadIdx.x; }
__device__ int add_block(int v) { return v + 100 * blockIdx.x + blockDim.x; }
__device__ int add_shared(int v) { return v + shared[(threadIdx.x + 1) % blockDim.x]; }
__device__ Step steps[] = {add_thread, add_block, add_shared};

struct Place {
  __device__ virtual ~Place() {}
  __device__ virtual int of(int v) const = 0;
};
struct ByThread : Place {
  __device__ int of(int v) const override { return v * threadIdx.x; }
};
struct ByGrid : Place {
  int factor;
  __device__ explicit ByGrid(int f) : factor(f) {}
  __device__ int of(int v) const override { return factor * gridDim.x + add_block(v); }
};

extern "C" __global__ void run(int* out, int which) {
  const int t = threadIdx.x, n = blockDim.x, i = blockIdx.x * n + t;
  shared[t] = 3 * t;
  __syncthreads();
  const ByThread by_thread;
  const ByGrid by_grid(7);
  const Place* place = t % 2 ? static_cast<const Place*>(&by_thread) : &by_grid;
  int* row = out + 4 * i;
  row[0] = paths(6);
  row[1] = shared_sum(t);
  row[2] = steps[(which + t) % 3](10);
  row[3] = place->of(5);
}
