/// \file kasoku/array/algorithms/calculus.h
/// Sampled functions: differences, gradients, integrals, convolutions; and covariances of samples.
#pragma once

#include "kasoku/array/array.h"

#include <optional>
#include <span>
#include <vector>

namespace kasoku {

/// Differences of neighbours along an axis, n times.
Array diff(const Array& array, int64_t n, int64_t axis);
/// Differences of neighbours in the ravelled array, with the elements of `to_begin` before them and of `to_end` behind.
Array ediff1d(const Array& array, const std::optional<Array>& to_end, const std::optional<Array>& to_begin);
/// Along an axis by the two neighbours, of its ends by one (edge_order 1) or two of them. `spacing`: a number, or where the
/// samples are.
Array gradient(const Array& array, const Array& spacing, int64_t axis, int edge_order);
/// The integral along an axis by trapezoids; `x`: where the samples are, else they are `dx` apart.
Array trapezoid(const Array& y, const std::optional<Array>& x, double dx, int64_t axis);

enum class Overlap : uint8_t { full, same, valid };
/// Sums of products of one row with the other one turned over, at each shift.
Array convolve(const Array& a, const Array& v, Overlap mode);
/// At each shift the products of a with the conjugates of v.
Array correlate(const Array& a, const Array& v, Overlap mode);

/// The covariances of variables in rows. `times` says how often each sample counts, `weights` how much.
Array cov(const Array& samples, int64_t less, const std::optional<Array>& times, const std::optional<Array>& weights, std::optional<Dtype> dtype);
Array corrcoef(const Array& covariances);

}  // namespace kasoku
