#include <cub/block/block_exchange.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_store.cuh>

constexpr int threads = 96, items = 3, runs = 2, lanes = 16;

// Runs of a block, decoded window by window; beyond the last one nothing is asked for.
extern "C" __global__ void decoded(const short* values, const unsigned* lengths, short* out, unsigned* places, unsigned* total) {
  typedef cub::BlockRunLengthDecode<short, threads, runs, items> Decode;
  __shared__ typename Decode::TempStorage room;
  short value[runs];
  unsigned length[runs], all;
  for (int i = 0; i < runs; ++i) value[i] = values[threadIdx.x * runs + i], length[i] = lengths[threadIdx.x * runs + i];
  Decode decode(room, value, length, all);
  if (threadIdx.x == 0) *total = all;
  for (unsigned from = 0; from < all; from += threads * items) {
    short item[items];
    unsigned place[items];
    decode.RunLengthDecode(item, place, from);
    for (int i = 0; i < items; ++i) {
      const unsigned at = from + threadIdx.x * items + i;
      if (at < all) out[at] = item[i], places[at] = place[i];
    }
  }
}

extern "C" __global__ void exchanged(const int* x, int* out) {
  typedef cub::WarpExchange<int, items, lanes> Exchange;
  typedef cub::BlockExchange<int, threads, items> Block;
  __shared__ typename Exchange::TempStorage rooms[threads / lanes];
  __shared__ typename Block::TempStorage room;
  const int n = threads * items, part = threadIdx.x / lanes, first = part * lanes * items;
  int v[items], r[items], rank[items], row = 0;
  cub::WarpLoad<int, items, cub::WARP_LOAD_STRIPED, lanes>().Load(x + first, v, lanes * items - 5, -1);
  const auto write = [&](int (&from)[items]) {
    cub::WarpStore<int, items, cub::WARP_STORE_DIRECT, lanes>().Store(out + n * row++ + first, from);
  };
  write(v);
  Exchange(rooms[part]).StripedToBlocked(v, r), write(r);
  Exchange(rooms[part]).BlockedToStriped(r, v), write(v);
  for (int i = 0; i < items; ++i) rank[i] = (int)(threadIdx.x % lanes * items + i) * 5 % (lanes * items);
  Exchange(rooms[part]).ScatterToStriped(v, rank), write(v);
  cub::WarpLoad<int, items, cub::WARP_LOAD_DIRECT, lanes>().Load(x + first, v);
  Block(room).BlockedToWarpStriped(v, r), write(r);
  __syncthreads();
  Block(room).WarpStripedToBlocked(r, v), write(v);
  __syncthreads();
  for (int i = 0; i < items; ++i) rank[i] = (int)(threadIdx.x * items + i) * 5 % n;
  Block(room).ScatterToBlocked(v, rank), write(v);
}
