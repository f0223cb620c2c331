/// \file kasoku/device/buffer.cpp
#include "kasoku/device/buffer.h"

#include "kasoku/base/error.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/kept_memory.h"
#include "kasoku/device/memory_listener.h"
#include "kasoku/device/overrun.h"
#include "kasoku/device/replay.h"

#include <mutex>

namespace kasoku {

std::atomic<MemoryListener> memory_listener{nullptr};

/// Somebody else's memory.
struct Buffer::Adopted : Buffer {
  std::shared_ptr<void> owner;
  Stream* theirs = nullptr;

  ~Adopted() {
    if (KeptMemory::is_any_alive()) {
      KeptMemory::forget(*this);
      KeptMemory::take(device(), memory(), bytes(), owner);
    }
    try {
      if (theirs && last_stream() != theirs) device().order(*last_stream(), *theirs);
    } catch (const Error&) {
      // After a fork or a fault there is nothing left to wait for.
    }
  }
};

Buffer::Buffer(Device& device, size_t bytes) : device_(&device), bytes_(bytes) {
  Stream& stream = device.current_stream();
  tell_of_memory(MemoryEvent::taking, device, nullptr, bytes);
  try {
    memory_ = device.allocate(bytes, stream);
  } catch (...) {
    tell_of_memory(MemoryEvent::taken, device, nullptr, bytes);
    throw;
  }
  tell_of_memory(MemoryEvent::taken, device, memory_, bytes);
  last_stream_.store(&stream, std::memory_order_relaxed);
  if (Recorder* const recorder = Recorder::current(); recorder && &recorder->device() == &device) recorder->use(*this);
  const DeviceCounters& all = counters();
  all.allocations.add(1);
  all.bytes_allocated.add(bytes);
}

std::shared_ptr<Buffer> Buffer::allocate(Device& device, size_t bytes) { return std::make_shared<Buffer>(device, bytes); }

std::shared_ptr<Buffer> Buffer::adopt(Device& device, void* memory, size_t bytes,
                                      std::shared_ptr<void> owner, bool is_read_only, Stream* theirs) {
  const auto buffer = std::make_shared<Adopted>();
  buffer->device_ = &device;
  buffer->memory_ = memory;
  buffer->bytes_ = bytes;
  buffer->is_read_only_ = is_read_only;
  buffer->is_own_ = false;
  buffer->owner = std::move(owner);
  buffer->theirs = theirs;
  buffer->last_stream_.store(theirs, std::memory_order_relaxed);
  buffer->is_shared = true;
  return buffer;
}

void Buffer::change_stream(Stream& stream) {
  if (Recorder* const recorder = Recorder::current()) recorder->use(*this);
  // Who sees the new stream as the last may rely on its being behind the one before.
  static std::mutex& changing = *new std::mutex;
  const std::lock_guard lock(changing);
  Stream* last = last_stream();
  if (last == &stream) return;
  if (last) device_->order(*last, stream);
  last_stream_.store(&stream, std::memory_order_release);
}

void Buffer::throw_overrun(std::string_view kernel, std::string_view array) const {
  throw past_the_end(kernel, array, bytes_);
}

Buffer::~Buffer() {
  if (!device_ || !is_own_) return;
  if (KeptMemory::is_any_alive()) {
    KeptMemory::forget(*this);
    if (KeptMemory::take(*device_, memory_, bytes_, nullptr)) return;
  }
  Stream* const last = last_stream();
  tell_of_memory(MemoryEvent::giving_back, *device_, memory_, bytes_);
  device_->deallocate(memory_, bytes_, last ? *last : device_->current_stream());
  tell_of_memory(MemoryEvent::given_back, *device_, memory_, bytes_);
}

}  // namespace kasoku
