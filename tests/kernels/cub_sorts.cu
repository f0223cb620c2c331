#include <cub/block/block_merge_sort.cuh>
#include <cub/warp/warp_merge_sort.cuh>

struct Falling { __device__ bool operator()(int a, int b) const { return a > b; } };
struct Rising { template <class T> __device__ bool operator()(const T& a, const T& b) const { return a < b; } };
struct Wide { double a; int b; };

// 32 threads of three: equal keys keep their order. What lies behind the valid ones CUB does not say.
extern "C" __global__ void block_sorts(const int* x, int* keys, int* places, float* rest, int valid) {
  typedef cub::BlockMergeSort<int, 32, 3, int> Pairs;
  typedef cub::BlockMergeSort<float, 32, 3> Keys;
  __shared__ union { Pairs::TempStorage pairs; Keys::TempStorage keys; } room;
  const int first = threadIdx.x * 3;
  int k[3], v[3];
  float f[3];
  for (int i = 0; i < 3; ++i) k[i] = x[first + i], v[i] = first + i, f[i] = x[first + i] * 0.5f;
  Pairs(room.pairs).Sort(k, v, Falling());
  __syncthreads();
  Keys(room.keys).StableSort(f, Rising(), valid, 1e9f);
  for (int i = 0; i < 3; ++i) keys[first + i] = k[i], places[first + i] = v[i], rest[first + i] = first + i < valid ? f[i] : 0;
}

// Each 16 lanes sort 32 keys of 64 bits; other lanes' structures.
extern "C" __global__ void warp_sorts(const long long* x, long long* keys, short* places, int* moved) {
  typedef cub::WarpMergeSort<long long, 2, 16, short> Sort;
  __shared__ Sort::TempStorage room[4];
  const int t = threadIdx.x, first = t * 2;
  long long k[2];
  short v[2];
  for (int i = 0; i < 2; ++i) k[i] = x[first + i], v[i] = (short)(first + i);
  Sort(room[t / 16]).Sort(k, v, Rising());
  for (int i = 0; i < 2; ++i) keys[first + i] = k[i], places[first + i] = v[i];
  const Wide own{(double)t, t * 2};
  const Wide up = cub::ShuffleUp<16>(own, 1, 0, 0xffffffffu), down = cub::ShuffleDown<32>(own, 3, 31, 0xffffffffu);
  moved[t] = (int)up.a + 100 * down.b + 10000 * (int)cub::ShuffleIndex<8>(own, 2, 0xffffffffu).a;
}
