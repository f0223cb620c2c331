/// Kernels from text, as a C++ program uses them, on the CPU.
#include "kasoku/base/warning.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/elementwise.h"
#include "kasoku/kernel/raw_module.h"
#include "kasoku/kernel/reduction.h"
#include "kasoku/kernel/scan.h"
#include "kasoku/kernel/swapped.h"

#include <doctest/doctest.h>

#include <cstring>
#include <numeric>

using namespace kasoku;

namespace {

template <class T>
Array array_of(const std::vector<T>& values) {
  Device& cpu = device("cpu");
  Array array = Array::empty({static_cast<int64_t>(values.size())}, dtype_of<T>::value, cpu);
  if (!values.empty())
    cpu.copy(array.data(), values.data(), values.size() * sizeof(T), cpu.current_stream());
  array.buffer()->history.filled_by_host = true;
  return array;
}

template <class T>
std::vector<T> values_of(const Array& array) {
  std::vector<T> values(array.size());
  std::memcpy(values.data(), array.data(), values.size() * sizeof(T));
  return values;
}

using Ints = std::vector<int32_t>;
using Doubles = std::vector<double>;

}  // namespace

TEST_CASE("elementwise: pointers are indexed by the operation") {
  const ElementwiseKernel plus_one("int *x, int *y", "y[i] = x[i] + 1");
  const Array x = array_of<int32_t>({1, 2, 3}), y = array_of<int32_t>({0, 0, 0});
  CHECK(plus_one({x, y}).empty());
  CHECK(values_of<int32_t>(y) == Ints{2, 3, 4});
}

TEST_CASE("elementwise: elements broadcast and give new arrays") {
  const ElementwiseKernel scaled("T x, T a", "T z", "z = a * x");
  const Array x = array_of<double>({1, 2, 3});
  CHECK(values_of<double>(scaled({x, 2.5})[0]) == Doubles{2.5, 5, 7.5});
  CHECK(scaled.texts().size() == 1);
}

TEST_CASE("elementwise: a wrong argument is named") {
  const ElementwiseKernel f("int *x, int k", "x[i] = k", [] {
    ElementwiseOptions options;
    options.name = "fill";
    return options;
  }());
  const Array x = array_of<double>({1});
  CHECK_THROWS_WITH_AS(f({x, 1}),
                       "fill: parameter 'x' is int *, got a float64 array of shape (1,)\n"
                       "  fix  pass x.astype('int32')",
                       Error);
}

TEST_CASE("raw: a kernel is launched with the shape given, or one thread an element") {
  const RawModule module("__global__ void twice(int n, float *x) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) x[i] *= 2;\n}");
  const RawKernel twice = module.kernel("twice");
  const Array x = array_of<float>({1, 2, 3});
  LaunchShape shape;
  shape.block[0] = 32;
  twice(shape, {3, x});
  twice(std::nullopt, {3, x});
  CHECK(values_of<float>(x) == std::vector<float>{4, 8, 12});
  CHECK_THROWS_AS(module.on(device("cpu")).function("thrice"), Error);
  CHECK_THROWS_AS(twice(shape, {3}), Error);
}

TEST_CASE("reduction: the sum of n integers, for lengths around chunk and lanes") {
  const ReductionKernel sum("T x", "T y", "x", "a + b", "y = a", "0");
  for (int64_t n : {0, 1, 255, 256, 1023, 1024, 1025, 8191, 8192, 8193, 50000}) {
    std::vector<int64_t> values(n);
    std::iota(values.begin(), values.end(), 1);
    CHECK(values_of<int64_t>(sum({array_of(values)})[0])[0] == n * (n + 1) / 2);
  }
}

TEST_CASE("scan: inclusive and exclusive, in place") {
  const ScanKernel inclusive(ScanKind::inclusive, {"int", Dtype::int32, 4}, "a + b");
  const ScanKernel exclusive(ScanKind::exclusive, {"int", Dtype::int32, 4}, "a + b", "0");
  const Array x = array_of<int32_t>({1, 2, 3, 4});
  inclusive(x, x);
  CHECK(values_of<int32_t>(x) == Ints{1, 3, 6, 10});
  exclusive(x, x);
  CHECK(values_of<int32_t>(x) == Ints{0, 1, 4, 10});
  CHECK_THROWS_AS(ScanKernel(ScanKind::exclusive, {"int", Dtype::int32, 4}, "a + b"), Error);
}

TEST_CASE("swapped arguments: reading the zeros that were only read says so, once") {
  const ElementwiseKernel plus_one("int *x, int *y", "y[i] = x[i] + 1");
  const Array x = array_of<int32_t>({1, 2, 3});
  const Array y = Array::zeros({3}, Dtype::int32, device("cpu"));
  (void)y.data();
  plus_one({y, x});
  set_warning_hook({});
  take_warnings();
  note_read_back(*y.buffer());
  note_read_back(*y.buffer());
  const std::vector<Warning> warnings = take_warnings();
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].kind == WarningKind::swapped_arguments);
  CHECK(warnings[0].text.find("'x'") != std::string::npos);
  CHECK(warnings[0].text.find("'y'") != std::string::npos);
}
