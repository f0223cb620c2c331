/// \file kasoku/device/cuda/stream.h
/// Streams that are ordered with the legacy default stream, and events.
#pragma once

#include "kasoku/base/interrupt.h"
#include "kasoku/device/cuda/device.h"
#include "kasoku/device/stream.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace kasoku::cuda {

class CudaStream final : public Stream {
 public:
  /// ours: lives as long as the process; foreign: another library's, which may destroy it; captured: becomes a graph, whose
  /// memory is its own.
  enum class Kind : uint8_t { ours, foreign, captured };
  CudaStream(CudaDevice& device, CUstream stream, Kind kind = Kind::ours) : stream(stream), is_foreign(kind == Kind::foreign), is_captured(kind == Kind::captured), device_(device) {}
  Device& device() override { return device_; }
  void synchronize() override;
  bool is_done() override;
  void wait(Event& event) override;
  bool is_graphed() const override;
  uintptr_t handle() const override { return reinterpret_cast<uintptr_t>(stream); }

  const CUstream stream;
  const bool is_foreign, is_captured;

  /// A few bytes from the device, through pinned memory: the driver's own way for pageable
  /// memory keeps its lock until the copy is done. False if somebody else is using it.
  bool copy_small(void* to, CUdeviceptr from, size_t bytes);
  static constexpr size_t small_bytes = size_t{64} << 10;
  /// Device::read_computed(). False in a stream that becomes a graph, or if another thread waits for an element of this one.
  static constexpr size_t most_of_element = 16;  ///< bytes
  bool await_element(void* to, size_t bytes, const std::function<void(void*)>& compute);

  /// Small blocks that were given back in this stream's order: what comes next in it may have them without asking the
  /// driver, which takes about as long as a launch.
  void* take_block(size_t bytes);
  /// False if there are enough, or the stream is not ours.
  bool keep_block(void* memory, size_t bytes);
  std::vector<std::pair<void*, size_t>> take_all_blocks();  ///< and their sizes
  static constexpr size_t largest_block = 4096;
  /// The size of a small block of memory; the driver gives none below 512 bytes.
  static size_t block_bytes(size_t bytes) { return std::bit_ceil(std::max<size_t>(bytes, 512)); }

 private:
  static constexpr size_t n_sizes = 4, most_of_size = 64;
  std::vector<void*>& blocks_of(size_t bytes) { return blocks_[static_cast<size_t>(std::countr_zero(block_bytes(bytes))) - 9]; }

  std::mutex blocks_mutex_;
  std::vector<void*> blocks_[n_sizes];
  CudaDevice& device_;
  std::mutex small_mutex_;
  void* small_ = nullptr;
  std::atomic<bool> is_awaited_{false};
  void* awaited_ = nullptr;  ///< pinned memory of one element, for whoever set is_awaited_
};

class CudaEvent final : public Event {
 public:
  explicit CudaEvent(CudaDevice& device);
  ~CudaEvent() override;
  void record(Stream& stream) override;
  void synchronize() override;
  bool is_done() override;
  double milliseconds_since(Event& earlier) override;

  CUevent event = nullptr;

 private:
  CudaDevice& device_;
};

/// Waits while `query` says not_ready, and ends with Error(interrupted) on Ctrl-C: the
/// work itself goes on, for a GPU cannot be stopped.
template <class Query, class Asked>
void wait_until_done(const Query& query, const Asked& asked);

/// The driver's stream behind `stream`; an error if it is another device's.
CUstream stream_of(CudaDevice& device, Stream& stream);

/// Threads in wait_until_done() now.
inline std::atomic<int> n_waiting{0};

template <class Query, class Asked>
void wait_until_done(const Query& query, const Asked& asked) {
  using Clock = std::chrono::steady_clock;
  CUresult result = query();
  if (result == not_ready) {
    // Short work is waited for as fast as can be, long work to one part in fifty.
    InterruptCheck interrupt;
    const auto begin = Clock::now();
    struct Counted {
      Counted() { n_waiting.fetch_add(1, std::memory_order_relaxed); }
      ~Counted() { n_waiting.fetch_sub(1, std::memory_order_relaxed); }
    } counted;
    while ((result = query()) == not_ready) {
      const auto so_far = Clock::now() - begin;
      // A query takes the driver's lock, which others need to launch: all who wait ask about
      // as often together as one alone does.
      const int waiting = n_waiting.load(std::memory_order_relaxed);
      if (waiting > 1 || so_far > std::chrono::microseconds(20))
        for (int i = 0; i < 8 * waiting; ++i) __builtin_ia32_pause();
      if (so_far < std::chrono::milliseconds(2)) continue;
      interrupt.look();
      std::this_thread::sleep_for(
          std::min<Clock::duration>(so_far / 50, std::chrono::milliseconds(1)));
    }
  }
  check(result, asked);
}

}  // namespace kasoku::cuda
