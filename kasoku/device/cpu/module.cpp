/// \file kasoku/device/cpu/module.cpp
#include "kasoku/device/cpu/module.h"

#include "kasoku/base/error.h"
#include "kasoku/device/cpu/function.h"
#include "kasoku/device/cpu/globals.h"
#include "kasoku/device/cpu/loader.h"
#include "kasoku/device/cpu/runtime.h"
#include "kasoku/device/module.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace kasoku::cpu {

namespace {

class CpuModule final : public Module {
 public:
  CpuModule(Device& device, Code code) : Module(std::move(code)), device_(device), globals_(code_) {
    make_variant_ = [this](const KernelInfo& kernel, const uint32_t block[3]) {
      return make_variant(kernel, block);
    };
    functions_.reserve(info().kernels.size());
    for (const KernelInfo& kernel : info().kernels)
      functions_.push_back(std::make_unique<CpuFunction>(*this, globals_, kernel, make_variant_));
  }

  Device& device() override { return device_; }

  Function& function(std::string_view name) override {
    return *functions_[static_cast<size_t>(&find_kernel(info(), name) - info().kernels.data())];
  }

  GlobalMemory global(std::string_view name) override {
    return *globals_.find(find_global(info(), name).symbol);
  }

 private:
  Variant make_variant(const KernelInfo& kernel, const uint32_t block[3]) {
    if (!code_.specialise)
      throw Error(ErrorKind::internal, "a module for the CPU came without its code");
    const KernelCode code = code_.specialise(kernel, block);
    const auto resolve = [this](const std::string& symbol) -> void* {
      if (const GlobalMemory* const global = globals_.find(symbol)) return global->memory;
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
  const Globals globals_;
  VariantMaker make_variant_;
  std::vector<std::unique_ptr<CpuFunction>> functions_;  ///< as info().kernels
};

}  // namespace

std::shared_ptr<Module> load_module(Device& device, Code code) {
  return std::make_shared<CpuModule>(device, std::move(code));
}

}  // namespace kasoku::cpu
