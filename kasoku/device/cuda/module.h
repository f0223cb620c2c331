/// \file kasoku/device/cuda/module.h
/// Loaded PTX or machine code and its kernels.
#pragma once

#include "kasoku/device/cuda/device.h"
#include "kasoku/device/module.h"

#include <array>
#include <atomic>
#include <map>
#include <mutex>

namespace kasoku::cuda {

class CudaModule;

class CudaFunction final : public Function {
 public:
  CudaFunction(CudaModule& module, KernelInfo info, CUfunction function);

  const KernelInfo& info() const override { return info_; }
  Module& module() override;
  void launch(const LaunchShape& shape, void* const* args, Stream& stream) override;
  /// A launch in a shape that was launched before.
  void enqueue(const LaunchShape& shape, void* const* args, CUstream stream);
  int64_t attribute(std::string_view name) override;
  void set_attribute(std::string_view name, int64_t value) override;
  uint64_t blocks_at_once(uint64_t threads, uint32_t shared_bytes) override;
  uint32_t suggested_block() override;

 private:
  /// Throws if the device does not take the shape; opts in to more dynamic shared memory where the shape needs it.
  void prepare(const LaunchShape& shape);
  Error launch_failure(CUresult result, const LaunchShape& shape);
  int driver_attribute(int number);

  CudaModule& module_;
  CudaDevice& device_;
  const CUfunction function_;
  const KernelInfo info_;
  std::array<uint32_t, 3> max_block_;
  std::array<uint32_t, 3> max_grid_;
  uint32_t max_threads_;
  bool begins_early_;  ///< whether the device and its driver know launches that do
  std::atomic<uint32_t> dynamic_shared_limit_;
  std::atomic<uint32_t> suggested_block_{0};
};

class CudaModule final : public Module {
 public:
  CudaModule(CudaDevice& device, Code code);
  ~CudaModule() override;

  CudaDevice& device() override { return device_; }
  Function& function(std::string_view name) override;
  GlobalMemory global(std::string_view name) override;

 private:
  /// The kernel's row; made from the code itself where the text is not known.
  KernelInfo kernel_info(std::string_view name, CUfunction* function);

  CudaDevice& device_;
  CUmodule module_ = nullptr;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<CudaFunction>, std::less<>> functions_;  ///< by symbol
};

}  // namespace kasoku::cuda
