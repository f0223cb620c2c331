/// \file kasoku/device/cpu/device.cpp
#include "kasoku/device/cpu/device.h"

#include "kasoku/base/error.h"
#include "kasoku/base/timeline.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/cpu/allocator.h"
#include "kasoku/device/cpu/arena.h"
#include "kasoku/device/cpu/fault.h"
#include "kasoku/device/cpu/module.h"
#include "kasoku/device/cpu/nudge.h"
#include "kasoku/device/cpu/overrun.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/cpu/processor.h"
#include "kasoku/device/cpu/stream.h"
#include "kasoku/device/replay.h"

#include <algorithm>
#include <cstring>
#include <mutex>

namespace kasoku::cpu {

namespace {

/// Copies and fills above this are spread over the pool.
constexpr size_t large_bytes = size_t{1} << 20;
constexpr size_t chunk_bytes = size_t{1} << 18;

/// The first elements, and copies of them: the C library copies by the widest stores that the processor has.
template <class T>
void fill_with(char* to, uint64_t value, size_t count) {
  constexpr size_t few = 16, near = 4096;
  T element;
  std::memcpy(&element, &value, sizeof element);
  const size_t first = std::min(count, few), bytes = count * sizeof(T);
  for (size_t i = 0; i < first; ++i) std::memcpy(to + i * sizeof(T), &element, sizeof element);
  for (size_t done = first * sizeof(T), n = 0; done < bytes; done += n) {
    n = std::min({done, bytes - done, near});
    std::memcpy(to + done, to, n);
  }
}

void fill_serially(char* to, uint64_t value, size_t size, size_t count) {
  switch (size) {
    case 1: std::memset(to, static_cast<int>(value & 0xff), count); return;
    case 2: return fill_with<uint16_t>(to, value, count);
    case 4: return fill_with<uint32_t>(to, value, count);
    case 8: return fill_with<uint64_t>(to, value, count);
    default:
      throw Error(ErrorKind::internal,
                  "fill of elements of " + std::to_string(size) + " bytes; it takes 1, 2, 4 and 8");
  }
}

bool overlap(const char* a, const char* b, size_t bytes) { return a < b + bytes && b < a + bytes; }

class CpuDevice final : public Device {
 public:
  CpuDevice() : Device(DeviceKind::cpu, 0), stream_(*this) {
    try {
      reserve_code();
    } catch (const Error&) {
      // No addresses left: the first launch says so, if there is one.
    }
    // A thread's handlers, their stack and its timer are made by its first launch, of nothing.
    const LaunchWatch watch;
    const LaunchContext nothing{};
    run_guarded([](void* const*, const LaunchContext*, uint64_t, uint64_t) {}, nullptr, nothing, 0, 0);
  }

  const DeviceProperties& properties() override {
    std::call_once(properties_once_, [&] {
      properties_ = launch_limits();
      properties_.name = processor_name();
      properties_.architecture = target_architecture();
      properties_.total_memory = total_memory();
      properties_.multiprocessors = worker_count();
    });
    return properties_;
  }

  MemoryUse memory_use() override {
    const AllocatorUse use = allocator_use();
    return {available_memory(), total_memory(), use.used, use.cached};
  }

  void* allocate(size_t bytes, Stream&) override { return cpu::allocate(bytes); }
  void deallocate(void* memory, size_t bytes, Stream&) noexcept override {
    if (memory && cpu::was_overrun(memory, bytes)) note_overrun(bytes);
    cpu::deallocate(memory, bytes);
  }
  bool was_overrun(void* memory, size_t bytes) noexcept override {
    return cpu::was_overrun(memory, bytes) && !is_serial();  // who checks a launch says more than that
  }
  void throw_overruns() override { cpu::throw_overruns(); }
  void trim() override { trim_memory(); }

  void copy(void* to, const void* from, size_t bytes, Stream&, bool) override {
    if (!bytes || to == from) return;
    if (!note_copy(*this, to, from, bytes)) return;
    const Recorded recorded(EventKind::copy, "copy", bytes);
    count_copy(CopyWay::within_device, bytes);
    char* target = static_cast<char*>(to);
    const char* source = static_cast<const char*>(from);
    if (overlap(target, source, bytes)) {
      std::memmove(target, source, bytes);
    } else if (bytes < large_bytes) {
      std::memcpy(target, source, bytes);
    } else {
      parallel_blocks(bytes, chunk_bytes, [=](uint64_t begin, uint64_t end) {
        std::memcpy(target + begin, source + begin, end - begin);
      });
    }
  }

  void fill(void* to, uint64_t value, size_t size, size_t count, Stream&) override {
    if (!note(*this, [&](Recorder& recorder) { recorder.fill(to, value, size, count); })) return;
    char* target = static_cast<char*>(to);
    if (size * count < large_bytes) return fill_serially(target, value, size, count);
    parallel_blocks(count, chunk_bytes / size, [=](uint64_t begin, uint64_t end) {
      fill_serially(target + begin * size, value, size, end - begin);
    });
  }

  void* allocate_pinned(size_t bytes) override {
    // The size is needed to give it back, and callers do not keep it.
    char* memory = static_cast<char*>(cpu::allocate(bytes + memory_alignment));
    std::memcpy(memory, &bytes, sizeof bytes);
    return memory + memory_alignment;
  }
  void deallocate_pinned(void* memory) noexcept override {
    if (!memory) return;
    char* start = static_cast<char*>(memory) - memory_alignment;
    size_t bytes;
    std::memcpy(&bytes, start, sizeof bytes);
    cpu::deallocate(start, bytes + memory_alignment);
  }

  Stream& current_stream() override {
    Stream* scoped = scoped_stream(*this);
    return scoped ? *scoped : stream_;
  }
  std::shared_ptr<Stream> make_stream() override { return std::make_shared<CpuStream>(*this); }
  std::shared_ptr<Event> make_event() override { return std::make_shared<CpuEvent>(); }
  void synchronize() override { cpu::throw_overruns(); }

  std::shared_ptr<Module> load(Code code) override {
    target_architecture();  // refuses processors that are too old
    return load_module(*this, std::move(code));
  }

 private:
  std::once_flag properties_once_;
  DeviceProperties properties_;
  CpuStream stream_;
};

}  // namespace

const DeviceProperties& launch_limits() {
  static const DeviceProperties limits = [] {
    DeviceProperties made;
    made.max_shared_bytes_opt_in = 227 * 1024;
    made.compute_capability[0] = 7;  // as __CUDA_ARCH__ in kernels' text (compile/clang/frontend.cpp)
    made.compute_capability[1] = 5;
    return made;
  }();
  return limits;
}

std::unique_ptr<Device> make_device() { return std::make_unique<CpuDevice>(); }

}  // namespace kasoku::cpu
