#include <cooperative_groups.h>
namespace cg = cooperative_groups;

// Each step scales all numbers by their mean and adds 0, 1 or 2: every block needs every sum.
extern "C" __global__ void normalise(double* x, double* sums, int n, int steps) {
  __shared__ double parts[64];
  const cg::grid_group grid = cg::this_grid();
  const cg::thread_block block = cg::this_thread_block();
  for (int step = 0; step < steps; ++step) {
    double sum = 0;
    for (int i = grid.thread_rank(); i < n; i += grid.size()) sum += x[i];
    parts[block.thread_rank()] = sum;
    cg::sync(block);
    for (int d = 32; d > 0; d /= 2) {
      if (threadIdx.x < d) parts[threadIdx.x] += parts[threadIdx.x + d];
      block.sync();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = parts[0];
    grid.sync();
    double all = 0;
    for (unsigned b = 0; b < gridDim.x; ++b) all += sums[b];
    for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] = x[i] * n / all + i % 3;
    cg::sync(grid);
  }
}
