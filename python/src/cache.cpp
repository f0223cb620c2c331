/// \file cache.cpp
/// Counters and the cache of compiled kernels; what `kasoku doctor` asks.
#include "kasoku/compile/cache.h"

#include "bindings.h"
#include "kasoku/compile/clang.h"
#include "kasoku/compile/stats.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/cuda/cuda.h"
#include "kasoku/device/cuda/libraries.h"

#include <string>
#include <vector>

namespace kasoku {
namespace {

nb::dict all_counters() {
  const Stats& s = stats();
  const DeviceCounters& c = counters();
  nb::dict result;
  result["compiles"] = s.compiles.load();
  result["memory_hits"] = s.memory_hits.load();
  result["disk_hits"] = s.disk_hits.load();
  result["misses"] = s.misses.load();
  result["compile_seconds"] = s.compile_nanoseconds.load() * 1e-9;
  result["load_seconds"] = s.load_nanoseconds.load() * 1e-9;
  result["damaged_entries"] = s.damaged_entries.load();
  result["evicted_entries"] = s.evicted_entries.load();
  result["groups_by_kernel"] = s.groups_by_kernel.load();
  result["groups_by_operations"] = s.groups_by_operations.load();
  result["operands_fused"] = s.operands_fused.load();
  result["launches"] = c.launches.load();
  for (size_t way = 0; way < std::size(copy_ways); ++way) {
    uint64_t total = 0;
    for (const auto& bytes : c.bytes_copied[way]) total += bytes.load();
    const std::string name = std::string("bytes_") + copy_ways[way];
    result[name.c_str()] = total;
    for (size_t reason = 0; reason < std::size(copy_reasons); ++reason)
      result[(name + "_for_" + copy_reasons[reason].name).c_str()] = c.bytes_copied[way][reason].load();
  }
  result["allocations"] = c.allocations.load();
  result["bytes_allocated"] = c.bytes_allocated.load();
  return result;
}

}  // namespace

void bind_cache(nb::module_& m) {
  using namespace nb::literals;
  m.def("_counters", all_counters);
  m.def("_copy_reasons", [] {
    nb::dict reasons;
    for (const CopyReasonInfo& row : copy_reasons) reasons[row.name] = row.text;
    return reasons;
  }, "Why bytes are copied: name to meaning.");

  nb::module_ cache = m.def_submodule("_cache", "The compiled kernels on disk.");
  cache.def("folder", [] { return cache::directory(); });
  cache.def("problem", [] { return cache::problem(); }, no_gil(),
            "Why nothing is kept on disk; empty if all is well.");
  cache.def("use", [] {
    const cache::Use use = cache::use();
    nb::dict result;
    result["entries"] = use.entries;
    result["bytes"] = use.bytes;
    result["most_bytes"] = use.most_bytes;
    return result;
  });
  cache.def("list", [] {
    nb::list rows;
    for (const DiskCache::Listed& entry : cache::list()) {
      nb::dict row;
      row["key"] = entry.key;
      row["title"] = entry.title;
      row["bytes"] = entry.bytes;
      row["last_used"] = entry.last_used;
      rows.append(row);
    }
    return rows;
  });
  cache.def("clear", [] { return cache::clear(); }, no_gil());

  m.def("_compiler_library", clang_library);
  m.def("_compiler_is_loaded", clang_is_loaded);
  m.def("_cuda_missing", cuda_missing, no_gil(), "Why there is no CUDA device; empty if there is.");
  m.def("_cuda_driver_version", cuda_driver_version, no_gil());
  m.def("_find_cuda_library", [](const std::string& stem) {
    std::vector<std::string> names = {"lib" + stem + ".so.13", "lib" + stem + ".so.12",
                                      "lib" + stem + ".so.11", "lib" + stem + ".so"};
    for (const std::string& name : names)
      if (std::string file = cuda::find_library({name}); !file.empty()) return file;
    return std::string();
  }, "stem"_a, "The file of \"nvrtc\" or \"cublas\"; empty if there is none.");
}

}  // namespace kasoku
