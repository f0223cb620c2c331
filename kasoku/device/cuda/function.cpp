/// Kernels: launch, attributes, block size. The launch takes no lock and no memory.
#include "kasoku/base/timeline.h"
#include "kasoku/base/trace.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/cuda/module.h"
#include "kasoku/device/cuda/stream.h"
#include "kasoku/device/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace kasoku::cuda {
namespace {

struct AttributeRow {
  std::string_view name;
  int number;
  bool is_settable;
};

/// The names that CUDA gives them, in lower case.
constexpr AttributeRow attribute_table[] = {
    {"max_threads_per_block", 0, false},
    {"shared_size_bytes", 1, false},
    {"const_size_bytes", 2, false},
    {"local_size_bytes", 3, false},
    {"num_regs", 4, false},
    {"ptx_version", 5, false},
    {"binary_version", 6, false},
    {"cache_mode_ca", 7, false},
    {"max_dynamic_shared_size_bytes", 8, true},
    {"preferred_shared_memory_carveout", 9, true},
    {"non_portable_cluster_size_allowed", 14, true},
};

const AttributeRow& find_attribute(std::string_view name) {
  for (const AttributeRow& row : attribute_table)
    if (row.name == name) return row;
  std::string names;
  for (const AttributeRow& row : attribute_table)
    names += (names.empty() ? "" : ", ") + std::string(row.name);
  throw Error(ErrorKind::value, fmt::format("kernels have no attribute '{}'", name))
      .why("there are " + names);
}

std::string str(const uint32_t (&value)[3]) {
  return fmt::format("({}, {}, {})", value[0], value[1], value[2]);
}

}  // namespace

CudaFunction::CudaFunction(CudaModule& module, KernelInfo info, CUfunction function)
    : module_(module), device_(module.device()), function_(function), info_(std::move(info)) {
  const DeviceProperties& limits = device_.properties();
  std::copy_n(limits.max_block, 3, max_block_.begin());
  std::copy_n(limits.max_grid, 3, max_grid_.begin());
  constexpr int takes_into_graphs = 12030;
  begins_early_ = limits.compute_capability[0] >= 9 && device_.driver().version >= takes_into_graphs && device_.driver().cuLaunchKernelEx;
  max_threads_ = static_cast<uint32_t>(driver_attribute(0));
  dynamic_shared_limit_ = static_cast<uint32_t>(driver_attribute(8));
}

Module& CudaFunction::module() { return module_; }

int CudaFunction::driver_attribute(int number) {
  ContextScope scope(device_);
  int value = 0;
  check(device_.driver().cuFuncGetAttribute(&value, number, function_),
        [&] { return fmt::format("ask for an attribute of kernel '{}'", info_.name); });
  return value;
}

void CudaFunction::launch(const LaunchShape& shape, void* const* args, Stream& stream) {
  if (shape.blocks() == 0) return;
  const auto& [gx, gy, gz] = shape.grid;
  const auto& [bx, by, bz] = shape.block;
  const uint64_t threads = shape.threads();
  if (threads == 0 || threads > max_threads_ || bx > max_block_[0] || by > max_block_[1] ||
      bz > max_block_[2] || gx > max_grid_[0] || gy > max_grid_[1] || gz > max_grid_[2] ||
      shape.shared_bytes > dynamic_shared_limit_.load(std::memory_order_relaxed)) [[unlikely]]
    prepare(shape);
  if (!note(device_, [&](Recorder& recorder) { recorder.launch(*this, shape, args); })) return;
  enqueue(shape, args, stream_of(device_, stream));
  counters().launches.add(1);
  if (is_traced(Station::launch)) [[unlikely]]
    trace(Station::launch, fmt::format("{} on {}: grid {} block {} shared {} bytes", info_.name, device_.str(),
                                       str(shape.grid), str(shape.block), shape.shared_bytes));
}

