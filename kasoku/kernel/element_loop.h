/// \file kasoku/kernel/element_loop.h
/// The common loop of several arrays.
#pragma once

#include "kasoku/codegen/loop.h"
#include "kasoku/kernel/arguments.h"

#include <span>

namespace kasoku {

/// The shape that all of them broadcast to; the error names the first that does not fit.
/// `names[k]` belongs to arrays[k].
Shape broadcast_shape(std::string_view kernel, std::span<const ArrayRef* const> arrays,
                      std::span<const std::string_view> names);

/// The arrays stretched to `shape`.
IterationSpace space_over(const Shape& shape, std::span<const ArrayRef* const> arrays);

}  // namespace kasoku
