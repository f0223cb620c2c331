#include "kasoku/array/record.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/recorder.h"

namespace kasoku {

thread_local Recording* Recording::current_ = nullptr;

Recording::Recording(Device& device, bool holds_back) : device_(device) {
  if (current_ || Recorder::current())
    throw Error(ErrorKind::value, "this thread records already").fix("one recording after the other");
  run_pending(&device);
  recorder_ = make_recorder(device);
  recorder_->holds_back = holds_back;
  // A stream of its own: each buffer that is used in it changes to it, and is seen.
  if (!device.is_host()) {
    before_ = &device.current_stream();
    stream_scope_.emplace(*(stream_ = device.make_stream()));
  }
  recorder_scope_.emplace(recorder_.get());
  current_ = this;
}

Recording::~Recording() {
  if (current_ == this) current_ = nullptr;
}

std::shared_ptr<Replay> Recording::finish() {
  if (current_ != this) throw Error(ErrorKind::value, "a recording ends in the thread that began it");
  run_pending(&device_);
  recorder_scope_.reset();
  current_ = nullptr;
  std::shared_ptr<Replay> replay = recorder_->finish();  // in the stream of what was recorded
  stream_scope_.reset();
  return replay;
}

void Recording::note(const Node& node) {
  if (current_) current_->made_.insert(&node);
}

bool Recording::is_from_before(const Node& node) {
  return current_ && Recorder::current() && !current_->made_.contains(&node);
}

Recording::Aside::Aside(const Node& node) {
  if (!is_from_before(node)) return;
  recorder_scope_.emplace(nullptr);
  if (current_->before_) stream_scope_.emplace(*current_->before_);
}

}  // namespace kasoku
