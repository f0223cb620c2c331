#include "kasoku/device/replay.h"

#include "kasoku/base/error.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/device.h"

#include <string>
#include <utility>

namespace kasoku {

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

bool note_copy(Device& device, void* to, const void* from, size_t bytes) {
  return note(device, [&](Recorder& recorder) {
    const CopyReason reason = copy_reason();
    if (reason != CopyReason::requested && reason != CopyReason::element && reason != CopyReason::move)
      refuse_to_record("copying values between arrays and the host");
    recorder.copy(to, from, bytes);
  });
}

}  // namespace kasoku
