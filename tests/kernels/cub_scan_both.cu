// Inclusive and exclusive scans of warps at once, with and without a first value.
#include <cub/warp/warp_scan.cuh>

struct Larger {
  __device__ int operator()(int a, int b) const { return a < b ? b : a; }
};
struct Plus {
  __device__ int operator()(int a, int b) const { return a + b; }
};

extern "C" __global__ void scan_both(const int *x, int *inclusive, int *exclusive, int *sums, int *before) {
  typedef cub::WarpScan<int> Scan;
  __shared__ Scan::TempStorage memory[3];
  const int t = threadIdx.x;
  int with, without;
  Scan(memory[t / 32]).Scan(x[t], with, without, 100, Larger());
  inclusive[t] = with;
  exclusive[t] = without;
  __syncwarp();
  Scan(memory[t / 32]).Scan(x[t], with, without, Plus());
  sums[t] = with * 1000 + (t % 32 ? without : 0);  // nothing is said of the first lane's
  __syncwarp();
  Scan(memory[t / 32]).ExclusiveScan(x[t], without, Plus());
  before[t] = t % 32 ? without : -1;
}
