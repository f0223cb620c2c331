/// \file kasoku/compile/backends.cpp
#include "kasoku/compile/backends.h"

#include "kasoku/base/env.h"
#include "kasoku/base/error.h"
#include "kasoku/base/text.h"
#include "kasoku/compile/clang.h"
#include "kasoku/compile/recorder.h"
#include "kasoku/device/cpu/device.h"
#include "kasoku/device/null/device.h"

#include "kasoku/compile/nvrtc.h"
#include "kasoku/device/cuda/cuda.h"
#include "kasoku/device/cuda/replay.h"

#include <array>
#include <atomic>
#include <charconv>
#include <mutex>
#include <vector>

namespace kasoku {

namespace {

using Devices = std::vector<Device*>;

/// Devices live as long as the process.
Devices cpu_devices() { return {cpu::make_device().release()}; }
Devices null_devices() { return {null::make_device().release()}; }
std::string nothing_missing() { return {}; }

Devices all_cuda_devices() { return {cuda_devices().begin(), cuda_devices().end()}; }

struct Backend {
  std::string_view name;
  DeviceKind kind;
  bool is_listed;               ///< by devices()
  Devices (*make_devices)();    ///< called once, when first asked for
  std::string (*why_missing)(); ///< when there are none
  Compiler& (*compiler)();
  std::unique_ptr<Recorder> (*recorder)(Device&);
};

// clang-format off
constexpr Backend backends[] = {
    // name   kind               listed  devices           why there are none  compiler        recorder
    {"cpu",   DeviceKind::cpu,   true,   cpu_devices,      nothing_missing,    clang_compiler, make_list_recorder},
    {"cuda",  DeviceKind::cuda,  true,   all_cuda_devices, cuda_missing,       nvrtc_compiler, cuda::make_recorder},
    {"null",  DeviceKind::null,  false,  null_devices,     nothing_missing,    clang_compiler, make_list_recorder},
};
// clang-format on

const Devices& devices_of(const Backend& backend) {
  static std::array<std::once_flag, std::size(backends)> once;
  static std::array<Devices, std::size(backends)>* made =
      new std::array<Devices, std::size(backends)>;
  const size_t i = static_cast<size_t>(&backend - backends);
  std::call_once(once[i], [&] { (*made)[i] = backend.make_devices(); });
  return (*made)[i];
}

/// "cuda:1" as a row and an index; no row if the name is not one.
struct Name {
  const Backend* backend = nullptr;
  size_t index = 0;
};

Name parse(std::string_view text) {
  text = strip(text);
  Name name;
  const size_t colon = text.find(':');
  const std::string backend = lower(text.substr(0, colon));
  if (colon != text.npos) {
    const std::string_view number = text.substr(colon + 1);
    const auto [end, error] =
        std::from_chars(number.data(), number.data() + number.size(), name.index);
    if (error != std::errc() || end != number.data() + number.size()) return {};
  }
  for (const Backend& row : backends)
    if (row.name == backend) name.backend = &row;
  return name;
}

std::atomic<Device*> process_default{nullptr};
thread_local Device* scoped_default = nullptr;

Device& device_by_env() {
  const std::string name = env(Env::KASOKU_DEVICE);
  if (name.empty()) return *devices_of(backends[0])[0];
  try {
    return device(name);
  } catch (Error& error) {
    throw error.why("KASOKU_DEVICE asks for it").fix("export KASOKU_DEVICE=cpu");
  }
}

}  // namespace

std::span<Device* const> devices() {
  static const Devices all = [] {
    Devices all;
    for (const Backend& backend : backends)
      if (backend.is_listed)
        all.insert(all.end(), devices_of(backend).begin(), devices_of(backend).end());
    return all;
  }();
  return all;
}

Device& device(std::string_view text) {
  const Name name = parse(text);
  if (!name.backend) {
    std::vector<std::string> names;
    for (const Backend& backend : backends) names.emplace_back(backend.name);
    throw Error(ErrorKind::value, "there is no device " + quote(text))
        .why(known_names(text, names, "devices"));
  }
  const Devices& found = devices_of(*name.backend);
  if (name.index < found.size()) return *found[name.index];
  Error error(ErrorKind::device, "there is no device " + quote(text));
  if (found.empty())
    error.why(name.backend->why_missing());
  else
    error.why("this machine has " + std::to_string(found.size()) + ", counted from 0: " +
              found.front()->str() + (found.size() > 1 ? " to " + found.back()->str() : ""));
  throw error;
}

bool has_device(std::string_view text) {
  const Name name = parse(text);
  return name.backend && name.index < devices_of(*name.backend).size();
}

Device& device_that_holds(const void* memory) {
  const auto all = devices();
  const auto found = std::ranges::find_if(all, [&](Device* each) { return each->holds(memory); });
  return found == all.end() ? *all.front() : **found;
}

Device& default_device() {
  if (scoped_default) return *scoped_default;
  if (Device* device = process_default.load(std::memory_order_acquire)) return *device;
  Device& device = device_by_env();
  Device* none = nullptr;
  process_default.compare_exchange_strong(none, &device);
  return none ? *none : device;
}

Device& set_default_device(Device& device) {
  Device* before = process_default.exchange(&device);
  if (before) return *before;
  try {
    return device_by_env();
  } catch (const Error&) {  // the variable was wrong, and now nobody asks for it
    return device;
  }
}

DefaultDeviceScope::DefaultDeviceScope(Device& device) : previous_(scoped_default) {
  scoped_default = &device;
}

DefaultDeviceScope::~DefaultDeviceScope() { scoped_default = previous_; }

namespace {

const Backend& backend_of(const Device& device) {
  for (const Backend& backend : backends)
    if (backend.kind == device.kind) return backend;
  throw Error(ErrorKind::internal, "no row of the backends' table is for " + device.str());
}

}  // namespace

Compiler& compiler_for(Device& device) { return backend_of(device).compiler(); }
std::unique_ptr<Recorder> make_recorder(Device& device) { return backend_of(device).recorder(device); }

}  // namespace kasoku
