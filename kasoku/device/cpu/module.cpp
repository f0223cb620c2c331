/// \file kasoku/device/cpu/module.cpp
#include "kasoku/device/cpu/module.h"

#include "kasoku/base/error.h"
#include "kasoku/device/cpu/allocator.h"
#include "kasoku/device/cpu/function.h"
#include "kasoku/device/cpu/loader.h"
#include "kasoku/device/cpu/runtime.h"
#include "kasoku/device/module.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace kasoku::cpu {

namespace {

class CpuModule final : public Module {
 public:
  CpuModule(Device& device, Code code) : Module(std::move(code)), device_(device) {
    for (const GlobalInfo& global : info().globals) add_global(global);
    make_variant_ = [this](const KernelInfo& kernel, const uint32_t block[3]) {
      return make_variant(kernel, block);
    };
    functions_.reserve(info().kernels.size());
    for (const KernelInfo& kernel : info().kernels)
      functions_.push_back(std::make_unique<CpuFunction>(*this, kernel, make_variant_));
  }

  ~CpuModule() override {
    for (const auto& [symbol, global] : globals_) deallocate(global.memory, global.bytes);
  }

  Device& device() override { return device_; }

  Function& function(std::string_view name) override {
    return *functions_[static_cast<size_t>(&find_kernel(info(), name) - info().kernels.data())];
  }

  GlobalMemory global(std::string_view name) override {
    return globals_.at(find_global(info(), name).symbol);
  }

 private:
  void add_global(const GlobalInfo& global) {
    if (globals_.contains(global.symbol)) return;
    char* memory = static_cast<char*>(allocate(global.size));
    std::memset(memory, 0, global.size);
    if (const auto value = code_.initial_values.find(global.symbol);
        value != code_.initial_values.end())
      std::memcpy(memory, value->second.data(),
                  std::min<size_t>(value->second.size(), global.size));
    globals_.emplace(global.symbol, GlobalMemory{memory, global.size});
  }

  Variant make_variant(const KernelInfo& kernel, const uint32_t block[3]) {
    if (!code_.specialise)
      throw Error(ErrorKind::internal, "a module for the CPU came without its code");
    const KernelCode code = code_.specialise(kernel, block);
    const auto resolve = [this](const std::string& symbol) -> void* {
      if (const auto global = globals_.find(symbol); global != globals_.end())
        return global->second.memory;
      return find_runtime_function(symbol);
    };
    Variant variant{};
    std::copy(block, block + 3, variant.block);
    variant.entry = reinterpret_cast<KernelEntry>(load_object(code.object, code.symbol, resolve));
    variant.scratch_bytes = code.scratch_bytes;
    variant.scratch_bytes_per_thread = code.scratch_bytes_per_thread;
    variant.static_shared_bytes = code.static_shared_bytes;
    variant.spans_blocks = code.spans_blocks;
    variant.waits_in_memory = code.waits_in_memory;
    return variant;
  }

  Device& device_;
  std::map<std::string, GlobalMemory> globals_;  ///< by symbol
  VariantMaker make_variant_;
  std::vector<std::unique_ptr<CpuFunction>> functions_;  ///< as info().kernels
};

}  // namespace

std::shared_ptr<Module> load_module(Device& device, Code code) {
  return std::make_shared<CpuModule>(device, std::move(code));
}

}  // namespace kasoku::cpu
