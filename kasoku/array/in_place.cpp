#include "kasoku/array/in_place.h"

#include "kasoku/array/first_sight.h"
#include "kasoku/array/seen_through.h"
#include "kasoku/device/kept_memory.h"
#include "kasoku/device/replay.h"

#include <algorithm>
#include <vector>

namespace kasoku {

namespace {

/// New memory of fewer bytes is in the caches too.
constexpr size_t large_bytes = size_t{1} << 22;
/// So many operands are looked at.
constexpr int most_operands = 32;

/// The nodes that an expression reads element by element, by itself or through others that are a part of it alone, and how often.
class ReadsInPlace {
 public:
  explicit ReadsInPlace(const Shape& shape) : shape_(shape) {}

  void add(const Expression& expression) {
    if (expression.kind != Expression::elementwise && expression.kind != Expression::cast) return;
    for (const auto& [node, view] : expression.inputs) {
      if (--left_ < 0) return;
      if (!is_whole(view, shape_, node->itemsize) || !is_by_these_alone(node) || node->is_done()) continue;
      if (const auto part = node->expression.load()) add(*part);
    }
  }

  /// One that is computed and that nothing else reads, and whose memory is `bytes` of its own.
  InputThatEnds of_nobody_else(size_t itemsize, size_t bytes) const {
    for (const auto& [node, times] : all_) {
      const Node& x = **node;
      if (x.is_done() && node->use_count() == times && x.itemsize == itemsize && x.storage->buffer->bytes() == bytes && owns_memory(x)) return {&x, times};
    }
    return {};
  }

 private:
  struct Read {
    const NodePtr* node;
    long times;
  };

  /// Counts one more.
  bool is_by_these_alone(const NodePtr& node) {
    auto known = std::ranges::find(all_, node, [](const Read& read) -> const NodePtr& { return *read.node; });
    if (known == all_.end()) known = all_.insert(known, {&node, 0});
    return ++known->times == node.use_count();
  }

  const Shape& shape_;
  int left_ = most_operands;
  std::vector<Read> all_;
};

}  // namespace

bool owns_memory(const Node& node) {
  return node.storage.use_count() == 1 && !node.storage->buffer->is_shared.load() && node.storage->is_only_owner() && !KeptMemory::keeps(*node.storage->buffer);
}

InputThatEnds input_that_ends(const Expression& expression, const Node& result) {
  const size_t bytes = static_cast<size_t>(result.size()) * result.itemsize;
  if (bytes < large_bytes || Recorder::current()) return {};
  ReadsInPlace reads(result.shape);
  reads.add(expression);
  return reads.of_nobody_else(result.itemsize, bytes);
}

std::shared_ptr<Buffer> take_memory(const NodePtr& node, const std::shared_ptr<const Expression>& expression, const InputThatEnds& input, const Fused& fused) {
  const auto is_it = [&](const NodePtr& load) { return load.get() == input.node; };
  const auto load = std::ranges::find_if(fused.loads, is_it);
  const bool is_loaded_once = load != fused.loads.end() && std::find_if(load + 1, fused.loads.end(), is_it) == fused.loads.end();
  if (!is_loaded_once || is_for_operations(fused, *node->device)) return nullptr;
  node->expression.store(nullptr);
  const bool is_nobody_elses = expression.use_count() == 1 && load->use_count() == input.times + 1;  // `fused` has it too
  if (!is_nobody_elses || !owns_memory(*input.node)) return node->expression.store(expression), nullptr;
  auto buffer = Storage::buffer_of(input.node->storage);
  Storage::hold(node->storage, buffer);
  return buffer;
}

bool has_taken_memory(const Node& node) { return !node.expression.load(); }

}  // namespace kasoku
