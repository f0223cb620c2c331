/// \file kasoku/device/cuda/device.h
/// An NVIDIA GPU. Uses the primary context, so that other CUDA libraries of the
/// process share our memory.
#pragma once

#include "kasoku/device/cuda/driver.h"
#include "kasoku/device/device.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace kasoku::cuda {

class CudaStream;
class Staging;

class CudaDevice final : public Device {
 public:
  CudaDevice(const Driver& driver, int index);

  const DeviceProperties& properties() override { return properties_; }
  MemoryUse memory_use() override;

  void* allocate(size_t bytes, Stream& stream) override;
  void deallocate(void* memory, size_t bytes, Stream& stream) noexcept override;
  void trim() override;

  void copy(void* to, const void* from, size_t bytes, Stream& stream, bool host_is_pinned) override;
  void read(void* to, const void* from, size_t bytes, Stream& stream) override;
  bool read_computed(void* to, size_t bytes, Stream& stream, const std::function<void(void*)>& compute) override;
  void fill(void* to, uint64_t value, size_t size, size_t count, Stream& stream) override;
  void* allocate_pinned(size_t bytes) override;
  void deallocate_pinned(void* memory) noexcept override;

  Stream& current_stream() override;
  std::shared_ptr<Stream> make_stream() override;
  std::shared_ptr<Event> make_event() override;
  Stream& foreign_stream(uintptr_t handle) override;
  void order(Stream& first, Stream& then) override;
  bool holds(const void* memory) override;
  bool can_reach(Device& other) override;
  void synchronize() override;

  std::shared_ptr<Module> load(Code code) override;

  std::shared_ptr<TextureMemory> make_texture_memory(const TextureDescription& description) override;
  std::unique_ptr<TextureObject> make_texture(const TextureDescription& description, const std::shared_ptr<TextureMemory>& memory) override;
  std::unique_ptr<TextureObject> make_surface(const std::shared_ptr<TextureMemory>& memory) override;

  /// The primary context, made at the first call.
  CUcontext context();
  const Driver& driver() const { return cuda::driver(); }
  int attribute(int attribute) const;

  /// Streams are never destroyed, so that a buffer may remember its last one;
  /// what is given back is lent again.
  CudaStream& lend_stream();
  void take_back(CudaStream& stream) noexcept;

  /// The driver prints what kernels printed only in its own waiting functions, and
  /// into C's stdout; called wherever we have waited in another way.
  void show_prints(CUstream stream);
  std::atomic<bool> has_prints{false};  ///< some module that was loaded can print

  /// Lets this GPU read and write the memory of `other` directly, where the hardware can.
  void reach(CudaDevice& other);

  /// A pinned piece of host memory for a copy; see copy.cpp.
  Staging& staging();

 private:
  CUresult allocate_from_driver(CUdeviceptr* memory, size_t bytes, CUstream stream);

  CUdevice device_ = 0;
  DeviceProperties properties_;
  std::once_flag context_once_;
  CUcontext context_ = nullptr;
  CUmemoryPool pool_ = nullptr;  ///< nullptr: the driver has no stream-ordered allocation

  std::mutex streams_mutex_;
  std::vector<CudaStream*> all_streams_;  ///< that were ever made
  std::vector<CudaStream*> idle_streams_;
  std::unordered_map<uintptr_t, CudaStream*> foreign_streams_;
  std::atomic<uint64_t> bytes_of_idle_blocks_{0};

  std::mutex reached_mutex_;
  std::vector<CudaDevice*> reached_;  ///< asked before

  std::once_flag staging_once_;
  Staging* staging_ = nullptr;  ///< as long as the device: for ever
};

/// Makes the device's context current in the calling thread while alive; a
/// context of somebody else is put back.
class ContextScope {
 public:
  explicit ContextScope(CudaDevice& device) : driver_(device.driver()) {
    const CUcontext ours = device.context();
    driver_.cuCtxGetCurrent(&previous_);
    if (previous_ == ours) {
      previous_ = nullptr;
      return;
    }
    check(driver_.cuCtxSetCurrent(ours), [&] { return "switch to " + device.str(); });
  }
  ~ContextScope() {
    if (previous_) driver_.cuCtxSetCurrent(previous_);
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const Driver& driver_;
  CUcontext previous_ = nullptr;
};

}  // namespace kasoku::cuda
