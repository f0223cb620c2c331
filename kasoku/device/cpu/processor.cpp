/// \file kasoku/device/cpu/processor.cpp
#include "kasoku/device/cpu/processor.h"

#include "kasoku/base/env.h"
#include "kasoku/base/error.h"
#include "kasoku/base/file.h"
#include "kasoku/base/text.h"

#include <cpuid.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <optional>

namespace kasoku::cpu {

namespace {

/// A "Name:  123 kB" row of /proc/meminfo, in bytes.
std::optional<uint64_t> meminfo(const std::string& text, std::string_view name) {
  const size_t at = text.find(std::string(name) + ":");
  if (at == text.npos) return std::nullopt;
  return std::strtoull(text.c_str() + at + name.size() + 1, nullptr, 10) * 1024;
}

struct ControlGroup {
  uint64_t limit = UINT64_MAX, used = 0;
};

std::optional<uint64_t> number_in(const std::string& path) {
  const auto text = read_file(path);
  if (!text || text->empty() || (*text)[0] < '0' || (*text)[0] > '9') return std::nullopt;
  return std::strtoull(text->c_str(), nullptr, 10);
}

ControlGroup control_group() {
  ControlGroup group;
  for (const auto& [limit, used] :
       {std::pair{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        std::pair{"/sys/fs/cgroup/memory/memory.limit_in_bytes",
                  "/sys/fs/cgroup/memory/memory.usage_in_bytes"}}) {
    if (const auto bytes = number_in(limit)) {
      group.limit = *bytes;
      group.used = number_in(used).value_or(0);
      // Cached files count as used but make room when asked.
      if (const auto stat = read_file("/sys/fs/cgroup/memory.stat"))
        if (const size_t at = stat->find("\ninactive_file "); at != stat->npos)
          group.used -= std::min<uint64_t>(
              group.used, std::strtoull(stat->c_str() + at + 15, nullptr, 10));
      break;
    }
  }
  return group;
}

int find_level() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return 4;
  if (__builtin_cpu_supports("x86-64-v3")) return 3;
  return __builtin_cpu_supports("x86-64-v2") ? 2 : 1;
}

}  // namespace

std::string processor_name() {
  unsigned words[12] = {};
  if (__get_cpuid_max(0x80000000, nullptr) >= 0x80000004) {
    for (unsigned i = 0; i < 3; ++i)
      __get_cpuid(0x80000002 + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
                  &words[4 * i + 3]);
    char text[49] = {};
    std::memcpy(text, words, 48);
    if (const std::string_view name = strip(text); !name.empty()) return std::string(name);
  }
  return "x86-64 processor";
}

int processor_level() {
  static const int level = find_level();
  return level;
}

namespace {

std::string find_architecture() {
  const int level = processor_level();
  if (level < 3)
    throw Error(ErrorKind::unsupported,
                "this processor (" + processor_name() + ") is x86-64-v" + std::to_string(level))
        .why("kernels need AVX2, FMA and BMI: x86-64-v3, which processors have since 2013");
  const std::string asked = env(Env::KASOKU_CPU);
  if (asked == "native") return level >= 4 ? "x86-64-v4" : "x86-64-v3";
  if (asked != "x86-64-v3" && asked != "x86-64-v4")
    throw Error(ErrorKind::value, "KASOKU_CPU is '" + asked + "'")
        .why("it can be native, x86-64-v3 or x86-64-v4")
        .fix("export KASOKU_CPU=native");
  if (asked == "x86-64-v4" && level < 4 && !compiles_only)
    throw Error(ErrorKind::unsupported, "KASOKU_CPU is x86-64-v4, but this processor (" +
                                            processor_name() + ") has no AVX-512")
        .fix("export KASOKU_CPU=native");
  return asked;
}

}  // namespace

bool compiles_only = false;

const std::string& target_architecture() {
  static const std::string architecture = find_architecture();
  return architecture;
}

uint64_t total_memory() {
  static const uint64_t total = [] {
    const uint64_t pages = static_cast<uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
    return std::min(pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)), control_group().limit);
  }();
  return total;
}

uint64_t available_memory() {
  const std::string text = read_file("/proc/meminfo").value_or("");
  const uint64_t available = meminfo(text, "MemAvailable").value_or(total_memory());
  const ControlGroup group = control_group();
  if (group.limit == UINT64_MAX) return available;
  return std::min(available, group.limit - std::min(group.used, group.limit));
}

}  // namespace kasoku::cpu
