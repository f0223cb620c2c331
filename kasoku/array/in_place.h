/// \file kasoku/array/in_place.h
/// Values that take the memory of an input which nobody needs after them, as those of `x += y` and `x[mask] = 0` do: an array larger
/// than half of the memory can be changed, and what is written is in the caches.
#pragma once

#include "kasoku/array/graph.h"

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

}  // namespace kasoku
