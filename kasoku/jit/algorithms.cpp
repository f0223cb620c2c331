#include "kasoku/jit/algorithms.h"

#include "kasoku/array/algorithms/bins.h"
#include "kasoku/array/algorithms/calculus.h"
#include "kasoku/array/algorithms/compact.h"
#include "kasoku/array/algorithms/contraction.h"
#include "kasoku/array/algorithms/order.h"
#include "kasoku/array/algorithms/quantile.h"
#include "kasoku/array/algorithms/rearrange.h"
#include "kasoku/array/algorithms/sets.h"
#include "kasoku/array/algorithms/sort.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/fft.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/scan.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/jit/offload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

namespace kasoku::jit {

namespace {

class Operands {
 public:
  Operands(std::span<const Given> given, Device& device) : given_(given), device_(device) {
    for (const Given& each : given) arrays_.push_back(each.ndim >= 0 ? std::optional(array_of(each)) : std::nullopt);
  }

  const Array& array(size_t i) const { return arrays_.at(i).value(); }
  std::optional<Array> array_or_none(size_t i) const { return i < arrays_.size() ? arrays_[i] : std::nullopt; }
  bool is_none(size_t i) const { return i >= given_.size() || given_[i].ndim == Given::none; }
  int64_t integer(size_t i) const { return scalar(i).as_int(); }
  std::optional<int64_t> integer_or_none(size_t i) const {
    return is_none(i) ? std::nullopt : std::optional(integer(i));
  }
  double number(size_t i) const { return scalar(i).as_double(); }
  /// An array, or a number as one of no axes.
  Array value(size_t i) const {
    return arrays_.at(i) ? *arrays_[i] : full({}, scalar(i), static_cast<Dtype>(given_[i].dtype), device_);
  }
  /// A number or several, as the host's.
  std::vector<double> numbers(size_t i) const {
    const Array host = to_device(contiguous(astype(value(i), Dtype::float64)), kasoku::device("cpu"));
    const auto* first = static_cast<const double*>(host.data_for_read());
    return std::vector<double>(first, first + host.size());
  }
  /// All operands from this one on.
  std::vector<Array> arrays_from(size_t first) const {
    std::vector<Array> result;
    for (size_t i = first; i < size(); ++i) result.push_back(array(i));
    return result;
  }
  bool is_text(size_t i) const { return given_[i].ndim == Given::text; }
  std::string_view text(size_t i) const { return static_cast<const char*>(given_[i].data); }
  /// Integers, or the one that is given.
  Extents integers(size_t i) const {
    const Given& given = given_[i];
    if (given.ndim != Given::integers) return {integer(i)};
    const auto* first = static_cast<const int64_t*>(given.data);
    return Extents(first, first + given.dtype);
  }
  std::optional<Extents> integers_or_none(size_t i) const {
    return is_none(i) ? std::nullopt : std::optional(integers(i));
  }
  bool has_memory(const std::shared_ptr<Buffer>& buffer) const {
    return std::ranges::any_of(arrays_, [&](const std::optional<Array>& x) { return x && x->buffer() == buffer; });
  }
  size_t size() const { return given_.size(); }
  Device& device() const { return device_; }

 private:
  Scalar scalar(size_t i) const { return Scalar::load(static_cast<Dtype>(given_[i].dtype), given_[i].data); }

  Array array_of(const Given& given) const {
    const auto dtype = static_cast<Dtype>(given.dtype);
    const auto itemsize = static_cast<int64_t>(info(dtype).size);
    const Shape shape(given.shape, given.shape + given.ndim);
    if (product(shape) == 0) return Array::empty(shape, dtype, device_);
    Strides strides(given.strides, given.strides + given.ndim);
    for (int64_t& stride : strides) stride *= itemsize;
    auto* first = static_cast<char*>(const_cast<void*>(given.data));
    if (given.memory && given.memory->buffer) {
      const std::shared_ptr<Buffer>& buffer = buffer_of(given.memory);
      return Array::view(buffer, first - static_cast<char*>(buffer->memory()), shape, strides, dtype);
    }
    char *low = first, *high = first + itemsize;
    for (size_t k = 0; k < shape.size(); ++k) (strides[k] < 0 ? low : high) += (shape[k] - 1) * strides[k];
    std::shared_ptr<Buffer> buffer = Buffer::adopt(device_, low, static_cast<size_t>(high - low), nullptr, false);
    return Array::view(std::move(buffer), first - low, shape, strides, dtype);
  }

