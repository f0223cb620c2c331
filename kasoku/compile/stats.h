/// \file kasoku/compile/stats.h
/// Counters behind ks.stats() and `kasoku cache`. Atomic, never reset by us.
#pragma once

#include <atomic>
#include <cstdint>

namespace kasoku {

struct Stats {
  std::atomic<uint64_t> compiles{0};          ///< by a compiler, either stage
  std::atomic<uint64_t> memory_hits{0};
  std::atomic<uint64_t> disk_hits{0};
  std::atomic<uint64_t> misses{0};
  std::atomic<uint64_t> compile_nanoseconds{0};
  std::atomic<uint64_t> load_nanoseconds{0};  ///< of disk hits
  std::atomic<uint64_t> damaged_entries{0};
  std::atomic<uint64_t> evicted_entries{0};
  std::atomic<uint64_t> groups_by_kernel{0};  ///< of array operations, each time that one runs
  std::atomic<uint64_t> groups_by_operations{0};
  std::atomic<uint64_t> operands_fused{0};    ///< of users' kernels, which computed what was pending where they read it
};

Stats& stats();

}  // namespace kasoku
