/// \file kasoku/array/record.h
/// Launches of a thread, also those of array expressions, recorded to be repeated.
#pragma once

#include "kasoku/array/graph.h"
#include "kasoku/device/replay.h"
#include "kasoku/device/stream.h"

#include <memory>
#include <optional>
#include <unordered_set>

namespace kasoku {

/// Records the work that the calling thread gives to the device, from its construction to finish(). Arrays keep their
/// memory: what is assigned to them is written there. What was pending before is computed first and is not recorded.
/// `holds_back`: the work is recorded without being done; a replay does it.
class Recording {
 public:
  explicit Recording(Device& device, bool holds_back = false);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  /// Computes what is pending and ends the recording. In the thread that began it.
  std::shared_ptr<Replay> finish();

  /// A node was made. Only those that a recording made are computed in it.
  static void note(const Node& node);
  /// Whether this thread records, and the node was made before.
  static bool is_from_before(const Node& node);
  /// While alive the node is computed: aside from a recording of this thread in which it was not made, and in the stream of before,
  /// so that its memory changes streams when the recording uses it.
  class Aside {
   public:
    explicit Aside(const Node& node);

   private:
    std::optional<RecorderScope> recorder_scope_;
    std::optional<StreamScope> stream_scope_;
  };

 private:
  static thread_local Recording* current_;

  Device& device_;
  std::unique_ptr<Recorder> recorder_;
  Stream* before_ = nullptr;  ///< the thread's stream, where there are streams
  std::shared_ptr<Stream> stream_;
  std::optional<StreamScope> stream_scope_;
  std::optional<RecorderScope> recorder_scope_;
  std::unordered_set<const Node*> made_;
};

}  // namespace kasoku
