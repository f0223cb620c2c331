/// Kernels that launch kernels, with several workers and several callers at once.
#include "kasoku/array/array.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/kernel/raw_module.h"

#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <thread>
#include <vector>

using namespace kasoku;

namespace {

const RawModule& module() {
  static const RawModule module(R"(
    __global__ void mark(int* x) { atomicAdd(x, 1); }
    __global__ void leaf(int* count) {
      __shared__ int sum;
      if (threadIdx.x == 0) sum = 0;
      __syncthreads();
      atomicAdd(&sum, 1);
      __syncthreads();
      if (threadIdx.x == 0) atomicAdd(count, sum == blockDim.x);
    }
    extern "C" __global__ void tree(int* count, int depth) {
      if (depth == 0) leaf<<<1, 8>>>(count);
      else for (int i = 0; i < 2; ++i) tree<<<2, 2, 0, cudaStreamFireAndForget>>>(count, depth - 1);
    }
    extern "C" __global__ void each(int* x, int n) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) mark<<<1, 1>>>(x + i);
    }
    extern "C" __global__ void waits(int* x, int* sum) {
      if (threadIdx.x == 0) {
        each<<<4, 16>>>(x, 64);
        cudaDeviceSynchronize();
      }
      __syncthreads();
      atomicAdd(sum, x[threadIdx.x]);
    }
    __global__ void fails(int* x) { assert(x[0] == 0); }
    extern "C" __global__ void some_fail(int* x, int n) {
      const int i = blockIdx.x * blockDim.x + threadIdx.x;
      if (i < n) fails<<<1, 1>>>(x + i);
    })");
  return module;
}

Array zeros(int64_t n) {
  Array x = Array::empty({n}, Dtype::int32, device("cpu"));
  std::memset(x.data(), 0, static_cast<size_t>(n) * 4);
  return x;
}
const int* ints(const Array& x) { return static_cast<const int*>(x.data()); }

}  // namespace

TEST_CASE("children: trees, lists and waiting parents, from several threads at once") {
  std::vector<std::thread> callers;
  std::vector<int> wrong(4);
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back([&, caller] {
      for (int round = 0; round < 3; ++round) {
        Array count = zeros(1), x = zeros(5000), y = zeros(64), sum = zeros(1);
        module().kernel("tree")(LaunchShape{.grid = {2, 1, 1}, .block = {2, 1, 1}}, {count, 3});
        module().kernel("each")(LaunchShape{.grid = {50, 1, 1}, .block = {100, 1, 1}}, {x, 5000});
        module().kernel("waits")(LaunchShape{.grid = {1, 1, 1}, .block = {64, 1, 1}}, {y, sum});
        wrong[caller] += ints(count)[0] != 4 * 8 * 8 * 8;
        wrong[caller] += ints(sum)[0] != 64;
        for (int i = 0; i < 5000; ++i) wrong[caller] += ints(x)[i] != 1;
      }
    });
  for (std::thread& caller : callers) caller.join();
  CHECK(wrong == std::vector<int>(4));
}

TEST_CASE("children: the first that fails ends the launch, the next launch is fresh") {
  Array x = zeros(3000);
  const LaunchShape shape{.grid = {30, 1, 1}, .block = {100, 1, 1}};
  module().kernel("some_fail")(shape, {x, 3000});
  static_cast<int*>(x.data())[1234] = 1;
  for (int round = 0; round < 3; ++round) {
    std::string text;
    try {
      module().kernel("some_fail")(shape, {x, 3000});
    } catch (const Error& error) {
      text = error.what();
    }
    CHECK(text.starts_with("kernel 'fails' failed: assertion `x[0] == 0` failed at kernel.cu:"));
    CHECK(text.find("why  kernel 'some_fail' launched it at kernel.cu:") != text.npos);
  }
  static_cast<int*>(x.data())[1234] = 0;
  module().kernel("some_fail")(shape, {x, 3000});
}
