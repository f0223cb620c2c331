/// \file kasoku/array/algorithms/bits.h
/// Bits of bytes as elements.
#pragma once

#include "kasoku/array/array.h"

#include <optional>

namespace kasoku {

/// Bytes whose bits say which elements are not 0, eight each along an axis (nothing: of the ravelled array), the first one the highest bit
/// or the lowest; the last byte is filled up with zeros.
Array pack_bits(const Array& array, std::optional<int64_t> axis, bool lowest_first);
/// The bits of bytes along an axis as elements 0 and 1, `count` of them: more are zeros, a negative number leaves out so many.
Array unpack_bits(const Array& bytes, std::optional<int64_t> axis, std::optional<int64_t> count, bool lowest_first);

}  // namespace kasoku
