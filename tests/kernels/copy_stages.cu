#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

// Rows are copied two stages ahead of the one that is read, in the other order.
extern "C" __global__ void by_block(const float* in, float* out, int rows) {
  constexpr int stages = 2;
  __shared__ float room[stages][64];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
  const cg::thread_block block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  const int t = threadIdx.x;
  for (int read = 0, filled = 0; read < rows; ++read) {
    for (; filled < rows && filled < read + stages; ++filled) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, room[filled % stages], in + filled * 64, cuda::aligned_size_t<16>(256), pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    out[read * 64 + t] = room[read % stages][63 - t];
    pipe.consumer_release();
  }
}