void CudaFunction::enqueue(const LaunchShape& shape, void* const* args, CUstream order) {
  const auto& [gx, gy, gz] = shape.grid;
  const auto& [bx, by, bz] = shape.block;
  ContextScope scope(device_);
  const Driver& driver = device_.driver();
  void** values = const_cast<void**>(args);  // the driver only reads them
  CUresult result;
  const Recorded recorded(EventKind::launch, info_.name);  // until the driver has it
  const bool meets = shape.cooperative || info_.uses_grid_sync;  // all its blocks run at once
  if (shape.begins_early && begins_early_) {
    constexpr LaunchAttribute programmatic_stream_serialization{6, 0, {1}};
    const LaunchConfig config{{gx, gy, gz}, {bx, by, bz}, shape.shared_bytes, order, &programmatic_stream_serialization, 1};
    result = driver.cuLaunchKernelEx(&config, function_, values, nullptr);
  } else if (!meets) [[likely]]
    result = driver.cuLaunchKernel(function_, gx, gy, gz, bx, by, bz, shape.shared_bytes, order,
                                   values, nullptr);
  else if (driver.cuLaunchCooperativeKernel)
    result = driver.cuLaunchCooperativeKernel(function_, gx, gy, gz, bx, by, bz, shape.shared_bytes,
                                              order, values);
  else
    throw Error(ErrorKind::unsupported, "the NVIDIA driver has no cooperative launches");
  if (result != success) [[unlikely]]
    throw launch_failure(result, shape);
}

void CudaFunction::prepare(const LaunchShape& shape) {
  const std::string why = fmt::format("its code allows that many: it takes {} registers a thread, or has "
                                      "__launch_bounds__",
                                      driver_attribute(4));
  check_launch(info_, shape, device_.properties(), max_threads_, why, static_cast<uint64_t>(driver_attribute(1)));
  // Beyond 48 KB the kernel has to opt in; we do that for the user.
  if (shape.shared_bytes > dynamic_shared_limit_.load())
    set_attribute("max_dynamic_shared_size_bytes", shape.shared_bytes);
}

Error CudaFunction::launch_failure(CUresult result, const LaunchShape& shape) {
  Error error =
      failure(result, fmt::format("launch kernel '{}' with grid {}, block {}, {} bytes of "
                                  "dynamic shared memory on {}",
                                  info_.name, str(shape.grid), str(shape.block), shape.shared_bytes,
                                  device_.str()));
  if (result == cooperative_launch_too_large) {
    error.why(
        fmt::format("all blocks of a cooperative launch run at once, and {} blocks of this "
                    "shape fit on {}",
                    blocks_at_once(shape.threads(), shape.shared_bytes), device_.properties().name));
  }
  if (result == launch_out_of_resources)
    error.why("a block of this shape needs more registers or shared memory than there are")
        .fix("a smaller block");
  return error;
}

int64_t CudaFunction::attribute(std::string_view name) {
  return driver_attribute(find_attribute(name).number);
}

void CudaFunction::set_attribute(std::string_view name, int64_t value) {
  const AttributeRow& row = find_attribute(name);
  if (!row.is_settable)
    throw Error(ErrorKind::value, fmt::format("attribute '{}' of a kernel cannot be set", name));
  ContextScope scope(device_);
  check(device_.driver().cuFuncSetAttribute(function_, row.number, static_cast<int>(value)),
        [&] { return fmt::format("set {} of kernel '{}' to {}", name, info_.name, value); });
  // Two threads may set it at once: the driver's value is the truth.
  if (row.number == 8) dynamic_shared_limit_ = static_cast<uint32_t>(driver_attribute(8));
}

uint64_t CudaFunction::blocks_at_once(uint64_t threads, uint32_t shared_bytes) {
  ContextScope scope(device_);
  int blocks = 0;  // on each multiprocessor
  check(device_.driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function_, static_cast<int>(threads),
                                                                     shared_bytes),
        [&] { return fmt::format("ask how many blocks of kernel '{}' run at once", info_.name); });
  return static_cast<uint64_t>(blocks) * device_.properties().multiprocessors;
}

uint32_t CudaFunction::suggested_block() {
  if (const uint32_t known = suggested_block_.load(std::memory_order_relaxed)) return known;
  ContextScope scope(device_);
  int grid = 0, block = 0;
  check(device_.driver().cuOccupancyMaxPotentialBlockSize(&grid, &block, function_, nullptr, 0, 0),
        [&] { return fmt::format("ask for a block size of kernel '{}'", info_.name); });
  // 256 threads fill a multiprocessor as well as more do, and leave a finer tail.
  const uint32_t good = block >= 256 ? 256 : static_cast<uint32_t>(std::max(block, 1));
  suggested_block_.store(good, std::memory_order_relaxed);
  return good;
}

}  // namespace kasoku::cuda
