/// \file kasoku/array/in_place.h
/// Values that take the memory of an input which nobody needs after them, as those of `x += y` and `x[mask] = 0` do: an array larger
/// than half of the memory can be changed, and what is written is in the caches.
#pragma once

#include "kasoku/array/fuse.h"

namespace kasoku {

/// Whether no other node, nobody outside and no recording has the memory of a node that is computed.
bool owns_memory(const Node& node);

struct InputThatEnds {
  const Node* node = nullptr;  ///< null: there is none
  long times = 0;              ///< how often it is read
};
/// A computed input whose memory the large result of `expression` can take: no array shows it, nothing but the expression and those
/// that are a part of it alone read it, and each element for its own place.
InputThatEnds input_that_ends(const Expression& expression, const Node& result);

/// The memory of that input, which holds the result from now on. Null if somebody else may read it after all: then nothing has
/// happened. `fused` is the group of `node`, which the caller is computing; `expression` is the node's own.
///
/// While a node is computed in its input's memory it has no expression. Whoever would compute it as a part of his own value takes the
/// expression first, and waits where there is none.
std::shared_ptr<Buffer> take_memory(const NodePtr& node, const std::shared_ptr<const Expression>& expression, const InputThatEnds& input, const Fused& fused);
/// Whether a node that is being computed writes over its own input, so that it cannot be computed a second time.
bool has_taken_memory(const Node& node);

}  // namespace kasoku
