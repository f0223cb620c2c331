/// \file tools/pack_operations.cpp
/// pack_operations FILE: runs the array operations of usual dtypes on few elements, so that they are
/// compiled, and writes what the cache folder (KASOKU_CACHE_DIR, a new one) then holds into a pack.
/// For a processor above this one (KASOKU_CPU) they are compiled without being run.
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/first_sight.h"
#include "kasoku/array/random.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/run.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/cache.h"
#include "kasoku/device/cpu/processor.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

using namespace kasoku;

namespace {

Array ones(Dtype dtype) {
  const Array x = full({4}, Scalar::of(1), dtype, device("cpu"));
  x.data();
  return x;
}

/// Some combinations are not there: integer operations of floats, an order of complex numbers.
template <class F>
void if_there_is(F&& operation) {
  try {
    operation().data();
  } catch (const Error& error) {
    if (error.kind != ErrorKind::type && error.kind != ErrorKind::value) throw;
  }
}

/// With each operand an array or a number, but not all of them numbers.
void run(Op op, Dtype dtype) {
  const unsigned arity = static_cast<unsigned>(info(op).arity);
  for (unsigned numbers = 0; numbers + 1 < 1u << arity; ++numbers) {
    std::vector<Operand> operands;
    for (unsigned i = 0; i < arity; ++i) {
      if (numbers >> i & 1 && is_floating(dtype)) operands.emplace_back(1.0);
      else if (numbers >> i & 1) operands.emplace_back(1);
      else operands.push_back(ones(operand_dtype(op, i, dtype)));
    }
    if_there_is([&] { return apply(op, std::span<const Operand>(operands)); });
  }
}

void run_others(Dtype dtype) {
  const Array square = full({4, 4}, Scalar::of(1), dtype, device("cpu"));
  const Array short_rows = full({64, 2}, Scalar::of(1), dtype, device("cpu"));
  square.data();
  short_rows.data();
  for (size_t i = 0; i < n_reductions; ++i) {
    const ReduceOp op = static_cast<ReduceOp>(i);
    if_there_is([&] { return reduce(op, square); });
    for (const int64_t axis : {0, 1}) if_there_is([&] { return reduce(op, square, {.axes = {{axis}}}); });
    if_there_is([&] { return reduce(op, short_rows, {.axes = {{1}}}); });
  }
  for (const Dtype to : carried_dtypes) if_there_is([&] { return astype(ones(dtype), to); });
  const Array many = full({2 * few_elements}, Scalar::of(1), dtype, device("cpu"));
  many.data();
  if_there_is([&] { return arange(Scalar::of(1), Scalar::of(1), 4, dtype, device("cpu")); });
  if (dtype == Dtype::float32 || dtype == Dtype::float64) {
    if_there_is([&] { return default_generator().uniform({4}, dtype, device("cpu")); });
    if_there_is([&] { return default_generator().normal({4}, dtype, device("cpu")); });
  }
  if (dtype == Dtype::float32)
    for (const Dtype half : {Dtype::float16, Dtype::bfloat16}) if_there_is([&] { return astype(astype(ones(dtype), half), dtype); });
  if (dtype == Dtype::int64) if_there_is([&] { return default_generator().integers(0, 7, {4}, dtype, device("cpu")); });
  for (const Op op : {Op::add, Op::multiply}) if_there_is([&] { return apply(op, {many, many}); });
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return std::fprintf(stderr, "usage: pack_operations FILE\n"), 2;
  const char* const asked = std::getenv("KASOKU_CPU");
  cpu::compiles_only = asked && std::string_view(asked) == "x86-64-v4" && cpu::processor_level() < 4;
  keeps_groups = true;
  constexpr size_t n = (n_ops + 1) * std::size(carried_dtypes);
  std::atomic<size_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
    threads.emplace_back([&] {
      for (size_t k = next++; k < n; k = next++) {
        const Dtype dtype = carried_dtypes[k % std::size(carried_dtypes)];
        if (const size_t op = k / std::size(carried_dtypes); op < n_ops) run(static_cast<Op>(op), dtype);
        else run_others(dtype);
      }
    });
  threads.clear();
  const std::string problem = cache::disk().pack(words[1]);
  if (!problem.empty()) return std::fprintf(stderr, "%s: %s\n", words[1], problem.c_str()), 1;
  std::printf("%s: %llu entries\n", words[1], static_cast<unsigned long long>(cache::use().entries));
  return 0;
}
