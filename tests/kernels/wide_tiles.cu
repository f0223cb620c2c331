// Tiles of several warps, and tiles of tiles.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void sums(const int* x, int* total, double* half_total, int* running, int* some) {
  __shared__ cg::block_tile_memory<256> scratch;
  const cg::thread_block block = cg::this_thread_block(scratch);
  const auto tile = cg::tiled_partition<64>(block);
  const auto half = cg::tiled_partition<128>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  total[i] = cg::reduce(tile, x[i], cg::plus<int>());
  half_total[i] = cg::reduce(half, 0.5 * x[i], cg::greater<double>());
  running[i] = cg::inclusive_scan(tile, x[i]) + 1000 * cg::exclusive_scan(tile, x[i]);
  some[i] = tile.any(x[i] > 90) + 2 * tile.all(x[i] > 3);
}

// Only one of the tiles goes through its barriers.
extern "C" __global__ void one_of_them(const int* x, int* out) {
  __shared__ int held[256];
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block());
  if (tile.meta_group_rank() == 1)
    for (int round = 0; round < 3; ++round) {
      held[tile.thread_rank()] = x[tile.thread_rank()] + round;
      tile.sync();
      const int next = held[(tile.thread_rank() + 1) % tile.size()];
      tile.sync();
      out[round * 64 + tile.thread_rank()] = next;
    }
}

extern "C" __global__ void tile_of_tile(int* out) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const cg::thread_block_tile<8> part = cg::tiled_partition<8>(warp);
  const cg::cluster_group cluster = cg::this_cluster();
  out[threadIdx.x] = part.meta_group_rank() * 100 + part.meta_group_size() * 10 + warp.meta_group_rank() +
                     cluster.num_blocks() * 1000;
}
