/// \file kasoku/array/plan.h
/// From pending nodes to launches: what is fused with what, and where it is cut.
#pragma once

#include "kasoku/array/graph.h"

#include <optional>

namespace kasoku {

struct Placed;

/// Computes the node; on return its storage has a buffer. Waits if another
/// thread is at it.
void evaluate(const NodePtr& node);

/// The value of a pending node of one element whose device hands such numbers to the host by itself; the node is a constant
/// from then on. Nothing: evaluate() it and read its memory.
std::optional<Scalar> compute_element(const NodePtr& node);

/// Computes `value` into memory that exists: `target` is a view of `buffer` in the
/// shape of value's view. Elements are converted to `dtype`.
void evaluate_into(const Input& value, Buffer& buffer, const View& target,
                   Dtype dtype);

/// Stores the elements of `value` in memory that exists, at places that are computed.
void scatter_into(const Input& value, const Placed& to, Buffer& buffer);

/// Whether the node's value may be stored without a thought about memory.
bool fits_in_budget(const Node& node);

}  // namespace kasoku
