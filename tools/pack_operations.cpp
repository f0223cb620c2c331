/// \file tools/pack_operations.cpp
/// pack_operations FILE [NVRTC]: runs the array operations of usual dtypes on few elements, so that they are
/// compiled, and writes what the cache folder (KASOKU_CACHE_DIR, a new one) then holds into a pack.
/// For a processor above this one (KASOKU_CPU) they are compiled without being run; with the file of an NVRTC they
/// are compiled for GPUs, of which there need be none.
#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/algorithms/sort.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/first_sight.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/random.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/run.h"
#include "kasoku/array/scan.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/cache.h"
#include "kasoku/compile/compile.h"
#include "kasoku/compile/nvrtc.h"
#include "kasoku/device/cpu/processor.h"
#include "kasoku/device/null/device.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

using namespace kasoku;

namespace {

Array computed(const Array& x) {
  if (x.is_pending()) evaluate(x.input().node);
  return x;
}

/// Operations of one dtype on one device.
class Operations {
 public:
  Operations(Dtype dtype, Device& device) : dtype_(dtype), device_(device) {}

  /// With each operand an array or a number, but not all of them numbers.
  void run(Op op) const {
    // Beside the host a group's numbers are converted before.
    if (!device_.is_host() && info(op).text[text_column(dtype_)].empty()) return;
    const unsigned arity = static_cast<unsigned>(info(op).arity);
    for (unsigned numbers = 0; numbers + 1 < 1u << arity; ++numbers) {
      std::vector<Operand> operands;
      for (unsigned i = 0; i < arity; ++i) {
        if (numbers >> i & 1 && is_floating(dtype_)) operands.emplace_back(1.0);
        else if (numbers >> i & 1) operands.emplace_back(1);
        else operands.push_back(ones({4}, operand_dtype(op, i, dtype_)));
      }
      if_there_is([&] { return apply(op, std::span<const Operand>(operands)); });
    }
  }

  void run_others() const {
    const Array few = ones({4}), square = ones({4, 4}), short_rows = ones({64, 2});
    for (size_t i = 0; i < n_reductions; ++i) {
      const ReduceOp op = static_cast<ReduceOp>(i);
      if (!device_.is_host() && info(op).name.starts_with("nan")) continue;
      if_there_is([&] { return reduce(op, square); });
      for (const int64_t axis : {0, 1}) if_there_is([&] { return reduce(op, square, {.axes = {{axis}}}); });
      if_there_is([&] { return reduce(op, short_rows, {.axes = {{1}}}); });
    }
    for (const Dtype to : carried_dtypes) if_there_is([&] { return astype(few, to); });
    if_there_is([&] { return arange(Scalar::of(1), Scalar::of(1), 4, dtype_, device_); });
    if (dtype_ == Dtype::float32 || dtype_ == Dtype::float64) {
      if_there_is([&] { return default_generator().uniform({4}, dtype_, device_); });
      if_there_is([&] { return default_generator().normal({4}, dtype_, device_); });
    }
    if (dtype_ == Dtype::float32)
      for (const Dtype half : {Dtype::float16, Dtype::bfloat16}) if_there_is([&] { return astype(computed(astype(few, half)), dtype_); });
    if (dtype_ == Dtype::int64) if_there_is([&] { return default_generator().integers(0, 7, {4}, dtype_, device_); });
    device_.is_host() ? run_on_many() : run_beside_host();
  }

 private:
  void run_on_many() const {
    const Array many = ones({2 * few_elements});
    for (const Op op : {Op::add, Op::multiply}) if_there_is([&] { return apply(op, {many, many}); });
  }

  /// What takes no kernel on a CPU.
  void run_beside_host() const {
    const Array few = ones({4}), square = ones({4, 4}), flags = ones({4}, Dtype::bool_);
    if_there_is([&] { return contiguous(transpose(square)); });
    const int64_t step = few.strides()[0];
    for (const int64_t apart : {step, 2 * step}) {
      const Array part = few.with_view({{2}, {apart}, 0});
      if_there_is([&] { return copy(part); });
      if_there_is([&] { return set_view(part, full({}, Scalar::of(1), dtype_, device_)), part; });
    }
    if_there_is([&] { return take(few, ones({4}, Dtype::int64), std::nullopt); });
    if_there_is([&] { return sort(few); });
    if_there_is([&] { return argsort(few); });
    if_there_is([&] { return compress(flags, few); });
    if_there_is([&] { return scan(ScanOp::cumsum, few); });
    if (!is_floating(dtype_)) return;
    const Array many = ones({1 << 20});
    for (const ReduceOp op : {ReduceOp::sum, ReduceOp::min, ReduceOp::max}) if_there_is([&] { return reduce(op, many); });
  }

  Array ones(const Shape& shape, Dtype dtype) const {
    return computed(full(shape, Scalar::of(1), dtype, device_));
  }
  Array ones(const Shape& shape) const { return ones(shape, dtype_); }

  /// Some combinations are not there: integer operations of floats, an order of complex numbers.
  template <class F>
  void if_there_is(F&& operation) const {
    try {
      computed(operation());
    } catch (const Error& error) {
      if (error.kind != ErrorKind::type && error.kind != ErrorKind::value) throw;
    }
  }

  const Dtype dtype_;
  Device& device_;
};

std::vector<Device*> gpus() {
  std::vector<Device*> all;
  for (const std::string_view architecture : brought_architectures) {
    DeviceProperties properties{.name = "a GPU", .architecture = std::string(architecture)};
    properties.multiprocessors = 128;
    all.push_back(null::make_stand_in(DeviceKind::cuda, properties).release());
  }
  return all;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2 && count != 3) return std::fprintf(stderr, "usage: pack_operations FILE [NVRTC]\n"), 2;
  const char* const asked = std::getenv("KASOKU_CPU");
  cpu::compiles_only = asked && std::string_view(asked) == "x86-64-v4" && cpu::processor_level() < 4;
  keeps_groups = count == 2;
  if (count == 3) compiles_for_pack = true, use_nvrtc(words[2]);
  const std::vector<Device*> devices = count == 3 ? gpus() : std::vector<Device*>{&device("cpu")};
  std::vector<Dtype> dtypes{std::begin(carried_dtypes), std::end(carried_dtypes)};
  // There an operation has code for each architecture, and a dtype that is less usual waits for a compiler once.
  if (count == 3) dtypes = {Dtype::bool_, Dtype::int64, Dtype::float32, Dtype::float64};
  const size_t n = (n_ops + 1) * dtypes.size() * devices.size();
  std::atomic<size_t> next{0};
  std::vector<std::jthread> threads;
  for (unsigned i = 0; i < std::thread::hardware_concurrency(); ++i)
    threads.emplace_back([&] {
      for (size_t k = next++; k < n; k = next++) {
        const size_t work = k / devices.size();
        const Operations operations(dtypes[work % dtypes.size()], *devices[k % devices.size()]);
        if (const size_t op = work / dtypes.size(); op < n_ops) operations.run(static_cast<Op>(op));
        else operations.run_others();
      }
    });
  threads.clear();
  const std::string problem = cache::disk().pack(words[1]);
  if (!problem.empty()) return std::fprintf(stderr, "%s: %s\n", words[1], problem.c_str()), 1;
  std::printf("%s: %llu entries\n", words[1], static_cast<unsigned long long>(cache::use().entries));
  return 0;
}
