#include "kasoku/device/cuda/copy.h"

#include "kasoku/base/timeline.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/cpu/pool.h"
#include "kasoku/device/cuda/cuda.h"
#include "kasoku/device/cuda/stream.h"
#include "kasoku/device/replay.h"

#include <fmt/format.h>

#include <atomic>
#include <cstring>
#include <exception>

namespace kasoku::cuda {
namespace {

/// Up to this the driver's own staging is as fast: our workers must be woken first.
constexpr size_t small_copy = size_t{2} << 20;

CUdeviceptr address(const void* memory) { return reinterpret_cast<CUdeviceptr>(memory); }

enum class Place { pageable, pinned, device };

Place place_of(const Driver& driver, const void* memory) {
  int type = 0;
  if (driver.cuPointerGetAttribute(&type, 2, address(memory))) return Place::pageable;
  return type == 1 ? Place::pinned : type == 0 ? Place::pageable : Place::device;
}

/// The GPU in whose memory the address lies; `otherwise` if the driver does not say.
CudaDevice& gpu_of(const void* memory, CudaDevice& otherwise) {
  const auto all = cuda_devices();
  size_t ordinal = 0;
  if (all.size() == 1 || otherwise.driver().cuPointerGetAttribute(&ordinal, 9, address(memory))) return otherwise;
  ordinal &= 0xffffffff;  // the driver writes an int
  return ordinal < all.size() ? static_cast<CudaDevice&>(*all[ordinal]) : otherwise;
}

}  // namespace

bool CudaDevice::holds(const void* memory) {
  const ContextScope scope(*this);
  int type = 0;
  const CUresult status = driver().cuPointerGetAttribute(&type, 2, address(memory));
  if (status == invalid_value || (!status && type == 0)) return false;  // the host's
  check(status, [&] { return fmt::format("ask whether memory is that of {}", str()); });
  return &gpu_of(memory, *this) == this;
}

Staging& CudaDevice::staging() {
  std::call_once(staging_once_, [this] { staging_ = new Staging(*this); });
  return *staging_;
}

void CudaDevice::copy(void* to, const void* from, size_t bytes, Stream& stream,
                      bool host_is_pinned) {
  if (bytes == 0) return;
  const Recorded recorded(EventKind::copy, "copy", bytes);
  ContextScope scope(*this);
  const CUstream order = stream_of(*this, stream);
  const Place target = place_of(driver(), to), source = place_of(driver(), from);
  const auto asked = [&] {
    const auto name = [&](Place place) {
      return place == Place::device ? str() : std::string("the host");
    };
    return fmt::format("copy {} bytes from {} to {}", bytes, name(source), name(target));
  };
  if (target == Place::device && source == Place::device) {
    if (!note(*this, [&](Recorder& recorder) { recorder.copy(to, from, bytes); })) return;
    CudaDevice &there = gpu_of(to, *this), &here = gpu_of(from, *this);
    if (&there == this && &here == this) {
      count_copy(CopyWay::within_device, bytes);
      check(driver().cuMemcpyAsync(address(to), address(from), bytes, order), asked);
    } else {
      count_copy(CopyWay::between_devices, bytes);
      if (&there != &here) there.reach(here), here.reach(there);
      check(driver().cuMemcpyPeerAsync(address(to), there.context(), address(from), here.context(), bytes, order),
            [&] { return fmt::format("copy {} bytes from {} to {}", bytes, here.str(), there.str()); });
    }
  } else if (target == Place::device) {
    refuse_to_record("a copy from the host");
    count_copy(CopyWay::to_device, bytes);
    if (source == Place::pageable && bytes > small_copy)
      return staging().to_device(address(to), from, bytes, order);
    check(driver().cuMemcpyAsync(address(to), address(from), bytes, order), asked);
    if (source == Place::pinned && !host_is_pinned)
      check(driver().cuStreamSynchronize(order), asked);
  } else if (source == Place::device) {
    refuse_to_record("a copy to the host");
    count_copy(CopyWay::from_device, bytes);
    if (target == Place::pageable && bytes <= CudaStream::small_bytes &&
        static_cast<CudaStream&>(stream).copy_small(to, address(from), bytes)) {
      show_prints(order);
      return;
    }
    // The driver's call would wait deaf to Ctrl-C for the kernels before it.
    if (target == Place::pageable || !host_is_pinned) {
      wait_until_done([&] { return driver().cuStreamQuery(order); }, asked);
      show_prints(order);
    }
    if (target == Place::pageable && bytes > small_copy)
      return staging().from_device(to, address(from), bytes, order);
    check(driver().cuMemcpyAsync(address(to), address(from), bytes, order), asked);
    if (target == Place::pageable || !host_is_pinned)
      check(driver().cuStreamSynchronize(order), asked);
  } else {
    check(driver().cuStreamSynchronize(order), asked);
    std::memmove(to, from, bytes);
  }
}

void CudaDevice::read(void* to, const void* from, size_t bytes, Stream& stream) {
  if (bytes == 0 || bytes > CudaStream::small_bytes) return copy(to, from, bytes, stream, false);
  const Recorded recorded(EventKind::copy, "copy", bytes);
  const ContextScope scope(*this);
  const CUstream order = stream_of(*this, stream);
  refuse_to_record("a copy to the host");
  if (!static_cast<CudaStream&>(stream).copy_small(to, address(from), bytes)) return copy(to, from, bytes, stream, false);
  count_copy(CopyWay::from_device, bytes);
  show_prints(order);
}

bool CudaDevice::read_computed(void* to, size_t bytes, Stream& stream, const std::function<void(void*)>& compute) {
  refuse_to_record("a copy to the host");
  const ContextScope scope(*this);
  if (!static_cast<CudaStream&>(stream).await_element(to, bytes, compute)) return false;
  count_copy(CopyWay::from_device, bytes);
  show_prints(stream_of(*this, stream));
  return true;
}

std::vector<Lane*> Staging::borrow(size_t wanted) {
  std::unique_lock lock(mutex_);
  returned_.wait(lock, [&] { return !idle_.empty() || n_lanes_ < max_lanes; });
  std::vector<Lane*> lanes;
  while (lanes.size() < wanted && !idle_.empty()) {
    lanes.push_back(idle_.back());
    idle_.pop_back();
  }
  while (lanes.size() < wanted && n_lanes_ < max_lanes) {
    auto lane = std::make_unique<Lane>();
    const Driver& driver = device_.driver();
    for (int i = 0; i < 2; ++i) {
      CUresult result = driver.cuMemHostAlloc(&lane->piece[i], piece_capacity, 1);
      if (!result) result = driver.cuEventCreate(&lane->done[i], 2);
      if (result && !lanes.empty()) return lanes;  // slower, but it works
      check(result, [] { return "allocate pinned host memory for copies"; });
    }
    lanes.push_back(lane.release());
    ++n_lanes_;
  }
  return lanes;
}

void Staging::give_back(const std::vector<Lane*>& lanes) {
  {
    std::lock_guard lock(mutex_);
    idle_.insert(idle_.end(), lanes.begin(), lanes.end());
  }
  returned_.notify_all();
}

/// `work(lane, next)` in one worker per lane; `next` deals out the pieces.
template <class Work>
void Staging::run(size_t pieces, const Work& work) {
  const size_t workers = cpu::worker_count();
  const std::vector<Lane*> lanes = borrow(std::min({pieces, workers, max_lanes}));
  std::atomic<size_t> next{0};
  std::exception_ptr failed;
  try {
    // A worker that comes late finds nothing left; the first one could do it alone.
    cpu::parallel_blocks(lanes.size(), 1, [&](uint64_t begin, uint64_t end) {
      ContextScope scope(device_);
      for (uint64_t i = begin; i < end; ++i) work(*lanes[i], next);
    });
  } catch (...) {
    failed = std::current_exception();
  }
  give_back(lanes);
  if (failed) std::rethrow_exception(failed);
}

void Staging::to_device(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  const Driver& driver = device_.driver();
  const size_t piece_bytes = Staging::piece_bytes(bytes);
  const size_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  const auto asked = [&] {
    return fmt::format("copy {} bytes from the host to {}", bytes, device_.str());
  };
  run(pieces, [&](Lane& lane, std::atomic<size_t>& next) {
    for (int i = 0;; i ^= 1) {
      const size_t piece = next.fetch_add(1);
      if (piece >= pieces) return;
      const size_t begin = piece * piece_bytes, size = std::min(piece_bytes, bytes - begin);
      check(driver.cuEventSynchronize(lane.done[i]), asked);  // its last transfer
      std::memcpy(lane.piece[i], static_cast<const char*>(from) + begin, size);
      check(driver.cuMemcpyAsync(to + begin, address(lane.piece[i]), size, stream), asked);
      check(driver.cuEventRecord(lane.done[i], stream), asked);
    }
  });
}

void Staging::from_device(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  const Driver& driver = device_.driver();
  const size_t piece_bytes = Staging::piece_bytes(bytes);
  const size_t pieces = (bytes + piece_bytes - 1) / piece_bytes;
  const auto asked = [&] {
    return fmt::format("copy {} bytes from {} to the host", bytes, device_.str());
  };
  run(pieces, [&](Lane& lane, std::atomic<size_t>& next) {
    struct {
      size_t begin = 0, size = 0;  // size 0: nothing under way
    } pending[2];
    for (int i = 0;; i ^= 1) {
      if (pending[i].size) {
        check(driver.cuEventSynchronize(lane.done[i]), asked);
        std::memcpy(static_cast<char*>(to) + pending[i].begin, lane.piece[i], pending[i].size);
        pending[i].size = 0;
      }
      const size_t piece = next.fetch_add(1);
      if (piece < pieces) {
        const size_t begin = piece * piece_bytes, size = std::min(piece_bytes, bytes - begin);
        // The piece may still be read by an earlier transfer on another stream.
        check(driver.cuEventSynchronize(lane.done[i]), asked);
        check(driver.cuMemcpyAsync(address(lane.piece[i]), from + begin, size, stream), asked);
        check(driver.cuEventRecord(lane.done[i], stream), asked);
        pending[i] = {begin, size};
      } else if (!pending[i ^ 1].size) {
        return;
      }
    }
  });
}

}  // namespace kasoku::cuda
