/// \file kasoku/device/list_recorder.h
/// A recording as a list of what was done.
#pragma once

#include "kasoku/device/kept_memory.h"
#include "kasoku/device/replay.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace kasoku {

/// A launch with the values of its arguments, or other work.
struct RecordedWork {
  Function* function = nullptr;  ///< null: `other`
  LaunchShape shape = {};
  std::vector<std::max_align_t> values = {};
  std::vector<void*> args = {};
  std::function<void(Stream&)> other = {};
};

class ListRecorder : public Recorder {
 public:
  explicit ListRecorder(Device& device) : device_(device), memory_(new KeptMemory(device)) {}

  Device& device() override { return device_; }
  void launch(Function& function, const LaunchShape& shape, void* const* args) override;
  void fill(void* to, uint64_t value, size_t size, size_t count) override;
  void copy(void* to, const void* from, size_t bytes) override;
  void call(std::function<void(Stream&)> work, std::initializer_list<const void*> memory) override;
  void use(Buffer&) override {}
  std::shared_ptr<Replay> finish() override;

 protected:
  Device& device_;
  std::vector<RecordedWork> works_;
  std::unique_ptr<KeptMemory> memory_;
};

}  // namespace kasoku
