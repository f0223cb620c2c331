#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_shuffle.cuh>

constexpr int threads = 96, items = 3;

struct Changes { __device__ bool operator()(int a, int b) const { return a != b; } };
struct ChangesOrTenth { __device__ bool operator()(int a, int b, int at) const { return a != b || at % 10 == 0; } };
struct Minus { __device__ int operator()(int a, int b) const { return a - b; } };

extern "C" __global__ void neighbours(const int* x, int* out, int valid) {
  typedef cub::BlockAdjacentDifference<int, threads> Difference;
  typedef cub::BlockDiscontinuity<int, threads> Discontinuity;
  typedef cub::BlockShuffle<int, threads> Shuffle;
  __shared__ union { Difference::TempStorage difference; Discontinuity::TempStorage discontinuity; Shuffle::TempStorage shuffle; } room;
  const int n = threads * items, first = threadIdx.x * items;
  int v[items], r[items], s[items], one = -7;
  for (int i = 0; i < items; ++i) v[i] = x[first + i];
  int row = 0;
  const auto write = [&](const int (&from)[items]) {
    for (int i = 0; i < items; ++i) out[n * row + first + i] = from[i];
    ++row;
    __syncthreads();
  };
  Difference(room.difference).SubtractLeft(v, r, Minus()), write(r);
  Difference(room.difference).SubtractLeft(v, r, Minus(), 100), write(r);
  Difference(room.difference).SubtractLeftPartialTile(v, r, Minus(), valid), write(r);
  Difference(room.difference).SubtractRight(v, r, Minus()), write(r);
  Difference(room.difference).SubtractRight(v, r, Minus(), 100), write(r);
  Difference(room.difference).SubtractRightPartialTile(v, r, Minus(), valid), write(r);
  Discontinuity(room.discontinuity).FlagHeads(r, v, Changes()), write(r);
  Discontinuity(room.discontinuity).FlagHeads(r, v, ChangesOrTenth(), x[0]), write(r);
  Discontinuity(room.discontinuity).FlagTails(r, v, Changes()), write(r);
  Discontinuity(room.discontinuity).FlagTails(r, v, Changes(), x[n - 1]), write(r);
  Discontinuity(room.discontinuity).FlagHeadsAndTails(r, x[0], s, x[n - 1] + 1, v, Changes()), write(r), write(s);
  for (int i = 0; i < items; ++i) r[i] = -1;
  Shuffle(room.shuffle).Up(v, r, one), write(r);
  r[items - 1] = one;
  Shuffle(room.shuffle).Down(v, r, one), write(r);
  for (int i = 0; i < items; ++i) r[i] = one;
  Shuffle(room.shuffle).Offset(v[0], r[1], -5);
  __syncthreads();
  Shuffle(room.shuffle).Rotate(v[0], r[2], 40), write(r);
}
