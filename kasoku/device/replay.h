/// \file kasoku/device/replay.h
/// Launches that are recorded once and repeated: on a GPU a graph of CUDA's, elsewhere a list.
///
/// A thread that records works as it always does, and what it has the device do is taken down. What reads or writes
/// memory in another way cannot be repeated and is refused.
#pragma once

#include "kasoku/device/device.h"
#include "kasoku/device/module.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string_view>

namespace kasoku {

class Buffer;
class Device;
class Stream;

/// Recorded work. Any thread may repeat it, but only one at a time.
class Replay {
 public:
  virtual ~Replay() = default;
  virtual Device& device() = 0;
  /// Launches, fills, copies and calls of libraries in it.
  virtual size_t size() const = 0;
  /// Repeats them in the stream, in their order, with the arguments that they had.
  virtual void run(Stream& stream) = 0;
};

/// Takes down what a thread does, or would do: where `holds_back`, nothing is done before a replay.
class Recorder {
 public:
  bool holds_back = false;

  virtual ~Recorder() = default;
  virtual Device& device() = 0;
  virtual void launch(Function& function, const LaunchShape& shape, void* const* args) = 0;
  virtual void fill(void* to, uint64_t value, size_t size, size_t count) = 0;
  virtual void copy(void* to, const void* from, size_t bytes) = 0;
  /// Records work that a library does in a stream with this memory of the device.
  virtual void call(std::function<void(Stream&)> work, std::initializer_list<const void*> memory) = 0;
  virtual void use(Buffer& buffer) = 0;
  /// All of it; after this nothing is taken down.
  virtual std::shared_ptr<Replay> finish() = 0;

  /// The recorder of the calling thread; null if it does not record.
  static Recorder* current();
  /// The recorder for work on `device`; null if the thread does not record. Throws if it records the work of another
  /// device.
  static Recorder* of(Device& device);
};

/// The calling thread records by it while this lives; null: it does not record.
class RecorderScope {
 public:
  explicit RecorderScope(Recorder* recorder);
  ~RecorderScope();
  RecorderScope(const RecorderScope&) = delete;
  RecorderScope& operator=(const RecorderScope&) = delete;

 private:
  Recorder* const previous_;
};

/// The calling thread is about to have the device do something: where it records, `take_down` is called with its recorder.
/// False: it is held back.
template <class TakeDown>
bool note(Device& device, const TakeDown& take_down) {
  Recorder* const recorder = Recorder::of(device);
  if (!recorder) [[likely]]
    return true;
  take_down(*recorder);
  return !recorder->holds_back;
}

/// A library's work with memory of the device, in the thread's current stream; where the thread records, one step that is
/// repeated as it is, whatever it launches.
template <class Work>
void call_library(Device& device, std::initializer_list<const void*> memory, const Work& work) {
  if (!note(device, [&](Recorder& recorder) { recorder.call(work, memory); })) return;
  const RecorderScope no_step_of_its_own(nullptr);
  work(device.current_stream());
}

/// Throws where the calling thread records: `what` cannot be repeated.
void refuse_to_record(std::string_view what);

/// On a device whose memory is the host's: the calling thread copies. Throws where it records and values come from or
/// go to what is no array. False: it is held back.
bool note_copy(Device& device, void* to, const void* from, size_t bytes);

/// For devices whose work is done when a call returns.
std::unique_ptr<Recorder> make_list_recorder(Device& device);

}  // namespace kasoku
