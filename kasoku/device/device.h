/// \file kasoku/device/device.h
/// A processor: memory, streams, events, copies, modules.
///
/// Devices live as long as the process. Every function may be called from any
/// thread at any time. Errors are kasoku::Error and say what was asked for.
#pragma once

#include "kasoku/device/code.h"
#include "kasoku/device/texture.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace kasoku {

class Module;
class Stream;
class Event;

enum class DeviceKind : uint8_t { cpu, cuda, null };

struct DeviceProperties {
  std::string name;           ///< "AMD EPYC 9654", "NVIDIA H200"
  std::string architecture;   ///< "x86-64-v3", "sm_90"
  uint64_t total_memory = 0;  ///< bytes
  uint32_t multiprocessors = 0;  ///< workers on a CPU
  uint32_t max_threads_per_block = 1024;
  uint32_t max_block[3] = {1024, 1024, 64};
  uint32_t max_grid[3] = {0x7fffffff, 65535, 65535};
  uint32_t max_shared_bytes_per_block = 48 * 1024;  ///< without opting in
  uint32_t max_shared_bytes_opt_in = 48 * 1024;
  uint32_t warp_size = 32;
  uint32_t compute_capability[2] = {0, 0};
};

struct MemoryUse {
  uint64_t free = 0, total = 0;    ///< bytes, of the device
  uint64_t used = 0, cached = 0;   ///< bytes, ours: given out, and held by the pool
};

class Device {
 public:
  virtual ~Device() = default;
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceKind kind;
  const int index;

  /// Whether the device's memory is the host's own; work there is done when a call returns.
  bool is_host() const { return kind == DeviceKind::cpu; }
  /// Whether the device has many cheap threads that run side by side, as a GPU has, instead of few cores with vector
  /// lanes.
  bool is_simt() const { return kind == DeviceKind::cuda; }
  /// DLPack's number for this kind of device: 1 for the host's memory, 2 for a CUDA GPU.
  int dlpack_type() const { return kind == DeviceKind::cuda ? 2 : 1; }

  /// "cpu", "cuda:0", "null".
  std::string str() const;

  virtual const DeviceProperties& properties() = 0;
  virtual MemoryUse memory_use() = 0;

  /// Memory for `bytes` (0 gives a valid pointer), aligned to 256 bytes, on a CPU to
  /// no more than 64 or 128 if it has not more; contents are not defined. ErrorKind::memory names size and device.
  virtual void* allocate(size_t bytes, Stream& stream) = 0;
  virtual void deallocate(void* memory, size_t bytes, Stream& stream) noexcept = 0;
  /// Whether somebody wrote past the end of memory that allocate() gave; says so once. Only a CPU knows.
  virtual bool was_overrun(void* memory, size_t bytes) noexcept { return false; }
  /// Throws what was found of that in memory when it was given back, since it was asked last.
  virtual void throw_overruns() {}
  /// Gives what the pool holds back to the system.
  virtual void trim() = 0;

  /// Copies within the device, or between it and host memory. When host memory
  /// is the source, it may be reused on return; when it is the destination, its
  /// content is there on return unless `host_is_pinned`.
  virtual void copy(void* to, const void* from, size_t bytes, Stream& stream,
                    bool host_is_pinned = false) = 0;
  /// Copies from the device's memory to the host's own, which is there on return: copy() for a caller that knows where both are.
  virtual void read(void* to, const void* from, size_t bytes, Stream& stream) { copy(to, from, bytes, stream); }
  /// Has `compute` put work into the stream that stores an element of `bytes`, up to 16, in host memory that the device reaches, waits
  /// for it and copies the element to `to`: without a copy in the stream. False, and `compute` was not called: no such memory is free.
  virtual bool read_computed(void* to, size_t bytes, Stream& stream, const std::function<void(void*)>& compute) { return false; }
  /// Fills `count` elements of `size` bytes (1, 2, 4, 8) with `value`'s bits.
  virtual void fill(void* to, uint64_t value, size_t size, size_t count, Stream& stream) = 0;

  /// Host memory that the device reads and writes directly.
  virtual void* allocate_pinned(size_t bytes) = 0;
  virtual void deallocate_pinned(void* memory) noexcept = 0;

  /// The stream of the calling thread (ordered with CUDA's legacy default
  /// stream), unless a StreamScope says otherwise.
  virtual Stream& current_stream() = 0;
  virtual std::shared_ptr<Stream> make_stream() = 0;
  virtual std::shared_ptr<Event> make_event() = 0;
  /// Another library's stream, by its handle (1: CUDA's legacy default stream, 2: the calling thread's). On a CPU, where
  /// work is done when a call returns, the current stream.
  virtual Stream& foreign_stream(uintptr_t handle) { return current_stream(); }
  /// Later work on `then` waits for all that `first` holds now. Nothing to do on a CPU.
  virtual void order(Stream& first, Stream& then) {}
  /// Whether the address lies in memory of this device, whoever allocated it. Only what is no host's is known.
  virtual bool holds(const void* memory) { return false; }
  /// Whether work here may read and write the memory of `other`, another device.
  virtual bool can_reach(Device& other) { return false; }
  /// Waits for all work of all threads.
  virtual void synchronize() = 0;

  virtual std::shared_ptr<Module> load(Code code) = 0;

  /// Memory for textures of that many elements; null where textures are of the device's usual memory alone, and their handle is
  /// the address of the description.
  virtual std::shared_ptr<TextureMemory> make_texture_memory(const TextureDescription& description) { return nullptr; }
  /// A texture over `memory`; if that is null, over the row or rows of device memory that the description names.
  virtual std::unique_ptr<TextureObject> make_texture(const TextureDescription& description, const std::shared_ptr<TextureMemory>& memory) { return nullptr; }
  virtual std::unique_ptr<TextureObject> make_surface(const std::shared_ptr<TextureMemory>& memory) { return nullptr; }

 protected:
  Device(DeviceKind kind, int index) : kind(kind), index(index) {}
};

}  // namespace kasoku
