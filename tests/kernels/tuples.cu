#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/utility>

template <class... T>
__device__ int sizes(const cuda::std::tuple<T...>&) { return (sizeof(T) + ...); }

extern "C" __global__ void run(const int* a, const float* b, int* out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  cuda::std::tuple<int, float, char> row(a[i], b[i], char(i));
  auto [x, y, z] = row;
  cuda::std::get<0>(row) += 5;
  int first;
  float second;
  cuda::std::tie(first, second) = cuda::std::make_tuple(x * 2, y * 2);
  cuda::std::array<int, 4> digits{1, 2, 3, z};
  int sum = 0;
  for (int d : digits) sum += d;
  const cuda::std::pair<int, int> best = cuda::std::make_pair(first, sum);
  const bool less = row < cuda::std::make_tuple(a[i] + 6, 0.0f, 'a');
  out[i] = cuda::std::get<0>(row) + first + int(second) + best.second + sizes(row) + 1000 * less;
}
