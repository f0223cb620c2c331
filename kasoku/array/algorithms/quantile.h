/// \file kasoku/array/algorithms/quantile.h
/// Medians and quantiles, from sorted elements.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/array/reduce.h"

#include <span>
#include <string_view>

namespace kasoku {

/// How a quantile is read from n sorted elements: NumPy's methods, under NumPy's names.
enum class QuantileMethod : uint8_t {
  inverted_cdf,
  averaged_inverted_cdf,
  closest_observation,
  interpolated_inverted_cdf,
  hazen,
  weibull,
  linear,
  median_unbiased,
  normal_unbiased,
  lower,
  higher,
  midpoint,
  nearest,
};
/// Throws where NumPy has no such method.
QuantileMethod quantile_method(std::string_view name);

/// Over all or some axes. Floats keep their dtype, of integers and bools it is float64; of complex numbers there is none. `leaves_nan_out`: NaN are
/// as if they were not there, and of no other elements the result is NaN; else one NaN makes the result NaN.
Array median(const Array& array, const Over& over, bool leaves_nan_out = false);
/// One array for each q, which lies in [0, 1]. `q_dtype`: that of an array of q, in which floats are interpolated if it
/// is wider than theirs.
std::vector<Array> quantiles(const Array& array, std::span<const double> q, QuantileMethod method, const Over& over,
                             bool leaves_nan_out = false, Dtype q_dtype = Dtype::bool_);

}  // namespace kasoku
