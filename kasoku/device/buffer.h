/// \file kasoku/device/buffer.h
/// A piece of device memory with a reference count (hold it by shared_ptr).
#pragma once

#include "kasoku/device/device.h"

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

namespace kasoku {

class Buffer {
 public:
  /// New memory of `bytes` on `device`, in the order of the calling thread's stream.
  Buffer(Device& device, size_t bytes);
  static std::shared_ptr<Buffer> allocate(Device& device, size_t bytes);
  /// Somebody else's memory, kept alive by `owner`; marked shared. `theirs`: the stream in which the owner's work on it
  /// goes on, if that is known: uses here come after what it holds now, and it goes on after the last of them.
  static std::shared_ptr<Buffer> adopt(Device& device, void* memory, size_t bytes,
                                       std::shared_ptr<void> owner, bool is_read_only, Stream* theirs = nullptr);
  ~Buffer();
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  Device& device() const { return *device_; }
  void* memory() const { return memory_; }
  size_t bytes() const { return bytes_; }
  bool is_read_only() const { return is_read_only_; }
  bool overlaps(const Buffer& other) const {
    const char *const begin = static_cast<const char*>(memory_), *const others = static_cast<const char*>(other.memory_);
    return begin < others + other.bytes_ && others < begin + bytes_;
  }
  /// The storage (array/graph.h) that keeps account of the arrays in this memory, or in memory of which this is a part.
  std::weak_ptr<void> storage;
  void* whole = nullptr;

  /// To be called with the stream of each piece of work that reads or writes this
  /// memory, before the work starts: orders it behind the stream that used the
  /// memory last. One comparison while the stream stays the same. The memory is
  /// given back in the order of the last stream. (Streams are never freed.)
  void use_on(Stream& stream) {
    if (last_stream_.load(std::memory_order_acquire) != &stream) change_stream(stream);
  }
  /// use_on() the calling thread's stream, for memory of devices where work may not be done when a call returns.
  void use_here() {
    if (device_->kind == DeviceKind::cuda) use_on(device_->current_stream());
  }
  /// After `kernel` ran with this memory as its `array`: throws if it wrote past the end of it.
  void check_end(std::string_view kernel, std::string_view array) const {
    if (is_own_ && device_->was_overrun(memory_, bytes_)) throw_overrun(kernel, array);
  }
  Stream* last_stream() const { return last_stream_.load(std::memory_order_acquire); }

  /// What the host and launches did with this memory, for the warning about swapped arguments.
  struct History {
    std::atomic<bool> zeroed{false};            ///< created by zeros(), not written since
    std::atomic<bool> filled_by_host{false};
    std::atomic<bool> written_by_kernel{false};
    std::atomic<const char*> read_by_kernel{nullptr};  ///< interned name of the last reader
  } history;

  /// Others can write it too (imported, or exported): nothing that reads it may stay pending.
  std::atomic<bool> is_shared{false};

 private:
  Buffer() = default;
  void change_stream(Stream& stream);
  [[noreturn]] void throw_overrun(std::string_view kernel, std::string_view array) const;
  struct Adopted;

  bool is_read_only_ = false;
  bool is_own_ = true;
  Device* device_ = nullptr;
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  std::atomic<Stream*> last_stream_{nullptr};  ///< allocate() sets it
};

}  // namespace kasoku
