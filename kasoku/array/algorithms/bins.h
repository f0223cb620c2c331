/// \file kasoku/array/algorithms/bins.h
/// Places in what is sorted, and how much falls into each bin.
#pragma once

#include "kasoku/array/array.h"

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace kasoku {

/// The position at which each value would be inserted into `sorted`, which has one axis: before elements that are equal
/// to it, or (is_right) behind them. NaN comes last. int64, in the shape of the values.
Array searchsorted(const Array& sorted, const Array& values, bool is_right);
/// Number of the bin of each value, where `bins` rise or fall; is_right: bins own their upper edge.
Array digitize(const Array& values, const Array& bins, bool is_right);

/// How often each number occurs among integers, none of which is negative; with `weights` the sums of those, of
/// fixed parts in their order (up to 65,536 numbers are one). int64 or float64; of at least `least` numbers.
Array bincount(const Array& numbers, const std::optional<Array>& weights, int64_t least);
/// bincount() for numbers that are known to lie in [0, bins).
Array count_bins(const Array& numbers, const std::optional<Array>& weights, int64_t bins);

struct Histogram {
  Array counts;
  std::vector<Array> edges;
};

/// How many bins of one width NumPy's rule of that name ("auto", "fd", "sturges" …) makes. Reads a few numbers from where the array lies.
int64_t bins_by_rule(std::string_view name, const Array& array, std::optional<std::pair<double, double>> range);
/// The edges of `bins` bins of equal width, as numpy.histogram_bin_edges computes them.
Array even_edges(const Array& array, int64_t bins, std::optional<std::pair<double, double>> range);
/// Values below the first edge, above the last one and NaN are in no bin; the last bin owns both of its edges.
Histogram histogram(const Array& array, int64_t bins, std::optional<std::pair<double, double>> range, const std::optional<Array>& weights);
Histogram histogram(const Array& array, const Array& edges, const std::optional<Array>& weights);
/// The histogram of points; each array of `axes` holds one coordinate of all points.
Histogram histogramdd(std::span<const Array> axes, std::span<const Array> edges, const std::optional<Array>& weights);
/// Counts over their sum and the bins' sizes.
Array as_density(const Histogram& histogram);

/// A function given by points, between which it is linear; left of the first and right of the last one it is `left` and `right`,
/// or what it is there; with a period it goes on as it began, and has no ends.
Array interp(const Array& x, const Array& xp, const Array& fp, const std::optional<Array>& left, const std::optional<Array>& right,
             std::optional<double> period = std::nullopt);

}  // namespace kasoku
