// Rules for the number of bins, by NumPy's names: each gives a width, of how many values there are and how they spread.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "kasoku/array/algorithms/bins.h"
#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/algorithms/quantile.h"
#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"

namespace kasoku {
namespace {

/// That of integers may be beyond their dtype.
double difference(const Array& a, const Array& b) {
  return is_integer(a.dtype()) ? real_in(a) - real_in(b) : real_in(apply(Op::subtract, {a, b}));
}

struct Sample {
  Array values;  ///< at least one
  std::pair<double, double> ends;
  double n = static_cast<double>(values.size());
  double extent = difference(reduce(ReduceOp::max, values), reduce(ReduceOp::min, values));
};

/// Freedman and Diaconis 1981.
double fd(const Sample& sample) {
  constexpr std::array quartiles{0.75, 0.25};
  const std::vector<Array> at = quantiles(sample.values, quartiles, QuantileMethod::linear, {});
  return 2 * real_in(apply(Op::subtract, {at[0], at[1]})) / std::cbrt(sample.n);
}

/// Scott 1979.
double scott(const Sample& sample) { return std::cbrt(24 * std::sqrt(M_PI) / sample.n) * real_in(std_(sample.values)); }
double rice(const Sample& sample) { return sample.extent / (2 * std::cbrt(sample.n)); }
double root(const Sample& sample) { return sample.extent / std::sqrt(sample.n); }
/// Sturges 1926.
double sturges(const Sample& sample) { return sample.extent / (std::log2(sample.n) + 1); }

/// Doane 1976: Sturges' of what leans to one side.
double doane(const Sample& sample) {
  const double n = sample.n;
  const Array deviation = std_(sample.values);
  if (n <= 2 || real_in(deviation) <= 0) return 0;
  const Array away = apply(Op::divide, {apply(Op::subtract, {sample.values, mean(sample.values)}), deviation});
  const double skewness = real_in(mean(apply(Op::multiply, {apply(Op::multiply, {away, away}), away})));
  return sample.extent / (1 + std::log2(n) + std::log2(1 + std::abs(skewness) / std::sqrt(6 * (n - 2) / ((n + 1) * (n + 3)))));
}

/// Stone 1984: the number of bins with the least error, as the values themselves let it be reckoned.
double stone(const Sample& sample) {
  const double n = sample.n;
  if (n <= 1 || sample.extent == 0) return 0;
  const auto most = std::max<int64_t>(100, static_cast<int64_t>(std::sqrt(n)));
  double least = std::numeric_limits<double>::infinity(), width = 0;
  for (int64_t bins = 1; bins <= most; ++bins) {
    const Array shares = apply(Op::divide, {histogram(sample.values, bins, sample.ends, std::nullopt).counts, n});
    const double of_one = sample.extent / static_cast<double>(bins);
    const double error = (2 - (n + 1) * real_in(reduce(ReduceOp::sum, apply(Op::multiply, {shares, shares})))) / of_one;
    if (error < least) least = error, width = of_one;
  }
  return width;
}

/// Of many values Freedman and Diaconis', but not many more bins than the square root, and of few Sturges'.
double by_size(const Sample& sample) { return std::min(std::max(fd(sample), root(sample) / 2), sturges(sample)); }

struct Rule {
  std::string_view name;
  double (*width)(const Sample& sample);
};
constexpr std::array rules{Rule{"auto", by_size}, Rule{"doane", doane}, Rule{"fd", fd}, Rule{"rice", rice}, Rule{"scott", scott}, Rule{"sqrt", root}, Rule{"stone", stone}, Rule{"sturges", sturges}};

}  // namespace

int64_t bins_by_rule(std::string_view name, const Array& given, std::optional<std::pair<double, double>> range) {
  const auto rule = std::ranges::find(rules, name, &Rule::name);
  if (rule == rules.end()) throw Error(ErrorKind::value, "'" + std::string(name) + "' is not a valid estimator for `bins`").fix("auto, doane, fd, rice, scott, sqrt, stone, sturges, a number or edges");
  Array values = ravel(given);
  const Array edges = even_edges(values, 1, range), first = sliced(edges, 0, 0, 1), last = sliced(edges, 0, 1, 2);
  const std::pair ends{real_in(first), real_in(last)};
  if (range) values = compress(apply(Op::logical_and, {apply(Op::greater_equal, {values, first}), apply(Op::less_equal, {values, last})}), values);
  if (values.size() == 0) return 1;
  double width = rule->width({values, ends});
  if (width == 0) return 1;
  if (is_integer(values.dtype())) width = std::max(width, 1.0);
  return static_cast<int64_t>(std::ceil(real_in(apply(Op::subtract, {last, first})) / width));
}

}  // namespace kasoku
