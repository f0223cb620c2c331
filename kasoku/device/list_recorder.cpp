#include "kasoku/device/list_recorder.h"

#include "kasoku/device/device.h"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

namespace kasoku {

namespace {

class ListReplay final : public Replay {
 public:
  ListReplay(Device& device, std::vector<RecordedWork> works, std::unique_ptr<KeptMemory> memory)
      : device_(device), works_(std::move(works)), memory_(std::move(memory)) {}

  Device& device() override { return device_; }
  size_t size() const override { return works_.size(); }
  void run(Stream& stream) override {
    refuse_to_record("a replay");
    const std::lock_guard lock(mutex_);
    memory_->use_on(stream);
    for (const RecordedWork& work : works_) {
      if (!work.function)
        work.other(stream);
      else if (work.shape.blocks() == 1 && work.shape.threads() == 1 && work.function->info().is_ours())
        work.function->launch_one(work.args.data(), stream);
      else
        work.function->launch(work.shape, work.args.data(), stream);
    }
  }

 private:
  Device& device_;
  const std::vector<RecordedWork> works_;
  const std::unique_ptr<KeptMemory> memory_;
  std::mutex mutex_;
};

}  // namespace

void ListRecorder::launch(Function& function, const LaunchShape& shape, void* const* args) {
  RecordedWork work{.function = &function, .shape = shape};
  const auto units = [](uint32_t bytes) { return (bytes + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t); };
  const std::vector<ParamInfo>& params = function.info().params;
  size_t n = 0;
  for (const ParamInfo& each : params) n += units(each.size);
  work.values.resize(n);
  std::max_align_t* at = work.values.data();
  for (size_t i = 0; i < params.size(); ++i) {
    std::memcpy(at, args[i], params[i].size);
    work.args.push_back(at);
    at += units(params[i].size);
  }
  memory_->add(function.info(), args);
  works_.push_back(std::move(work));
}

void ListRecorder::fill(void* to, uint64_t value, size_t size, size_t count) {
  memory_->add(to);
  works_.push_back({.other = [=, &device = device_](Stream& stream) { device.fill(to, value, size, count, stream); }});
}

void ListRecorder::copy(void* to, const void* from, size_t bytes) {
  memory_->add(to);
  memory_->add(from);
  works_.push_back({.other = [=, &device = device_](Stream& stream) { device.copy(to, from, bytes, stream); }});
}

void ListRecorder::call(std::function<void(Stream&)> work, std::initializer_list<const void*> memory) {
  for (const void* const address : memory) memory_->add(address);
  works_.push_back({.other = std::move(work)});
}

std::shared_ptr<Replay> ListRecorder::finish() {
  return std::make_shared<ListReplay>(device_, std::move(works_), std::move(memory_));
}

std::unique_ptr<Recorder> make_list_recorder(Device& device) { return std::make_unique<ListRecorder>(device); }

}  // namespace kasoku
