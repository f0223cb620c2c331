/// \file kasoku/device/null/module.cpp
#include "kasoku/device/null/module.h"

#include "kasoku/base/error.h"
#include "kasoku/base/trace.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/null/device.h"
#include "kasoku/device/replay.h"

#include <cstring>
#include <map>
#include <mutex>
#include <utility>

namespace kasoku::null {

namespace {

std::mutex mutex;
std::vector<Launch> launches;

class NullFunction final : public Function {
 public:
  NullFunction(Module& module, const KernelInfo& info) : module_(module), info_(info) {}

  const KernelInfo& info() const override { return info_; }
  Module& module() override { return module_; }

  void launch(const LaunchShape& shape, void* const* args, Stream&) override {
    if (!shape.blocks() || !shape.threads()) return;
    counters().launches.add(1);
    trace(Station::launch, info_.name + " on null");
    if (!note(module_.device(), [&](Recorder& recorder) { recorder.launch(*this, shape, args); })) return;
    std::lock_guard lock(mutex);
    launches.push_back({info_.name, shape});
  }

  int64_t attribute(std::string_view) override { return 0; }
  void set_attribute(std::string_view, int64_t) override {}
  uint64_t blocks_at_once(uint64_t, uint32_t) override { return 1024; }
  uint32_t suggested_block() override { return 256; }

 private:
  Module& module_;
  const KernelInfo& info_;
};

class NullModule final : public Module {
 public:
  NullModule(Device& device, Code code) : Module(std::move(code)), device_(device) {
    for (const KernelInfo& kernel : info().kernels)
      functions_.emplace(&kernel, std::make_unique<NullFunction>(*this, kernel));
    for (const GlobalInfo& global : info().globals) {
      std::string& memory = globals_[&global];
      memory.resize(global.size);
      if (const auto value = code_.initial_values.find(global.symbol);
          value != code_.initial_values.end())
        memory.replace(0, std::min<size_t>(value->second.size(), global.size), value->second, 0,
                       global.size);
    }
  }

  Device& device() override { return device_; }
  Function& function(std::string_view name) override {
    return *functions_.at(&find_kernel(info(), name));
  }
  GlobalMemory global(std::string_view name) override {
    std::string& memory = globals_.at(&find_global(info(), name));
    return {memory.data(), memory.size()};
  }

 private:
  Device& device_;
  std::map<const KernelInfo*, std::unique_ptr<NullFunction>> functions_;
  std::map<const GlobalInfo*, std::string> globals_;
};

}  // namespace

std::shared_ptr<Module> load_module(Device& device, Code code) {
  return std::make_shared<NullModule>(device, std::move(code));
}

std::vector<Launch> take_launches() {
  std::lock_guard lock(mutex);
  return std::exchange(launches, {});
}

}  // namespace kasoku::null
