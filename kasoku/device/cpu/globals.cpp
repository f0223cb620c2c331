#include "kasoku/device/cpu/globals.h"

#include "kasoku/device/cpu/allocator.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/overrun.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <shared_mutex>

namespace kasoku::cpu {

namespace {

/// The __constant__ variables of all modules, by where they begin.
struct Constants {
  std::shared_mutex mutex;
  std::map<const char*, uint64_t> bytes;
};

Constants& constants() {
  static Constants* const all = new Constants;
  return *all;
}

}  // namespace

bool is_constant_memory(const void* address) {
  Constants& all = constants();
  const std::shared_lock lock(all.mutex);
  const auto at = static_cast<const char*>(address);
  const auto behind = all.bytes.upper_bound(at);
  return behind != all.bytes.begin() && static_cast<uint64_t>(at - std::prev(behind)->first) < std::prev(behind)->second;
}

Globals::Globals(const Code& code) {
  for (const GlobalInfo& global : code.info.globals) {
    if (by_symbol_.contains(global.symbol)) continue;
    // Memory is aligned to what fits into it.
    const uint64_t bytes = global.align > 64 ? (global.size + global.align - 1) / global.align * global.align : global.size;
    void* const memory = allocate(bytes);
    std::memset(memory, 0, bytes);
    if (const auto value = code.initial_values.find(global.symbol); value != code.initial_values.end())
      std::memcpy(memory, value->second.data(), std::min<size_t>(value->second.size(), bytes));
    by_symbol_.emplace(global.symbol, Global{{memory, global.size}, global.name, bytes, global.is_constant});
    if (!global.is_constant) continue;
    const std::lock_guard lock(constants().mutex);
    constants().bytes[static_cast<const char*>(memory)] = global.size;
  }
}

Globals::~Globals() {
  for (const auto& [symbol, global] : by_symbol_) {
    if (global.is_constant) {
      const std::lock_guard lock(constants().mutex);
      constants().bytes.erase(static_cast<const char*>(global.memory));
    }
    deallocate(global.memory, global.allocated);
  }
}

const GlobalMemory* Globals::find(const std::string& symbol) const {
  const auto found = by_symbol_.find(symbol);
  return found == by_symbol_.end() ? nullptr : &found->second;
}

void Globals::check_ends(std::string_view kernel) const {
  for (const auto& [symbol, global] : by_symbol_)
    if (was_overrun(global.memory, global.allocated) && !is_serial())  // who checks a launch says more than that
      throw past_the_end(kernel, global.name, global.bytes);
}

}  // namespace kasoku::cpu
