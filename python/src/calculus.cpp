/// \file calculus.cpp
/// Differences, gradients, integrals, convolutions and covariances.
#include "kasoku/array/algorithms/calculus.h"

#include "given.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <numeric>

namespace kasoku {

namespace {

using namespace nb::literals;

Overlap overlap_from(nb::handle mode) {
  if (PyLong_CheckExact(mode.ptr())) {  // as NumPy once named them
    constexpr Overlap by_number[] = {Overlap::valid, Overlap::same, Overlap::full};
    const auto number = nb::cast<int64_t>(mode);
    if (number < 0 || number > 2)
      throw Error(ErrorKind::value, "mode must be 0, 1 or 2 where it is a number (got " + std::to_string(number) + ")");
    return by_number[number];
  }
  const std::string name = nb::isinstance<nb::str>(mode) ? nb::cast<std::string>(mode) : "";
  if (name == "full") return Overlap::full;
  if (name == "same") return Overlap::same;
  if (name == "valid") return Overlap::valid;
  throw Error(ErrorKind::value, "mode must be one of 'valid', 'same', or 'full' (got '" + nb::cast<std::string>(nb::str(mode)) + "')");
}

/// A number stands for an axis of length 1.
Array row_of(const Array& x) { return x.ndim() == 0 ? reshape(x, {1}) : x; }

Array differences(nb::handle given, int64_t n, int64_t axis, nb::handle prepend, nb::handle append) {
  Device& device = device_among({given});
  const Array x = array_from(given, device);
  if (n == 0) return x;
  const std::optional<Array> before = optional_array(prepend, device), after = optional_array(append, device);
  return without_lock([&] {
    if (x.ndim() == 0) throw Error(ErrorKind::value, "diff requires input that is at least one dimensional");
    if (!before && !after) return diff(x, n, axis);
    std::vector<Array> parts;
    const auto add = [&](const Array& part) {
      Shape shape = x.shape();
      shape[normal_axis(axis, x.ndim())] = 1;
      parts.push_back(part.ndim() == 0 ? broadcast_to(part, shape) : part);
    };
    if (before) add(*before);
    parts.push_back(x);
    if (after) add(*after);
    return diff(concatenate(parts, axis), n, axis);
  });
}

nb::object gradients(nb::handle given, nb::args spacings, nb::handle axis, int edge_order) {
  Device& device = device_among({given});
  const Array f = array_from(given, device);
  std::optional<Extents> axes = axes_from(axis);
  if (!axes) {
    axes = Extents(static_cast<size_t>(f.ndim()), 0);
    std::iota(axes->begin(), axes->end(), int64_t{0});
  }
  std::vector<Array> steps;
  for (nb::handle x : spacings) steps.push_back(array_from(x, device));
  if (steps.empty()) steps.push_back(full({}, Scalar::of(1.0), Dtype::float64, device));
  if (steps.size() == 1 && steps[0].ndim() == 0) steps.resize(axes->size(), steps[0]);
  if (steps.size() != axes->size()) throw Error(ErrorKind::type, "invalid number of arguments");
  nb::list results;
  for (size_t k = 0; k < axes->size(); ++k)
    results.append(nb::cast(without_lock([&] { return gradient(f, steps[k], (*axes)[k], edge_order); })));
  if (nb::len(results) == 1) return nb::object(results[0]);
  return nb::tuple(results);
}

Array integral(nb::handle given, nb::handle where, double dx, int64_t axis) {
  Device& device = device_among({given, where});
  const Array y = array_from(given, device);
  const std::optional<Array> x = optional_array(where, device);
  return without_lock([&] { return trapezoid(y, x, dx, axis); });
}

template <class F>
auto of_two_rows(F f, bool takes_numbers) {
  return [=](nb::handle a, nb::handle v, nb::handle mode) {
    Device& device = device_among({a, v});
    const auto row = [&](nb::handle object) {
      const Array array = array_from(object, device);
      return takes_numbers ? row_of(array) : array;
    };
    const Array x = row(a), y = row(v);
    const Overlap how = overlap_from(mode);
    return without_lock([&] { return f(x, y, how); });
  };
}

Array covariances(nb::handle given, nb::handle more, bool rowvar, bool bias, nb::handle ddof, nb::handle fweights, nb::handle aweights, nb::handle dtype) {
  Device& device = device_among({given, more});
  const auto variables = [&](nb::handle object) {
    Array x = array_from(object, device);
    if (x.ndim() > 2) throw Error(ErrorKind::value, "m has more than 2 dimensions");
    if (x.ndim() < 2) x = reshape(x, {1, x.size()});
    else if (!rowvar) x = transpose(x);
    return x;
  };
  Array x = variables(given);
  const std::optional<Dtype> wanted = optional_dtype(dtype);
  if (!more.is_none()) x = concatenate(std::vector{x, variables(more)}, 0);
  if (!ddof.is_none() && !ddof.equal(nb::int_(ddof))) throw Error(ErrorKind::value, "ddof must be integer");
  const int64_t less = ddof.is_none() ? (bias ? 0 : 1) : nb::cast<int64_t>(nb::int_(ddof));
  const std::optional<Array> times = optional_array(fweights, device), weights = optional_array(aweights, device);
  for (const auto& w : {times, weights}) {
    if (!w) continue;
    if (w->ndim() != 1) throw Error(ErrorKind::value, "cannot handle multidimensional weights");
    if (w->size() != x.shape()[1]) throw Error(ErrorKind::value, "incompatible numbers of samples and weights");
  }
  if (times && !is_integer(times->dtype())) throw Error(ErrorKind::type, "fweights must be integer");
  if (!times && !weights && x.shape()[1] <= less)
    nb::module_::import_("kasoku.errors").attr("_warn")(nb::borrow(PyExc_RuntimeWarning), "Degrees of freedom <= 0 for slice");
  if (x.shape()[0] && wanted && !is_floating(*wanted) && !is_complex(*wanted))
    throw Error(ErrorKind::type, "covariances are floats or complex numbers, not " + std::string(info(*wanted).name));
  const Array result = without_lock([&] { return cov(x, less, times, weights, wanted); });
  return result.size() == 1 ? reshape(result, {}) : result;
}

}  // namespace

void bind_calculus(nb::module_& m) {
  const auto none = nb::none();
  bind_algorithm(m, Algorithm::diff, &differences, "a"_a, "n"_a = 1, "axis"_a = -1, "prepend"_a = none, "append"_a = none);
  bind_algorithm(m, Algorithm::ediff1d, [](nb::handle x, nb::handle to_end, nb::handle to_begin) {
    Device& device = device_among({x});
    const Array array = array_from(x, device);
    const std::optional<Array> end = optional_array(to_end, device), begin = optional_array(to_begin, device);
    return without_lock([&] { return ediff1d(array, end, begin); });
  }, "ary"_a, "to_end"_a = none, "to_begin"_a = none);
  bind_algorithm(m, Algorithm::gradient, &gradients, "f"_a, "varargs"_a, "axis"_a = none, "edge_order"_a = 1);
  bind_algorithm(m, Algorithm::trapezoid, &integral, "y"_a, "x"_a = none, "dx"_a = 1.0, "axis"_a = -1);
  m.attr("trapz") = m.attr("trapezoid");
  bind_algorithm(m, Algorithm::convolve, of_two_rows(&convolve, true), "a"_a, "v"_a, "mode"_a = "full");
  bind_algorithm(m, Algorithm::correlate, of_two_rows(&correlate, false), "a"_a, "v"_a, "mode"_a = "valid");
  bind_algorithm(m, Algorithm::cov, &covariances, "m"_a, "y"_a = none, "rowvar"_a = true, "bias"_a = false, "ddof"_a = none, "fweights"_a = none, "aweights"_a = none, "dtype"_a = none);
  bind_algorithm(m, Algorithm::corrcoef, [](nb::handle x, nb::handle y, bool rowvar, nb::handle dtype) {
    const Array c = covariances(x, y, rowvar, false, nb::none(), nb::none(), nb::none(), dtype);
    return without_lock([&] { return corrcoef(c); });
  }, "x"_a, "y"_a = none, "rowvar"_a = true, "dtype"_a = none);
}

}  // namespace kasoku
