#include "kasoku/device/cuda/replay.h"

#include "kasoku/base/error.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/cuda/module.h"
#include "kasoku/device/cuda/stream.h"
#include "kasoku/device/list_recorder.h"

#include <exception>
#include <mutex>
#include <utility>

namespace kasoku::cuda {

namespace {

class CudaReplay final : public Replay {
 public:
  CudaReplay(CudaDevice& device, CUgraphExec graph, size_t size, std::unique_ptr<KeptMemory> memory)
      : device_(device), graph_(graph), size_(size), memory_(std::move(memory)) {}
  ~CudaReplay() override {
    try {
      const ContextScope scope(device_);
      if (graph_) device_.driver().cuGraphExecDestroy(graph_);
    } catch (const Error&) {
      // After a fork or a fault it went with the context.
    }
  }

  Device& device() override { return device_; }
  size_t size() const override { return size_; }
  void run(Stream& stream) override {
    refuse_to_record("a replay");
    const std::lock_guard lock(mutex_);
    if (!graph_) return;
    memory_->use_on(stream);
    const ContextScope scope(device_);
    check(device_.driver().cuGraphLaunch(graph_, stream_of(device_, stream)),
          [&] { return "repeat a recording on " + device_.str(); });
    counters().launches.add(size_);
  }

 private:
  CudaDevice& device_;
  const CUgraphExec graph_;
  const size_t size_;
  const std::unique_ptr<KeptMemory> memory_;
  std::mutex mutex_;
};

class CudaRecorder final : public ListRecorder {
 public:
  explicit CudaRecorder(CudaDevice& device) : ListRecorder(device), cuda_(device) {
    const Driver& driver = device.driver();
    if (!driver.cuStreamBeginCapture || !driver.cuStreamEndCapture || !driver.cuStreamDestroy ||
        !driver.cuGraphInstantiateWithFlags || !driver.cuGraphLaunch || !driver.cuGraphExecDestroy ||
        !driver.cuGraphDestroy)
      throw Error(ErrorKind::unsupported, "the NVIDIA driver has no graphs that record launches")
          .fix("a driver of CUDA 11.4 or later");
  }

  void fill(void* to, uint64_t value, size_t size, size_t count) override {
    if (size == 8 && static_cast<uint32_t>(value) != value >> 32)  // its first elements come from the host
      refuse_to_record("filling " + cuda_.str() + "'s memory with numbers of eight bytes");
    ListRecorder::fill(to, value, size, count);
  }
  void use(Buffer& buffer) override { memory_->add(buffer); }

  std::shared_ptr<Replay> finish() override {
    const size_t size = works_.size();
    memory_->use_on(cuda_.current_stream());  // whoever repeats it waits for what has been done meanwhile
    return std::make_shared<CudaReplay>(cuda_, size ? captured() : nullptr, size, std::move(memory_));
  }

 private:
  /// The list as a graph: all of it is enqueued at once in a stream that CUDA captures.
  CUgraphExec captured() {
    const Driver& driver = cuda_.driver();
    const ContextScope scope(cuda_);
    const auto asked = [&] { return "make a graph of what was recorded on " + cuda_.str(); };
    const std::lock_guard nobody_waits_for_all(capture_mutex());
    CUstream stream = nullptr;
    constexpr unsigned apart_from_default = 1;
    check(driver.cuStreamCreate(&stream, apart_from_default), asked);
    constexpr int relaxed = 2;  // what other threads do goes on
    CUresult result = driver.cuStreamBeginCapture(stream, relaxed);
    CUgraph graph = nullptr;
    if (!result) {
      std::exception_ptr error;
      try {
        CudaStream wrapped(cuda_, stream, CudaStream::Kind::captured);
        for (const RecordedWork& work : works_) {
          if (work.function)
            static_cast<CudaFunction&>(*work.function).enqueue(work.shape, work.args.data(), stream);
          else
            work.other(wrapped);
        }
      } catch (...) {
        error = std::current_exception();
      }
      result = driver.cuStreamEndCapture(stream, &graph);
      if (error && graph) driver.cuGraphDestroy(std::exchange(graph, nullptr));
      if (error) {
        driver.cuStreamDestroy(stream);
        std::rethrow_exception(error);
      }
    }
    driver.cuStreamDestroy(stream);
    check(result, asked);
    CUgraphExec made = nullptr;
    result = driver.cuGraphInstantiateWithFlags(&made, graph, 0);
    driver.cuGraphDestroy(graph);
    check(result, asked);
    return made;
  }

  CudaDevice& cuda_;
};

}  // namespace

std::unique_ptr<Recorder> make_recorder(Device& device) {
  return std::make_unique<CudaRecorder>(static_cast<CudaDevice&>(device));
}

}  // namespace kasoku::cuda
