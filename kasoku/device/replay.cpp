#include "kasoku/device/replay.h"

#include "kasoku/base/error.h"
#include "kasoku/device/buffer.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/list_recorder.h"
#include "kasoku/device/stream.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kasoku {

// ── memory

struct KeptMemory::Own {
  struct Piece {
    Device* device;
    void* memory;
    size_t bytes;
    std::shared_ptr<void> owner;  ///< null: the device's own memory
  };

  Device& device;
  std::set<uintptr_t> addresses = {};
  std::set<Buffer*> buffers = {};
  std::vector<Piece> pieces = {};
  Stream* last_stream = nullptr;

  bool has_address_in(const void* memory, size_t bytes) const {
    const auto first = reinterpret_cast<uintptr_t>(memory);
    const auto found = addresses.lower_bound(first);
    return found != addresses.end() && *found < first + std::max<size_t>(bytes, 1);
  }
};

/// Those of all recordings that live.
struct KeptMemory::All {
  std::mutex mutex;
  std::vector<Own*> kept;
  std::atomic<size_t> count{0};

  static All& get() {
    static auto* const all = new All;  // buffers may go after our statics
    return *all;
  }
};

KeptMemory::KeptMemory(Device& device) : own_(new Own{device}) {
  All& all = All::get();
  const std::lock_guard lock(all.mutex);
  all.kept.push_back(own_.get());
  all.count = all.kept.size();
}

KeptMemory::~KeptMemory() {
  std::vector<Own::Piece> free;
  {
    All& all = All::get();
    const std::lock_guard lock(all.mutex);
    std::erase(all.kept, own_.get());
    all.count = all.kept.size();
    for (Own::Piece& piece : own_->pieces) {
      const auto other = std::ranges::find_if(all.kept, [&](const Own* each) { return each->has_address_in(piece.memory, piece.bytes); });
      (other == all.kept.end() ? free : (*other)->pieces).push_back(std::move(piece));
    }
  }
  for (const Own::Piece& piece : free)
    if (!piece.owner)
      piece.device->deallocate(piece.memory, piece.bytes, own_->last_stream ? *own_->last_stream : piece.device->current_stream());
}

void KeptMemory::add(const void* address) {
  const std::lock_guard lock(All::get().mutex);
  own_->addresses.insert(reinterpret_cast<uintptr_t>(address));
}

void KeptMemory::add(const KernelInfo& kernel, void* const* args) {
  const std::lock_guard lock(All::get().mutex);
  for (size_t i = 0; i < kernel.params.size(); ++i)
    for (size_t at = 0; at + sizeof(uintptr_t) <= kernel.params[i].size; at += sizeof(uintptr_t)) {
      uintptr_t word;  // structs hold addresses too
      std::memcpy(&word, static_cast<const char*>(args[i]) + at, sizeof word);
      own_->addresses.insert(word);
    }
}

void KeptMemory::add(Buffer& buffer) {
  const std::lock_guard lock(All::get().mutex);
  own_->buffers.insert(&buffer);
}

void KeptMemory::use_on(Stream& stream) {
  Stream* const last = std::exchange(own_->last_stream, &stream);
  if (last && last != &stream) own_->device.order(*last, stream);
  const std::lock_guard lock(All::get().mutex);  // a buffer that goes waits
  for (Buffer* buffer : own_->buffers) buffer->use_on(stream);
}

bool KeptMemory::take(Device& device, void* memory, size_t bytes, std::shared_ptr<void> owner) {
  All& all = All::get();
  const std::lock_guard lock(all.mutex);
  const auto found = std::ranges::find_if(all.kept, [&](const Own* each) { return each->has_address_in(memory, bytes); });
  if (found == all.kept.end()) return false;
  (*found)->pieces.push_back({&device, memory, bytes, std::move(owner)});
  return true;
}

void KeptMemory::forget(Buffer& buffer) {
  All& all = All::get();
  const std::lock_guard lock(all.mutex);
  for (Own* each : all.kept) each->buffers.erase(&buffer);
}

bool KeptMemory::keeps(const Buffer& buffer) {
  if (!is_any_alive()) return false;
  All& all = All::get();
  const std::lock_guard lock(all.mutex);
  return std::ranges::any_of(all.kept, [&](const Own* each) { return each->has_address_in(buffer.memory(), buffer.bytes()); });
}

bool KeptMemory::is_any_alive() { return All::get().count.load(std::memory_order_relaxed); }

// ── who records

namespace {

thread_local Recorder* recorder_now __attribute__((tls_model("initial-exec"))) = nullptr;  // each launch asks

}  // namespace

Recorder* Recorder::current() { return recorder_now; }

Recorder* Recorder::of(Device& device) {
  if (recorder_now && &recorder_now->device() != &device) refuse_to_record("work on " + device.str());
  return recorder_now;
}

RecorderScope::RecorderScope(Recorder* recorder) : previous_(std::exchange(recorder_now, recorder)) {}
RecorderScope::~RecorderScope() { recorder_now = previous_; }

void refuse_to_record(std::string_view what) {
  if (!recorder_now) return;
  throw Error(ErrorKind::value, std::string(what) + " cannot be recorded")
      .why("a replay repeats launches, fills and copies within " + recorder_now->device().str())
      .fix("do it before the recording or after it");
}

void note_copy(Device& device, void* to, const void* from, size_t bytes) {
  Recorder* const recorder = Recorder::of(device);
  if (!recorder) return;
  const CopyReason reason = copy_reason();
  if (reason != CopyReason::requested && reason != CopyReason::element && reason != CopyReason::move)
    refuse_to_record("copying values between arrays and the host");
  recorder->copy(to, from, bytes);
}

// ── a list

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
      else if (work.shape.blocks() == 1 && work.shape.threads() == 1)
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

std::shared_ptr<Replay> ListRecorder::finish() { return std::make_shared<ListReplay>(device_, std::move(works_), std::move(memory_)); }

std::unique_ptr<Recorder> make_list_recorder(Device& device) { return std::make_unique<ListRecorder>(device); }

}  // namespace kasoku
