#include "kasoku/device/cuda/stream.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstring>

namespace kasoku::cuda {
namespace {

/// The streams that the calling thread has borrowed, by device.
struct ThreadStreams {
  std::vector<CudaStream*> streams;
  ~ThreadStreams() {
    for (CudaStream* stream : streams)
      if (stream) static_cast<CudaDevice&>(stream->device()).take_back(*stream);
  }
};
thread_local ThreadStreams thread_streams;

CudaEvent& cuda_event(Event& event) {
  if (auto* found = dynamic_cast<CudaEvent*>(&event)) return *found;
  throw Error(ErrorKind::value, "the event belongs to a device that is not CUDA");
}

}  // namespace

CUstream stream_of(CudaDevice& device, Stream& stream) {
  if (&stream.device() != &device) [[unlikely]]
    throw Error(ErrorKind::value, fmt::format("a stream of {} was given where one of {} is needed",
                                              stream.device().str(), device.str()));
  return static_cast<CudaStream&>(stream).stream;
}

Stream& CudaDevice::current_stream() {
  if (Stream* scoped = scoped_stream(*this)) return *scoped;
  auto& streams = thread_streams.streams;
  const size_t i = static_cast<size_t>(index);
  if (i >= streams.size()) streams.resize(i + 1, nullptr);
  if (!streams[i]) streams[i] = &lend_stream();
  return *streams[i];
}

CudaStream& CudaDevice::lend_stream() {
  {
    std::lock_guard lock(streams_mutex_);
    if (!idle_streams_.empty()) {
      CudaStream* stream = idle_streams_.back();
      idle_streams_.pop_back();
      return *stream;
    }
  }
  ContextScope scope(*this);
  CUstream stream = nullptr;
  // Flag 0: waits for the legacy default stream and is waited for by it.
  check(driver().cuStreamCreate(&stream, 0), [&] { return "make a stream on " + str(); });
  auto* const made = new CudaStream(*this, stream);
  std::lock_guard lock(streams_mutex_);
  all_streams_.push_back(made);
  return *made;
}

void CudaDevice::take_back(CudaStream& stream) noexcept {
  std::lock_guard lock(streams_mutex_);
  idle_streams_.push_back(&stream);
}

std::shared_ptr<Stream> CudaDevice::make_stream() {
  return std::shared_ptr<Stream>(
      &lend_stream(), [this](Stream* stream) { take_back(static_cast<CudaStream&>(*stream)); });
}

Stream& CudaDevice::foreign_stream(uintptr_t handle) {
  // For good: a buffer may remember it as its last one.
  std::lock_guard lock(streams_mutex_);
  CudaStream*& stream = foreign_streams_[handle];
  if (!stream) stream = new CudaStream(*this, reinterpret_cast<CUstream>(handle), CudaStream::Kind::foreign);
  return *stream;
}

std::shared_ptr<Event> CudaDevice::make_event() { return std::make_shared<CudaEvent>(*this); }

void CudaDevice::order(Stream& first, Stream& then) {
  CUstream earlier = nullptr;
  auto& owner = static_cast<CudaDevice&>(first.device());
  if (first.device().kind != DeviceKind::cuda || then.device().kind != DeviceKind::cuda) return;
  const auto& before = static_cast<CudaStream&>(first);
  const auto& after = static_cast<CudaStream&>(then);
  // Streams of ours and the legacy default stream wait for each other anyway.
  const auto is_legacy = [](const CudaStream& stream) { return stream.handle() == 1; };
  const bool wait_anyway = before.stream == after.stream || (is_legacy(before) && !after.is_foreign) || (is_legacy(after) && !before.is_foreign);
  if (&owner == &then.device() && wait_anyway) return;
  earlier = before.stream;
  CUevent event = nullptr;
  const auto asked = [&] { return "order a stream behind another on " + str(); };
  {
    ContextScope scope(owner);
    check(driver().cuEventCreate(&event, 2), asked);  // 2: no timing
    const CUresult recorded = driver().cuEventRecord(event, earlier);
    if (recorded) driver().cuEventDestroy(event);
    if (recorded == invalid_handle && before.is_foreign) return;  // it was destroyed: nobody waits for it any more
    check(recorded, asked);
  }
  CUresult waited;
  {
    ContextScope scope(static_cast<CudaDevice&>(then.device()));
    waited = driver().cuStreamWaitEvent(after.stream, event, 0);
  }
  driver().cuEventDestroy(event);  // the driver keeps it until it is done
  if (waited == invalid_handle && after.is_foreign) return;
  check(waited, asked);
}

void CudaDevice::show_prints(CUstream stream) {
  if (!has_prints.load(std::memory_order_relaxed)) return;
  check(driver().cuStreamSynchronize(stream), [&] { return "wait for a stream of " + str(); });
  std::fflush(stdout);
}

void CudaStream::synchronize() {
  ContextScope scope(device_);
  const Driver& driver = device_.driver();
  wait_until_done([&] { return driver.cuStreamQuery(stream); },
                  [&] { return "wait for a stream of " + device_.str(); });
  device_.show_prints(stream);
}

bool CudaStream::copy_small(void* to, CUdeviceptr from, size_t bytes) {
  const std::unique_lock lock(small_mutex_, std::try_to_lock);
  if (!lock) return false;
  const Driver& driver = device_.driver();
  const auto asked = [&] { return fmt::format("copy {} bytes from {} to the host", bytes, device_.str()); };
  if (!small_) check(driver.cuMemHostAlloc(&small_, small_bytes, 1), asked);
  check(driver.cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(small_), from, bytes, stream), asked);
  wait_until_done([&] { return driver.cuStreamQuery(stream); }, asked);
  std::memcpy(to, small_, bytes);
  return true;
}

