#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cuda/std/optional>
#include <nv/target>
#include <tuple>

namespace cg = cooperative_groups;

extern "C" __global__ void parts(int* out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> all;
  __shared__ int eight[4];
  const int t = threadIdx.x;
  if (t == 0) all.store(0);
  __syncthreads();
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  cg::reduce_update_async(tile, all, t, cg::plus<int>());
  cg::reduce_store_async(tile, &eight[t / 8], t, cg::greater<int>());
  const int leader = cg::invoke_one_broadcast(tile, [=](int more) { return t + more; }, 5);
  __syncthreads();
  cuda::std::optional<int> odd;
  if (t % 2) odd = t;
  int least;
  std::tie(least, std::ignore) = std::make_tuple(3, 4.0f);
  int sum = all.load() + eight[t / 8] + leader + odd.value_or(1000) + least + (odd == t) + (odd == std::nullopt);
  NV_IF_TARGET(NV_IS_DEVICE, (sum += 10000;), (sum = 0;))
  NV_IF_TARGET(NV_IS_HOST, (sum = 0;))
  NV_IF_ELSE_TARGET(NV_IS_HOST, (sum = 0;), (int more = 20000; sum += more;))
  odd.reset();
  out[t] = sum + odd.has_value();
}