  std::span<const Given> given_;
  Device& device_;
  std::vector<std::optional<Array>> arrays_;
};

using Results = std::vector<Array>;

Overlap overlap(std::string_view mode) {
  if (mode == "full") return Overlap::full;
  if (mode == "same") return Overlap::same;
  if (mode == "valid") return Overlap::valid;
  throw Error(ErrorKind::value, "mode must be one of 'full', 'same', or 'valid'");
}

FftNorm norm_of(const Operands& x, size_t i) {
  if (x.is_none(i) || x.text(i) == "backward") return FftNorm::backward;
  if (x.text(i) == "ortho") return FftNorm::ortho;
  if (x.text(i) == "forward") return FftNorm::forward;
  throw Error(ErrorKind::value,
              fmt::format("Invalid norm value {}; should be \"backward\", \"ortho\" or \"forward\"", x.text(i)));
}

/// Operands: the array, lengths, axes, norm.
template <Fourier kind>
Results transformed(const Operands& x) {
  return {fourier(kind, x.array(0), x.integers_or_none(1), x.integers_or_none(2), norm_of(x, 3))};
}

Over over(const Operands& x, size_t axis) {
  Over result;
  result.axes = x.integers_or_none(axis);
  return result;
}

std::optional<std::pair<double, double>> limits(const Operands& x, size_t low) {
  if (x.is_none(low)) return std::nullopt;
  return std::pair(x.number(low), x.number(low + 1));
}

PadMode pad_mode(std::string_view mode) {
  constexpr std::string_view names[] = {"constant", "edge", "reflect", "symmetric", "wrap", "empty"};
  const auto found = std::ranges::find(names, mode);
  if (found == std::end(names))
    throw Error(ErrorKind::unsupported, fmt::format("np.pad with mode '{}' has no compiled form", mode));
  return static_cast<PadMode>(found - names);
}

Results padded(const Operands& x) {
  const Extents widths = x.integers(1);  // before and after each axis
  const Scalar before = Scalar::of(x.number(3)), behind = Scalar::of(x.number(4));
  std::vector<Border> borders;
  for (size_t k = 0; k + 1 < widths.size(); k += 2) borders.push_back({widths[k], widths[k + 1], before, behind});
  return {pad(x.array(0), borders, pad_mode(x.text(2)))};
}

/// The array's operands from the second one on; the first is the text of the subscripts.
Results summed(const Operands& x) {
  const std::vector<Array> operands = x.arrays_from(1);
  std::vector<int> ranks;
  for (const Array& each : operands) ranks.push_back(each.ndim());
  // Two at a time, from the first on: what numpy.einsum does without optimize is the same sum.
  std::vector<std::vector<size_t>> path;
  for (size_t left = operands.size(); left > 2; --left) path.push_back({0, 1});
  path.push_back(operands.size() == 1 ? std::vector<size_t>{0} : std::vector<size_t>{0, 1});
  return {einsum(parse_subscripts(x.text(0), ranks), operands, path)};
}

OutOfRange out_of_range(std::string_view mode) {
  if (mode == "raise") return OutOfRange::raise;
  if (mode == "wrap") return OutOfRange::wrap;
  if (mode == "clip") return OutOfRange::clip;
  throw Error(ErrorKind::value, fmt::format("mode must be one of 'clip', 'raise', or 'wrap' (got '{}')", mode));
}

/// Operands: the array, q, axes, method, keepdims, whether NaN are left out.
Results quantiles_of(const Operands& x) {
  const std::vector<double> q = x.numbers(1);
  Over where = over(x, 2);
  where.keepdims = x.integer(4) != 0;
  std::vector<Array> found = quantiles(x.array(0), q, quantile_method(x.text(3)), where, x.integer(5) != 0);
  return {x.value(1).ndim() == 0 ? found[0] : stack(found, 0)};
}

Results placed_along(const Operands& x) {
  Array result = copy(x.array(0));
  put_along_axis(result, x.array(1), x.value(2), x.integer(3));
  return {std::move(result)};
}

/// A word or a number; none: as NumPy has it without one.
NormOrder norm_order(const Operands& x, size_t i) {
  if (x.is_none(i)) return {};
  if (x.is_text(i)) {
    if (x.text(i) == "fro") return {NormOrder::fro};
    if (x.text(i) == "nuc") return {NormOrder::nuc};
    throw Error(ErrorKind::value, "Invalid norm order for matrices.");
  }
  return {NormOrder::number, x.number(i)};
}

Results unique_with(const Operands& x) {
  UniqueWanted wanted;
  wanted.index = x.integer(1), wanted.inverse = x.integer(2), wanted.counts = x.integer(3);
  Unique found = unique(x.array(0), wanted);
  Results results{std::move(found.values)};
  if (wanted.index) results.push_back(std::move(found.index));
  if (wanted.inverse) results.push_back(std::move(found.inverse));
  if (wanted.counts) results.push_back(std::move(found.counts));
  return results;
}

/// Operands: the array, edges or how many bins, weights, the range's ends, whether densities are wanted.
Results binned(const Operands& x) {
  Histogram made = x.array_or_none(1) ? histogram(x.array(0), x.array(1), x.array_or_none(2))
                                      : histogram(x.array(0), x.integer(1), limits(x, 3), x.array_or_none(2));
  if (!x.is_none(5) && x.integer(5)) made.counts = as_density(made);
  return {std::move(made.counts), std::move(made.edges[0])};
}

struct Row {
  std::string_view name;
  Results (*run)(const Operands&);
};

/// By these names python/kasoku/_library calls them, with these operands.
constexpr Row algorithm_rows[] = {
    {"sort", [](const Operands& x) -> Results { return {sort(x.array(0), x.integer_or_none(1))}; }},
    {"argsort", [](const Operands& x) -> Results { return {argsort(x.array(0), x.integer_or_none(1))}; }},
    {"unique", unique_with},
    {"isin", [](const Operands& x) -> Results { return {isin(x.array(0), x.array(1), x.integer(2))}; }},
    {"searchsorted", [](const Operands& x) -> Results { return {searchsorted(x.array(0), x.array(1), x.integer(2))}; }},
    {"digitize", [](const Operands& x) -> Results { return {digitize(x.array(0), x.array(1), x.integer(2))}; }},
    {"bincount", [](const Operands& x) -> Results { return {bincount(x.array(0), x.array_or_none(1), x.integer(2))}; }},
    {"histogram", binned},
    {"median", [](const Operands& x) -> Results { Over where = over(x, 1); where.keepdims = x.integer(3) != 0; return {median(x.array(0), where, x.integer(2) != 0)}; }},
    {"cumsum", [](const Operands& x) -> Results { return {scan(ScanOp::cumsum, x.array(0), x.integer_or_none(1))}; }},
    {"cumprod", [](const Operands& x) -> Results { return {scan(ScanOp::cumprod, x.array(0), x.integer_or_none(1))}; }},
    {"cummax", [](const Operands& x) -> Results { return {scan(ScanOp::cummax, x.array(0), x.integer_or_none(1))}; }},
    {"cummin", [](const Operands& x) -> Results { return {scan(ScanOp::cummin, x.array(0), x.integer_or_none(1))}; }},
    {"nancumsum", [](const Operands& x) -> Results { return {scan(ScanOp::nancumsum, x.array(0), x.integer_or_none(1))}; }},
    {"nancumprod", [](const Operands& x) -> Results { return {scan(ScanOp::nancumprod, x.array(0), x.integer_or_none(1))}; }},
    {"convolve", [](const Operands& x) -> Results { return {convolve(x.array(0), x.array(1), overlap(x.text(2)))}; }},
    {"correlate", [](const Operands& x) -> Results { return {correlate(x.array(0), x.array(1), overlap(x.text(2)))}; }},
    {"flatnonzero", [](const Operands& x) -> Results { return {flatnonzero(x.array(0))}; }},
    {"nonzero", [](const Operands& x) -> Results { return nonzero(x.array(0)); }},
    {"pad", padded},
    {"tile", [](const Operands& x) -> Results { return {tile(x.array(0), x.integers(1))}; }},
    {"repeat",
     [](const Operands& x) -> Results {
       if (const auto counts = x.array_or_none(1)) return {repeat(x.array(0), *counts, x.integer_or_none(2))};
       return {repeat(x.array(0), x.integer(1), x.integer_or_none(2))};
     }},
    {"gather",
     [](const Operands& x) -> Results {
       const Array& a = x.array(0);
       const int64_t axis = x.integer(2), length = a.shape()[static_cast<size_t>(axis)];
       return {gather_along(a, axis, positions_in(x.value(1), length, out_of_range(x.text(3))))};
     }},
    {"take_along_axis",
     [](const Operands& x) -> Results { return {take_along_axis(x.array(0), x.array(1), x.integer(2))}; }},
    {"put_along_axis", placed_along},
    {"diagonal",
     [](const Operands& x) -> Results {
       return {diagonal_view(x.array(0), x.integer(1), x.integer(2), x.integer(3))};
     }},
    {"trace",
     [](const Operands& x) -> Results { return {trace(x.array(0), x.integer(1), x.integer(2), x.integer(3))}; }},
    {"roll",
     [](const Operands& x) -> Results {
       const Extents shifts = x.integers(1);
       return {roll(x.array(0), {shifts.begin(), shifts.end()}, x.integers_or_none(2))};
     }},
    {"quantile", quantiles_of},
    {"parts",
     [](const Operands& x) -> Results { return {unique(x.array(0), {}, x.integer(1)).values}; }},
    {"intersection",
     [](const Operands& x) -> Results {
       Intersection made = intersect1d(x.array(0), x.array(1), x.integer(2) != 0, true);
       return {made.values, made.index_a, made.index_b};
     }},
    {"lexsort", [](const Operands& x) -> Results { return {lexsort(x.arrays_from(1), x.integer(0))}; }},
    {"sort_complex", [](const Operands& x) -> Results { return {sort_complex(x.array(0))}; }},
    {"diff", [](const Operands& x) -> Results { return {diff(x.array(0), x.integer(1), x.integer(2))}; }},
    {"gradient",
     [](const Operands& x) -> Results {
       return {gradient(x.array(0), x.value(1), x.integer(2), static_cast<int>(x.integer(3)))};
     }},
    {"trapezoid",
     [](const Operands& x) -> Results {
       return {trapezoid(x.array(0), x.array_or_none(1), x.number(2), x.integer(3))};
     }},
    {"without", [](const Operands& x) -> Results { return {without(x.array(0), x.value(1), x.integer(2))}; }},
    {"with_inserted",
     [](const Operands& x) -> Results {
       const bool is_single = !x.array_or_none(1);
       const Array at = is_single ? reshape(x.value(1), {1}) : x.array(1);
       return {with_inserted(x.array(0), at, is_single, x.value(2), x.integer(3))};
     }},
    {"unravel_index", [](const Operands& x) -> Results { return unravel_index(x.array(0), x.integers(1)); }},
    {"interp",
     [](const Operands& x) -> Results {
       const auto beyond = [&](size_t i) { return x.is_none(i) ? std::nullopt : std::optional(x.value(i)); };
       return {interp(x.array(0), x.array(1), x.array(2), beyond(3), beyond(4))};
     }},
    {"histogram2d",
     [](const Operands& x) -> Results {
       const std::vector<Array> points{x.array(0), x.array(1)};
       const std::vector<Array> edges{even_edges(points[0], x.integer(2), std::nullopt), even_edges(points[1], x.integer(3), std::nullopt)};
       Histogram made = histogramdd(points, edges, std::nullopt);
       return {made.counts, made.edges[0], made.edges[1]};
     }},
    {"eig",
     [](const Operands& x) -> Results {
       auto [w, v] = eig(x.array(0));
       return {w, v};
     }},
    {"eigvals", [](const Operands& x) -> Results { return {eigvals(x.array(0))}; }},
    {"lstsq",
     [](const Operands& x) -> Results {
       Lstsq made = lstsq(x.array(0), x.array(1), x.is_none(2) ? std::nullopt : std::optional(x.number(2)));
       return {made.x, made.residuals, made.rank, made.s};
     }},
    {"tensorsolve", [](const Operands& x) -> Results { return {tensorsolve(x.array(0), x.array(1))}; }},
    {"tensorinv", [](const Operands& x) -> Results { return {tensorinv(x.array(0), x.integer(1))}; }},
    {"qr_r", [](const Operands& x) -> Results { return {qr(x.array(0), QrMode::r).second}; }},
    {"norm",
     [](const Operands& x) -> Results {
       return {norm(x.array(0), norm_order(x, 1), x.integers_or_none(2), x.integer(3) != 0)};
     }},
    {"einsum", summed},
    {"tensordot",
     [](const Operands& x) -> Results { return {tensordot(x.array(0), x.array(1), x.integers(2), x.integers(3))}; }},
    {"fft", transformed<Fourier::forward>},
    {"ifft", transformed<Fourier::inverse>},
    {"rfft", transformed<Fourier::half>},
    {"irfft", transformed<Fourier::half_inverse>},
    {"fftshift",
     [](const Operands& x) -> Results { return {shifted(x.array(0), x.integers_or_none(1), x.integer(2))}; }},
    {"solve", [](const Operands& x) -> Results { return {solve(x.array(0), x.array(1))}; }},
    {"inv", [](const Operands& x) -> Results { return {inv(x.array(0))}; }},
    {"det", [](const Operands& x) -> Results { return {det(x.array(0))}; }},
    {"cholesky", [](const Operands& x) -> Results { return {cholesky(x.array(0))}; }},
    {"qr",
     [](const Operands& x) -> Results {
       auto [q, r] = qr(x.array(0));
       return {*q, r};
     }},
    {"svd",
     [](const Operands& x) -> Results {
       Svd made = svd(x.array(0), x.integer(1));
       return {made.u, made.s, made.vh};
     }},
    {"svdvals", [](const Operands& x) -> Results { return {svdvals(x.array(0))}; }},
    {"eigh",
     [](const Operands& x) -> Results {
       auto [w, v] = eigh(x.array(0));
       return {w, v};
     }},
    {"eigvalsh", [](const Operands& x) -> Results { return {eigvalsh(x.array(0))}; }},
};

const Row* find(std::string_view name) {
  const auto found = std::ranges::find(algorithm_rows, name, &Row::name);
  return found == std::end(algorithm_rows) ? nullptr : found;
}

/// The result as an array that nobody else has, in C order, of the dtype that was inferred.
Array own(Array result, Dtype dtype, const Operands& operands) {
  const bool is_real_part = is_complex(result.dtype()) && !is_complex(dtype);
  if (is_real_part && is_true(reduce(ReduceOp::any, apply(Op::not_equal, {result, real(result)}))))
    throw Error(ErrorKind::value, "the results are complex numbers, which compiled code knows by its arguments alone")
        .fix("a.astype(np.complex128)");
  if (is_real_part) result = real(result);
  if (result.dtype() != dtype) result = astype(result, dtype);
  if (!result.is_contiguous() || result.offset() != 0 || operands.has_memory(result.buffer())) result = copy(result);
  return result;
}

}  // namespace

bool has_algorithm(std::string_view name) { return find(name); }

void run_algorithm(std::string_view name, std::span<const Given> given, std::span<const Made> made, Device& device) {
  const Operands operands(given, device);
  Results results = find(name)->run(operands);
  if (results.size() != made.size())
    throw Error(ErrorKind::internal, fmt::format("{} gives {} results, not {}", name, results.size(), made.size()));
  for (size_t i = 0; i < made.size(); ++i) {
    const Made& to = made[i];
    const Array result = own(std::move(results[i]), static_cast<Dtype>(to.dtype), operands);
    if (static_cast<int>(result.ndim()) != std::max(to.ndim, 0))
      throw Error(ErrorKind::internal,
                  fmt::format("{} gives an array of {} axes, not {}", name, result.ndim(), to.ndim));
    const std::shared_ptr<Buffer> buffer = result.buffer();
    if (to.ndim < 0) {
      device.copy(to.data, result.data_for_read(), result.itemsize(), device.current_stream());
      continue;
    }
    std::ranges::copy(result.shape(), to.shape);
    if (result.size()) *static_cast<void**>(to.data) = buffer->memory();
    *to.memory = hold(buffer);
  }
}

}  // namespace kasoku::jit