bool CudaStream::await_element(void* to, size_t bytes, const std::function<void(void*)>& compute) {
  if (is_captured || is_awaited_.exchange(true, std::memory_order_acquire)) return false;
  const Driver& driver = device_.driver();
  const auto asked = [&] { return "wait for an element of " + device_.str(); };
  // Whatever ends this early may leave a kernel that still stores there: the memory is given up with it.
  void* memory = std::exchange(awaited_, nullptr);
  const struct Open {
    ~Open() { stream.is_awaited_.store(false, std::memory_order_release); }
    CudaStream& stream;
  } open{*this};
  if (!memory) check(driver.cuMemHostAlloc(&memory, most_of_element, 1), asked);
  compute(memory);
  wait_until_done([&] { return driver.cuStreamQuery(stream); }, asked);
  std::memcpy(to, memory, bytes);
  awaited_ = memory;
  return true;
}

void* CudaStream::take_block(size_t bytes) {
  if (is_foreign || is_captured) return nullptr;
  const std::lock_guard lock(blocks_mutex_);
  std::vector<void*>& blocks = blocks_of(bytes);
  if (blocks.empty()) return nullptr;
  void* const block = blocks.back();
  blocks.pop_back();
  return block;
}

bool CudaStream::keep_block(void* memory, size_t bytes) {
  if (is_foreign || is_captured) return false;  // its handle may come to stand for another stream; its blocks are the graph's
  const std::lock_guard lock(blocks_mutex_);
  std::vector<void*>& blocks = blocks_of(bytes);
  if (blocks.size() == most_of_size) return false;
  blocks.push_back(memory);
  return true;
}

std::vector<std::pair<void*, size_t>> CudaStream::take_all_blocks() {
  const std::lock_guard lock(blocks_mutex_);
  std::vector<std::pair<void*, size_t>> all;
  for (size_t i = 0; i < n_sizes; ++i) {
    for (void* const block : blocks_[i]) all.emplace_back(block, size_t{512} << i);
    blocks_[i].clear();
  }
  return all;
}

bool CudaStream::is_done() {
  ContextScope scope(device_);
  const CUresult result = device_.driver().cuStreamQuery(stream);
  if (result == not_ready) return false;
  check(result, [&] { return "look at a stream of " + device_.str(); });
  return true;
}

bool CudaStream::is_graphed() const {
  const ContextScope scope(device_);
  int status = 0;
  const auto ask = device_.driver().cuStreamIsCapturing;
  return is_captured || (ask && (ask(stream, &status) != 0 || status != 0));
}

void CudaStream::wait(Event& event) {
  ContextScope scope(device_);
  check(device_.driver().cuStreamWaitEvent(stream, cuda_event(event).event, 0),
        [&] { return "make a stream of " + device_.str() + " wait for an event"; });
}

CudaEvent::CudaEvent(CudaDevice& device) : device_(device) {
  ContextScope scope(device);
  check(device.driver().cuEventCreate(&event, 0),
        [&] { return "make an event on " + device.str(); });
}

CudaEvent::~CudaEvent() {
  try {
    ContextScope scope(device_);
    device_.driver().cuEventDestroy(event);
  } catch (const Error&) {
    // After a fork or a fault there is nothing left to destroy.
  }
}

void CudaEvent::record(Stream& stream) {
  ContextScope scope(device_);
  check(device_.driver().cuEventRecord(event, stream_of(device_, stream)),
        [&] { return "record an event on " + device_.str(); });
}

void CudaEvent::synchronize() {
  ContextScope scope(device_);
  const Driver& driver = device_.driver();
  wait_until_done([&] { return driver.cuEventQuery(event); },
                  [&] { return "wait for an event of " + device_.str(); });
  if (device_.has_prints)
    check(driver.cuEventSynchronize(event), [] { return "wait for an event"; });
  if (device_.has_prints) std::fflush(stdout);
}

bool CudaEvent::is_done() {
  ContextScope scope(device_);
  const CUresult result = device_.driver().cuEventQuery(event);
  if (result == not_ready) return false;
  check(result, [&] { return "look at an event of " + device_.str(); });
  return true;
}

double CudaEvent::milliseconds_since(Event& earlier) {
  ContextScope scope(device_);
  float milliseconds = 0;
  const CUresult result =
      device_.driver().cuEventElapsedTime(&milliseconds, cuda_event(earlier).event, event);
  if (result == not_ready)
    throw Error(ErrorKind::value, "the time between two events was asked for before both were done")
        .fix("event.synchronize()");
  if (result == 400)
    throw Error(ErrorKind::value,
                "the time between two events was asked for, but one was never recorded")
        .fix("event.record()");
  check(result, [&] { return "take the time between two events of " + device_.str(); });
  return milliseconds;
}

}  // namespace kasoku::cuda
