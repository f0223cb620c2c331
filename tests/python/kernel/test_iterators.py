"""Iterators of CUB and Thrust in kernels on a CPU; NVRTC's headers have some of them no more."""

import numpy as np

import kasoku as ks

TEXT = """
#include <cub/iterator/counting_input_iterator.cuh>
#include <cub/iterator/transform_input_iterator.cuh>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
struct Square { __device__ int operator()(int x) const { return x * x; } };
__global__ void f(int *out) {
  const int t = threadIdx.x;
  cub::CountingInputIterator<int> count(t);
  cub::TransformInputIterator<int, Square, cub::CountingInputIterator<int>> squares(count, Square());
  int table[4] = {10, 20, 30, 40}, order[3] = {3, 0, 2};
  auto chosen = thrust::make_permutation_iterator(table, order);
  chosen[1] = 7;
  int sum = 0;
  const auto end = thrust::make_transform_iterator(count + 3, Square());
  for (auto at = thrust::make_transform_iterator(count, Square()); at != end; ++at) sum += *at;
  out[t] = sum + squares[2] + chosen[0] + table[0] + (int)(2 + count - count) + thrust::make_constant_iterator(5)[9];
}
"""


def test_iterators_give_what_they_are_made_of():
    with ks.default_device("cpu"):
        out = ks.zeros(8, "int32")
        ks.RawModule(code=TEXT, options=("-std=c++17",)).get_function("f")((1,), (8,), (out,))
    t = np.arange(8)
    np.testing.assert_array_equal(out.numpy(), t**2 + (t + 1) ** 2 + 2 * (t + 2) ** 2 + 40 + 7 + 2 + 5)
