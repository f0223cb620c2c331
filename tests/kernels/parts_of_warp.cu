// Parts of a warp by a predicate, by a label and by who is there; each adds up its own members.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

extern "C" __global__ void parts(const int* x, int* by_parity, int* by_label, int* largest, int* ranks) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  const int i = blockIdx.x * blockDim.x + threadIdx.x, v = x[i];
  const auto part = cg::binary_partition(tile, v & 1);
  if (v & 1)
    by_parity[i] = cg::reduce(part, v, cg::plus<int>());
  else
    by_parity[i] = -cg::reduce(part, v, cg::plus<int>());
  const auto same = cg::labeled_partition(tile, v % 5);
  by_label[i] = cg::reduce(same, v, cg::plus<int>());
  ranks[i] = 100 * same.thread_rank() + same.size();
  largest[i] = -1;
  if (v % 3 == 0) {
    const auto here = cg::coalesced_threads();
    const auto even = cg::binary_partition(here, (v & 1) == 0);
    largest[i] = cg::reduce(even, v, cg::greater<int>());
  }
}
