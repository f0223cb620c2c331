#include "kasoku/device/cuda/device.h"

#include "kasoku/device/cuda/copy.h"
#include "kasoku/device/cuda/cuda.h"
#include "kasoku/device/cuda/replay.h"
#include "kasoku/device/cuda/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <limits>

namespace kasoku {
namespace cuda {

CudaDevice::CudaDevice(const Driver& driver, int index) : Device(DeviceKind::cuda, index) {
  const auto asked = [&] { return fmt::format("ask for the properties of cuda:{}", index); };
  check(driver.cuDeviceGet(&device_, index), asked);
  char name[256] = {};
  check(driver.cuDeviceGetName(name, sizeof name - 1, device_), asked);
  size_t total = 0;
  check(driver.cuDeviceTotalMem(&total, device_), asked);
  const auto value = [&](int number) { return static_cast<uint32_t>(attribute(number)); };
  DeviceProperties& p = properties_;
  p.name = name;
  p.total_memory = total;
  p.multiprocessors = value(16);
  p.max_threads_per_block = value(1);
  for (int i = 0; i < 3; ++i) {
    p.max_block[i] = value(2 + i);
    p.max_grid[i] = value(5 + i);
  }
  p.max_shared_bytes_per_block = value(8);
  p.max_shared_bytes_opt_in = std::max(value(97), value(8));
  p.warp_size = value(10);
  p.compute_capability[0] = value(75);
  p.compute_capability[1] = value(76);
  p.architecture = fmt::format("sm_{}{}", p.compute_capability[0], p.compute_capability[1]);
}

int CudaDevice::attribute(int attribute) const {
  int value = 0;
  check(driver().cuDeviceGetAttribute(&value, attribute, device_),
        [&] { return fmt::format("ask for attribute {} of cuda:{}", attribute, index); });
  return value;
}

CUcontext CudaDevice::context() {
  std::call_once(context_once_, [&] {
    const Driver& driver = this->driver();
    check(driver.cuDevicePrimaryCtxRetain(&context_, device_), [&] { return "open " + str(); });
    if (attribute(115) != 1 || !driver.cuMemPoolCreate || !driver.cuMemAllocFromPoolAsync) return;
    // A pool of our own: the device's default one belongs to everybody.
    MemoryPoolProperties wanted;
    wanted.location_id = device_;
    if (driver.cuMemPoolCreate(&pool_, &wanted)) {
      pool_ = nullptr;
      return;
    }
    // Freed memory stays with us; deallocate and allocate then cost no system call.
    uint64_t threshold = std::numeric_limits<uint64_t>::max();
    driver.cuMemPoolSetAttribute(pool_, 4, &threshold);
    // What one stream freed is not handed to another by making that one wait: threads would run in turns.
    int off = 0;
    driver.cuMemPoolSetAttribute(pool_, 3, &off);
  });
  return context_;
}

bool CudaDevice::can_reach(Device& other) {
  if (other.kind != DeviceKind::cuda || &other == this) return false;
  context();  // and the driver
  int can = 0;
  check(driver().cuDeviceCanAccessPeer(&can, device_, static_cast<CudaDevice&>(other).device_),
        [&] { return fmt::format("ask whether {} reaches the memory of {}", str(), other.str()); });
  return can;
}

void CudaDevice::reach(CudaDevice& other) {
  const CUcontext theirs = other.context();  // and its pool
  const std::lock_guard lock(reached_mutex_);
  if (std::ranges::find(reached_, &other) != reached_.end()) return;
  const auto asked = [&] { return fmt::format("let {} reach the memory of {}", str(), other.str()); };
  if (can_reach(other)) {
    ContextScope scope(*this);
    const CUresult result = driver().cuCtxEnablePeerAccess(theirs, 0);
    if (result != peer_access_already_enabled) check(result, asked);
    // Memory of a pool is reached by leave of the pool.
    const MemoryAccess access{.location_id = device_};
    if (other.pool_ && driver().cuMemPoolSetAccess) check(driver().cuMemPoolSetAccess(other.pool_, &access, 1), asked);
  }
  reached_.push_back(&other);
}

void CudaDevice::synchronize() {
  ContextScope scope(*this);
  const Driver& driver = this->driver();
  const auto asked = [&] { return "wait for " + str(); };
  // The calling thread's stream has most of the work, and looking at it costs least. The context then has only what others
  // put into streams of their own.
  Stream& own = current_stream();
  wait_until_done([&] { return driver.cuStreamQuery(stream_of(*this, own)); }, asked);
  std::vector<CudaStream*> streams;
  {
    const std::lock_guard lock(streams_mutex_);
    if (all_streams_.size() > 1) streams = all_streams_;
  }
  constexpr size_t few = 16;  // a look at each costs less than a mark, which all streams wait for
  if (streams.size() > few) {
    CudaEvent mark(*this);  // in the legacy default stream it is behind everything in our streams
    check(driver.cuEventRecord(mark.event, nullptr), asked);
    wait_until_done([&] { return driver.cuEventQuery(mark.event); }, asked);
  } else {
    for (CudaStream* stream : streams)
      if (stream != &own) wait_until_done([&] { return driver.cuStreamQuery(stream->stream); }, asked);
  }
  {
    const std::lock_guard lock(capture_mutex());
    check(driver.cuCtxSynchronize(), asked);
  }
  if (has_prints) std::fflush(stdout);
}

}  // namespace cuda

namespace {

struct CudaDevices {
  std::vector<Device*> devices;
  std::string missing;

  CudaDevices() {
    const cuda::Driver* driver = cuda::try_driver();
    if (!driver) {
      missing = cuda::driver_missing();
      return;
    }
    int count = 0;
    driver->cuDeviceGetCount(&count);
    // Never destroyed: the driver may go before us when the process ends.
    for (int i = 0; i < count; ++i) devices.push_back(new cuda::CudaDevice(*driver, i));
    if (devices.empty())
      missing = "the NVIDIA driver sees no GPU (CUDA_VISIBLE_DEVICES may hide it)";
  }
};

const CudaDevices& all() {
  static const CudaDevices& all = *new CudaDevices;
  return all;
}

}  // namespace

std::span<Device* const> cuda_devices() { return all().devices; }

std::string cuda_missing() { return all().missing; }

std::string cuda_driver_version() {
  const cuda::Driver* driver = cuda::try_driver();
  if (!driver) return "";
  return fmt::format("{}.{}", driver->version / 1000, driver->version % 1000 / 10);
}

}  // namespace kasoku
