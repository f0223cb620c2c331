/// \file kasoku/device/null/device.cpp
#include "kasoku/device/null/device.h"

#include "kasoku/base/error.h"
#include "kasoku/base/text.h"
#include "kasoku/device/null/module.h"
#include "kasoku/device/null/stream.h"
#include "kasoku/device/replay.h"

#include <cstdlib>
#include <cstring>

namespace kasoku::null {

namespace {

constexpr size_t alignment = 256;

class NullDevice final : public Device {
 public:
  NullDevice(DeviceKind kind, const DeviceProperties& properties) : Device(kind, 0), properties_(properties), stream_(*this) {}

  const DeviceProperties& properties() override { return properties_; }
  MemoryUse memory_use() override { return {}; }

  void* allocate(size_t bytes, Stream&) override {
    if (bytes <= SIZE_MAX - alignment)
      if (void* memory = std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment))
        return std::memset(memory, 0, bytes);  // what kernels would have counted there is nothing
    throw Error(ErrorKind::memory, "cannot allocate " + bytes_text(bytes) + " on null");
  }
  void deallocate(void* memory, size_t, Stream&) noexcept override { std::free(memory); }
  void trim() override {}

  void copy(void* to, const void* from, size_t bytes, Stream&, bool) override {
    if (note_copy(*this, to, from, bytes) && bytes) std::memmove(to, from, bytes);
  }
  void fill(void* to, uint64_t value, size_t size, size_t count, Stream&) override {
    if (!note(*this, [&](Recorder& recorder) { recorder.fill(to, value, size, count); })) return;
    for (size_t i = 0; i < count; ++i)
      std::memcpy(static_cast<char*>(to) + i * size, &value, size);
  }

  void* allocate_pinned(size_t bytes) override { return allocate(bytes, stream_); }
  void deallocate_pinned(void* memory) noexcept override { std::free(memory); }

  Stream& current_stream() override {
    Stream* scoped = scoped_stream(*this);
    return scoped ? *scoped : stream_;
  }
  std::shared_ptr<Stream> make_stream() override { return std::make_shared<NullStream>(*this); }
  std::shared_ptr<Event> make_event() override { return std::make_shared<NullEvent>(); }
  void synchronize() override {}

  std::shared_ptr<Module> load(Code code) override { return load_module(*this, std::move(code)); }

 private:
  DeviceProperties properties_;
  NullStream stream_;
};

}  // namespace

std::unique_ptr<Device> make_device() {
  return make_stand_in(DeviceKind::null, {.name = "null", .architecture = "null", .multiprocessors = 1});
}

std::unique_ptr<Device> make_stand_in(DeviceKind kind, const DeviceProperties& properties) {
  return std::make_unique<NullDevice>(kind, properties);
}

}  // namespace kasoku::null
