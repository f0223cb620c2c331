/// \file kasoku/compile/compile.cpp
/// Program -> key -> memory, disk or compiler -> Module.
#include "kasoku/compile/compile.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"
#include "kasoku/base/timeline.h"
#include "kasoku/base/trace.h"
#include "kasoku/base/warning.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/cache.h"
#include "kasoku/compile/compiler.h"
#include "kasoku/compile/serial.h"
#include "kasoku/compile/stats.h"

#include <fmt/core.h>
#include <pthread.h>

#include <chrono>

namespace kasoku {

namespace {

using Unit = std::shared_ptr<const Compiler::Unit>;
using SharedCode = std::shared_ptr<const KernelCode>;

struct State {
  ModuleTable modules;
  OncePerKey<std::shared_ptr<Module>> loading;
  OncePerKey<SharedCode> specialising;
};

State& state() {
  static State* state = [] {
    auto* made = new State;
    static State* shared = made;
    // A child has none of the threads that were compiling.
    pthread_atfork(
        [] { shared->loading.mutex().lock(), shared->specialising.mutex().lock(); },
        [] { shared->specialising.mutex().unlock(), shared->loading.mutex().unlock(); },
        [] {
          shared->loading.forget(), shared->specialising.forget();
          shared->specialising.mutex().unlock(), shared->loading.mutex().unlock();
        });
    return made;
  }();
  return *state;
}

class Clock {
 public:
  uint64_t nanoseconds() const {
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     std::chrono::steady_clock::now() - start_)
                                     .count());
  }
  double milliseconds() const { return static_cast<double>(nanoseconds()) / 1e6; }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// "kernel.cu: add, sub".
std::string title(const Program& program, const ModuleInfo& info) {
  std::vector<std::string> names;
  for (const KernelInfo& kernel : info.kernels) names.push_back(kernel.name);
  return (program.file + ": " + join(names)).substr(0, 400);
}

/// Reads an entry of the disk cache into `value`; counted and traced.
template <class Value, class... Pack>
bool load_entry(const Key& key, const std::string& name, Value& value, const Pack&... pack) {
  const Clock clock;
  const Recorded recorded(EventKind::cache, name);
  const auto entry = cache::disk().read(key, pack...);
  if (!entry) return false;
  Value read;
  if (!from_bytes(entry->payload(), read)) {
    stats().damaged_entries.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  value = std::move(read);
  stats().load_nanoseconds.fetch_add(clock.nanoseconds(), std::memory_order_relaxed);
  if (is_traced(Station::cache))
    trace(Station::cache, fmt::format("{} {}: from disk in {:.2f} ms", key.hash.hex(), name,
                                      clock.milliseconds()));
  return true;
}

/// From disk, else by `make` - once for all processes - and then to disk.
/// `is_valid` looks at what the key cannot know.
template <class Value, class Make, class Valid, class Title>
std::shared_ptr<const Value> load_or_make(const Key& key, const std::string& name, Make make,
                                          Valid is_valid, Title title) {
  auto value = std::make_shared<Value>();
  const auto load = [&] {
    if (!load_entry(key, name, *value) || !is_valid(*value)) return false;
    stats().disk_hits.fetch_add(1, std::memory_order_relaxed);
    return true;
  };
  if (load()) return value;
  const DiskCache::Lock lock = cache::disk().lock(key);
  if (cache::disk().is_usable() && load()) return value;  // somebody else was at it
  stats().misses.fetch_add(1, std::memory_order_relaxed);
  const Clock clock;
  const Recorded recorded(EventKind::compile, name);
  *value = make();
  stats().compiles.fetch_add(1, std::memory_order_relaxed);
  stats().compile_nanoseconds.fetch_add(clock.nanoseconds(), std::memory_order_relaxed);
  if (is_traced(Station::cache))
    trace(Station::cache, fmt::format("{} {}: compiled in {:.2f} ms", key.hash.hex(), name,
                                      clock.milliseconds()));
  cache::disk().write(key, title(*value), to_bytes(*value));
  return value;
}

bool includes_hold(const Compiler::Unit& unit) {
  for (const IncludedFile& file : unit.info.includes)
    if (!cache::holds(FileStamp{file.path, file.hash})) return false;
  return true;
}

Unit load_unit(const Program& program, Device& device, Compiler& compiler, const Key& key) {
  return load_or_make<Compiler::Unit>(
      key, program.file, [&] { return compiler.compile(program, device); }, includes_hold,
      [&](const Compiler::Unit& unit) { return title(program, unit.info); });
}

/// The closure that devices ask for machine code; it outlives the compile.
std::function<KernelCode(const KernelInfo&, const uint32_t*)> specialiser(Unit unit, Device& device,
                                                                         Compiler& compiler) {
  const Hash128 payload = hash128(unit->payload);
  return [unit, payload, &device, &compiler](const KernelInfo& kernel, const uint32_t* block) {
    const Key key = kernel_key(payload, kernel, block, compiler.identity(device));
    const std::string name =
        fmt::format("{} block ({}, {}, {})", kernel.name, block[0], block[1], block[2]);
    const SharedCode code = state().specialising.run(key.hash, [&] {
      return load_or_make<KernelCode>(
          key, name, [&] { return compiler.specialise(unit->payload, kernel, block, device); },
          [](const KernelCode&) { return true; }, [&](const KernelCode&) { return name; });
    });
    return *code;
  };
}

/// By code that the library brings along; null where it has none that the device takes.
std::shared_ptr<Module> load_brought(const Program& program, Device& device, Compiler& compiler) {
  const std::optional<Key> key = compiler.brought_key(program, device);
  Compiler::Unit unit;
  if (!key || compiles_for_pack || !load_entry(*key, program.file, unit, cache::gpu_pack())) return nullptr;
  Code code;
  code.info = std::move(unit.info);
  code.bytes = std::move(unit.payload);
  try {
    std::shared_ptr<Module> module = device.load(std::move(code));
    stats().disk_hits.fetch_add(1, std::memory_order_relaxed);
    return module;
  } catch (const Error& error) {  // its driver is too old: the compiler beside it has the word
    if (is_traced(Station::cache)) trace(Station::cache, program.file + ", brought along, is not taken: " + error.what());
    return nullptr;
  }
}

ModuleTable::Entry load_module(const Program& program, Device& device, Compiler& compiler,
                               const Key& key) {
  if (auto module = load_brought(program, device, compiler)) return {.hash = {}, .module = std::move(module), .includes = {}};
  const Unit unit = load_unit(program, device, compiler, key);
  ModuleTable::Entry entry;
  for (const IncludedFile& file : unit->info.includes) {
    FileStamp now = cache::stamp(file.path).value_or(FileStamp{.path = file.path, .hash = {}});
    if (now.hash != file.hash) now.inode = 0;  // changed since: the next look reads it
    now.hash = file.hash;
    entry.includes.push_back(std::move(now));
  }
  Code code;
  code.info = unit->info;
  code.initial_values = unit->initial_values;
  if (device.kind == DeviceKind::cuda)
    code.bytes = unit->payload;
  else
    code.specialise = specialiser(unit, device, compiler);
  entry.module = device.load(std::move(code));
  return entry;
}

bool includes_hold(const ModuleTable::Entry& entry) {
  for (const FileStamp& file : entry.includes)
    if (!cache::holds(file)) return false;
  return true;
}

/// The same code on two devices is two modules.
Hash128 slot_of(const Key& key, const Device& device) {
  Hash128 slot = key.hash;
  slot.high ^= (static_cast<uint64_t>(device.kind) << 32 | static_cast<uint32_t>(device.index)) *
               0x9e3779b97f4a7c15u;
  return slot;
}

Key key_of(const Program& program, Device& device, Compiler& compiler) {
  if (compiles_for_pack)
    if (std::optional<Key> key = compiler.brought_key(program, device)) return *key;
  return program_key(program, compiler.identity(device));
}

}  // namespace

std::atomic<bool> compiles_for_pack{false};

std::shared_ptr<Module> compile(const Program& program, Device& device) {
  Compiler& compiler = compiler_for(device);
  const Key key = key_of(program, device, compiler);
  const Hash128 slot = slot_of(key, device);
  const auto find = [&]() -> std::shared_ptr<Module> {
    const ModuleTable::Entry* entry = state().modules.find(slot);
    if (!entry || !includes_hold(*entry)) return nullptr;
    stats().memory_hits.fetch_add(1, std::memory_order_relaxed);
    return entry->module;
  };
  if (auto module = find()) return module;
  return state().loading.run(slot, [&] {
    if (auto module = find()) return module;
    if (is_traced(Station::text)) trace(Station::text, program.file + "\n" + program.text);
    ModuleTable::Entry entry = load_module(program, device, compiler, key);
    entry.hash = slot;
    std::shared_ptr<Module> module = entry.module;
    if (const std::string& warnings = module->info().warnings; !warnings.empty())
      warn(WarningKind::compile, warnings);
    state().modules.insert(std::move(entry));
    return module;
  });
}

std::shared_ptr<Module> brought_module(std::string_view name, Device& device) {
  const Key key = brought_key(name, compiler_for(device).identity(device));
  const auto entry = cache::disk().read_brought(key);
  Compiler::Unit unit;
  auto kernel = std::make_shared<KernelCode>();
  if (!entry || !from_bytes(entry->payload(), unit) || !from_bytes(unit.payload, *kernel)) return nullptr;
  stats().disk_hits.fetch_add(1, std::memory_order_relaxed);
  if (is_traced(Station::cache)) trace(Station::cache, key.hash.hex() + ": brought along");
  Code code;
  code.info = std::move(unit.info);
  code.initial_values = std::move(unit.initial_values);
  code.specialise = [kernel](const KernelInfo&, const uint32_t*) { return *kernel; };
  return device.load(std::move(code));
}

void keep_by_name(std::string_view name, const Program& program, const uint32_t block[3], Device& device) {
  Compiler& compiler = compiler_for(device);
  const Unit unit = load_unit(program, device, compiler, program_key(program, compiler.identity(device)));
  Compiler::Unit kept{unit->info, {}, unit->initial_values};
  kept.payload = to_bytes(specialiser(unit, device, compiler)(unit->info.kernels.at(0), block));
  cache::disk().write(brought_key(name, compiler.identity(device)), title(program, kept.info), to_bytes(kept));
}

bool is_compiled(const Program& program, Device& device) {
  Compiler& compiler = compiler_for(device);
  const Key key = key_of(program, device, compiler);
  if (state().modules.find(slot_of(key, device))) return true;
  const std::optional<Key> brought = compiler.brought_key(program, device);
  return (brought && cache::disk().read(*brought, cache::gpu_pack())) || cache::disk().read(key);
}

std::string code_text(const Program& program, Device& device, const std::string& kernel,
                      CodeForm form, const uint32_t block[3]) {
  return compiler_for(device).code_text(program, device, kernel, form, block);
}

}  // namespace kasoku
