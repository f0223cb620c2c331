/// \file kasoku/array/checked_bytes.h
/// Shapes that can be: no negative lengths, no more bytes than an address reaches.
#pragma once

#include "kasoku/array/graph.h"

namespace kasoku {

/// Bytes of an array of this shape, or an error that names it.
size_t checked_bytes(const Shape& shape, size_t itemsize);

}  // namespace kasoku
