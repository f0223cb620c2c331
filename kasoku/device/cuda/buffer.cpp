/// Memory of a CudaDevice: allocation in the order of a stream, fills, figures.
#include "kasoku/base/error.h"
#include "kasoku/base/text.h"
#include "kasoku/device/cuda/device.h"
#include "kasoku/device/cuda/replay.h"
#include "kasoku/device/cuda/stream.h"
#include "kasoku/device/memory_limit.h"
#include "kasoku/device/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kasoku::cuda {
namespace {

CUdeviceptr address(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

/// An eight-byte pattern: the driver fills with four at most. Writes the first
/// elements from the host, then doubles what is there.
CUresult fill_wide(const Driver& driver, CUdeviceptr to, uint64_t value, size_t count,
                   CUstream stream) {
  std::array<uint64_t, 512> first;
  first.fill(value);
  const size_t bytes = count * 8;
  size_t done = std::min(bytes, sizeof first);
  CUresult result = driver.cuMemcpyAsync(to, address(first.data()), done, stream);
  while (!result && done < bytes) {
    const size_t next = std::min(done, bytes - done);
    result = driver.cuMemcpyAsync(to + done, to, next, stream);
    done += next;
  }
  return result;
}

}  // namespace

MemoryUse CudaDevice::memory_use() {
  ContextScope scope(*this);
  size_t free = 0, total = 0;
  check(driver().cuMemGetInfo(&free, &total),
        [&] { return "ask for the free memory of " + str(); });
  MemoryUse use{.free = free, .total = total};
  if (pool_) {
    uint64_t reserved = 0;
    driver().cuMemPoolGetAttribute(pool_, 7, &use.used);
    driver().cuMemPoolGetAttribute(pool_, 5, &reserved);
    use.used -= std::min(use.used, bytes_of_idle_blocks_.load());
    use.cached = reserved - std::min(reserved, use.used);
  }
  return use;
}

CUresult CudaDevice::allocate_from_driver(CUdeviceptr* memory, size_t bytes, CUstream stream) {
  if (pool_) return driver().cuMemAllocFromPoolAsync(memory, bytes, pool_, stream);
  return driver().cuMemAlloc(memory, bytes);
}

void* CudaDevice::allocate(size_t bytes, Stream& stream) {
  ContextScope scope(*this);
  const CUstream order = stream_of(*this, stream);
  const bool is_small = pool_ && bytes <= CudaStream::largest_block;
  const size_t wanted = is_small ? CudaStream::block_bytes(bytes) : bytes;
  if (is_small)
    if (void* const block = static_cast<CudaStream&>(stream).take_block(bytes)) {
      bytes_of_idle_blocks_ -= wanted;
      return block;
    }
  if (const uint64_t limit = memory_limit(kind, index)) {
    const MemoryUse use = memory_use();
    if (use.used + wanted > limit) throw beyond_memory_limit(bytes, str(), limit, use.used);
    if (use.cached < wanted && use.used + use.cached + wanted > limit) trim();
  }
  CUdeviceptr memory = 0;
  CUresult result = allocate_from_driver(&memory, wanted, order);
  if (result == out_of_memory) {
    // What was freed on other streams counts once they are done.
    trim();
    result = allocate_from_driver(&memory, wanted, order);
  }
  if (result == out_of_memory) {
    const MemoryUse use = memory_use();
    throw Error(ErrorKind::memory,
                "cannot allocate " + bytes_text(bytes) + " on " + str())
        .why(fmt::format("{} of {} are free; kasoku's arrays hold {}", bytes_text(use.free),
                         bytes_text(use.total), bytes_text(use.used)));
  }
  check(result, [&] { return fmt::format("allocate {} bytes on {}", bytes, str()); });
  return reinterpret_cast<void*>(memory);
}

void CudaDevice::deallocate(void* memory, size_t bytes, Stream& stream) noexcept {
  if (!memory) return;
  try {
    ContextScope scope(*this);
    if (pool_) {
      const bool is_ours = &stream.device() == this && !static_cast<CudaStream&>(stream).is_foreign;
      Stream& ours = is_ours ? stream : current_stream();
      if (!is_ours) order(stream, ours);  // another GPU or library read it last
      if (bytes <= CudaStream::largest_block && static_cast<CudaStream&>(ours).keep_block(memory, bytes))
        bytes_of_idle_blocks_ += CudaStream::block_bytes(bytes);
      else
        driver().cuMemFreeAsync(address(memory), stream_of(*this, ours));
    } else
      driver().cuMemFree(address(memory));
  } catch (const Error&) {
    // After a fork or a fault the memory went with the context.
  }
}

void CudaDevice::trim() {
  ContextScope scope(*this);
  if (!pool_) return;
  {
    const std::lock_guard lock(streams_mutex_);
    for (CudaStream* stream : all_streams_)
      for (const auto& [memory, bytes] : stream->take_all_blocks()) {
        driver().cuMemFreeAsync(address(memory), stream->stream);
        bytes_of_idle_blocks_ -= bytes;
      }
  }
  const std::lock_guard lock(capture_mutex());
  check(driver().cuCtxSynchronize(), [&] { return "wait for " + str(); });
  check(driver().cuMemPoolTrimTo(pool_, 0),
        [&] { return "give back the free memory of " + str(); });
}

void CudaDevice::fill(void* to, uint64_t value, size_t size, size_t count, Stream& stream) {
  if (count == 0 || !note(*this, [&](Recorder& recorder) { recorder.fill(to, value, size, count); })) return;
  ContextScope scope(*this);
  const CUstream order = stream_of(*this, stream);
  const CUdeviceptr begin = address(to);
  const auto asked = [&] {
    return fmt::format("fill {} elements of {} bytes on {}", count, size, str());
  };
  const auto low = static_cast<uint32_t>(value), high = static_cast<uint32_t>(value >> 32);
  CUresult result;
  if (size == 1)
    result = driver().cuMemsetD8Async(begin, static_cast<unsigned char>(value), count, order);
  else if (size == 2)
    result = driver().cuMemsetD16Async(begin, static_cast<unsigned short>(value), count, order);
  else if (size == 4)
    result = driver().cuMemsetD32Async(begin, low, count, order);
  else if (size == 8 && low == high)
    result = driver().cuMemsetD32Async(begin, low, count * 2, order);
  else if (size == 8)
    result = fill_wide(driver(), begin, value, count, order);
  else
    throw Error(ErrorKind::internal, fmt::format("fill of elements of {} bytes", size));
  check(result, asked);
}

void* CudaDevice::allocate_pinned(size_t bytes) {
  ContextScope scope(*this);
  void* memory = nullptr;
  // Flag 1: portable, so every context of the process may use it.
  const CUresult result = driver().cuMemHostAlloc(&memory, std::max<size_t>(bytes, 1), 1);
  check(result, [&] { return fmt::format("allocate {} bytes of pinned host memory", bytes); });
  return memory;
}

void CudaDevice::deallocate_pinned(void* memory) noexcept {
  if (!memory) return;
  try {
    ContextScope scope(*this);
    driver().cuMemFreeHost(memory);
  } catch (const Error&) {
    // As in deallocate.
  }
}

}  // namespace kasoku::cuda
