/// \file kasoku/array/algorithms/contraction.h
/// Sums of products over axes that arrays share: by the engine's matrix product, or fused where there is nothing for it to do.
#pragma once

#include "kasoku/array/array.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kasoku {

/// Over the pairs of axes; the others of a, then those of b, are left.
Array tensordot(const Array& a, const Array& b, const Extents& axes_of_a, const Extents& axes_of_b);
Array inner(const Array& a, const Array& b);
Array kron(const Array& a, const Array& b);
/// The dot product of the ravelled arrays, the first one conjugated.
Array vdot(const Array& a, const Array& b);

/// An einsum's operands by the labels of their axes, and those of its result.
struct Subscripts {
  std::vector<std::string> operands;
  std::string result;
};
/// "ij,...jk->...ik" for operands of these ranks, with labels in place of the ellipses.
Subscripts parse_subscripts(std::string_view text, std::span<const int> ranks);
/// `path`: which operands become one, step by step; the result of a step is the last operand of the next.
Array einsum(const Subscripts& subscripts, std::span<const Array> operands, std::span<const std::vector<size_t>> path);

}  // namespace kasoku
