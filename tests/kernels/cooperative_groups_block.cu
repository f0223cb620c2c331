#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int tile_sum(cg::thread_block_tile<16> tile, int v) {
  for (int i = tile.size() / 2; i > 0; i /= 2) v += tile.shfl_down(v, i);
  return tile.shfl(v, 0);
}
extern "C" __global__ void groups(const int* in, int* out, int* ranks) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int t = block.thread_rank();
  out[t] = tile_sum(tile, in[t]);
  block.sync();
  ranks[t] = tile.thread_rank() + 100 * tile.meta_group_rank() + 10000 * tile.any(in[t] > 90);
}
