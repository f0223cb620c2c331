#include "kasoku/array/algorithms/run_text.h"

#include "kasoku/array/fuse.h"
#include "kasoku/base/blocking.h"
#include "kasoku/base/error.h"
#include "kasoku/base/hash.h"
#include "kasoku/base/rounding.h"
#include "kasoku/base/trace.h"
#include "kasoku/codegen/helpers.h"
#include "kasoku/compile/compile.h"
#include "kasoku/compile/stats.h"
#include "kasoku/device/module.h"
#include "kasoku/device/stream.h"

#include <algorithm>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace kasoku {

namespace {

constexpr const char* entry = "ks_algorithm";

}  // namespace

/// Modules stay for good, as groups' kernels do.
Function& text_function(const std::string& text, Device& device) {
  const Blocking others_go_on;
  const bool is_simt = takes_gpu_form(device);
  static std::mutex& mutex = *new std::mutex;
  static auto& modules = *new std::unordered_map<Hash128, std::shared_ptr<Module>, Hash128Hasher>;
  Hash128 key = hash128(text);
  key.high ^= reinterpret_cast<uintptr_t>(&device) + is_simt;
  {
    std::lock_guard lock(mutex);
    if (const auto known = modules.find(key); known != modules.end()) return known->second->function(entry);
  }
  Program program;
  program.text = std::string(is_simt ? "#define KS_SIMT 1\n" : "#pragma clang fp contract(off)\n") +
                 "#define ks_helper __device__ __forceinline__\n" + helper_text(text) + "\n" + text;
  program.file = "array.cu";
  program.is_generated = true;
  if (is_traced(Station::text)) trace(Station::text, program.text);
  std::shared_ptr<Module> module = compile(program, device);
  std::lock_guard lock(mutex);
  return modules.try_emplace(key, std::move(module)).first->second->function(entry);
}

void run_text(const std::string& text, Device& device, int64_t blocks, uint32_t threads, std::span<const TextParameter> parameters) {
  if (blocks > 0) run_text(text_function(text, device), device, blocks, threads, parameters);
}

void run_text(Function& function, Device& device, int64_t blocks, uint32_t threads, std::span<const TextParameter> parameters) {
  const Blocking others_go_on;
  std::vector<uint64_t> values;
  for (const TextParameter& x : parameters) values.push_back(x.bits);
  std::vector<void*> pointers;
  for (uint64_t& x : values) pointers.push_back(&x);
  LaunchShape shape;
  shape.grid[0] = static_cast<uint32_t>(blocks);
  shape.block[0] = threads;
  stats().groups_by_kernel.fetch_add(1, std::memory_order_relaxed);
  function.launch(shape, pointers.data(), device.current_stream());
}

std::string_view moved_text(size_t itemsize) {
  switch (itemsize) {
    case 1: return "unsigned char";
    case 2: return "unsigned short";
    case 4: return "unsigned int";
    case 8: return "unsigned long long";
    case 16: return "ks_sixteen";
    default: throw Error(ErrorKind::unsupported, "records are not moved by a kernel");
  }
}

int64_t blocks_for(Device& device, int64_t n, int64_t elements_of_worker) {
  return std::clamp<int64_t>(divide_up(n, elements_of_worker), 1, 4 * int64_t{device.properties().multiprocessors});
}

}  // namespace kasoku
