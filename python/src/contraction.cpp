/// \file contraction.cpp
/// Sums of products over axes: einsum, tensordot and their neighbours.
#include "kasoku/array/algorithms/contraction.h"

#include "given.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

namespace kasoku {

namespace {

using namespace nb::literals;

template <class F>
auto of_two(F f) {
  return [f](nb::handle a, nb::handle b) {
    Device& device = device_among({a, b});
    const Array x = array_from(a, device), y = array_from(b, device);
    return without_lock([&] { return f(x, y); });
  };
}

Array contracted(nb::handle a, nb::handle b, nb::handle axes) {
  Device& device = device_among({a, b});
  const Array x = array_from(a, device), y = array_from(b, device);
  Extents over_x, over_y;
  if (has_length(axes)) {
    if (nb::len(axes) != 2) throw Error(ErrorKind::value, "axes are a number, or those of a and those of b");
    over_x = *axes_from(nb::object(axes[0]));
    over_y = *axes_from(nb::object(axes[1]));
  } else {
    const int64_t n = shape_from(axes)[0];
    if (n > x.ndim() || n > y.ndim() || n < 0) throw Error(ErrorKind::value, "shape-mismatch for sum");
    for (int64_t k = n; k > 0; --k) over_x.push_back(-k);
    for (int64_t k = 0; k < n; ++k) over_y.push_back(k);
  }
  return without_lock([&] { return tensordot(x, y, over_x, over_y); });
}

/// Lists of axis numbers as letters.
std::string letters_of(nb::handle list) {
  static constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string text;
  for (nb::handle x : nb::iter(list)) {
    if (x.ptr() == Py_Ellipsis) {
      text += "...";
      continue;
    }
    const int64_t k = nb::cast<int64_t>(x);
    if (k < 0 || k >= static_cast<int64_t>(alphabet.size())) throw Error(ErrorKind::value, "einsum: a subscript is a number from 0 to 51");
    text += alphabet[static_cast<size_t>(k)];
  }
  return text;
}

/// Which operands become one after the other: of more than two numpy.einsum_path says it, which sees shapes alone.
std::vector<std::vector<size_t>> path_of(const Subscripts& subscripts, const std::vector<Array>& operands, nb::handle optimize) {
  if (operands.size() < 3) return {};
  nb::object broadcast = numpy().attr("broadcast_to");
  std::string text;
  const auto letter = [](char label) { return label > 32 ? label : static_cast<char>(0); };
  std::string free = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", of_dots;
  for (const std::string& term : subscripts.operands)
    for (char label : term)
      if (const size_t used = free.find(label); letter(label) && used != std::string::npos) free.erase(used, 1);
  const auto plain = [&](const std::string& term) {
    std::string result;
    for (char label : term) result += letter(label) ? label : free.at(static_cast<size_t>(label) - 1);
    return result;
  };
  nb::list given;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (i) text += ',';
    text += plain(subscripts.operands[i]);
  }
  given.append(nb::str((text + "->" + plain(subscripts.result)).c_str()));
  for (const Array& x : operands) given.append(broadcast(nb::float_(0.0), tuple_from(x.shape())));
  const bool is_named = !nb::isinstance<nb::bool_>(optimize) && !optimize.is_none();
  nb::object found = numpy().attr("einsum_path")(*nb::tuple(given), "optimize"_a = is_named ? nb::borrow(optimize) : nb::object(nb::str("greedy")));
  std::vector<std::vector<size_t>> path;
  bool is_first = true;
  for (nb::handle step : nb::iter(nb::object(found[0]))) {
    if (std::exchange(is_first, false)) continue;  // the name of what this is
    std::vector<size_t> parts;
    for (nb::handle k : nb::iter(step)) parts.push_back(nb::cast<size_t>(k));
    path.push_back(parts);
  }
  return path;
}

nb::object summed(nb::args args, nb::handle out, nb::handle optimize, nb::handle dtype) {
  if (args.size() == 0) throw Error(ErrorKind::value, "must specify the einstein sum subscripts string and at least one operand");
  nb::list objects;
  std::string text;
  if (nb::isinstance<nb::str>(args[0])) {
    text = nb::cast<std::string>(args[0]);
    for (size_t i = 1; i < args.size(); ++i) objects.append(args[i]);
  } else {
    for (size_t i = 0; i + 1 < args.size(); i += 2) {
      objects.append(args[i]);
      if (i) text += ',';
      text += letters_of(args[i + 1]);
    }
    if (args.size() % 2) text += "->" + letters_of(args[args.size() - 1]);
  }
  if (nb::len(objects) == 0) throw Error(ErrorKind::value, "einsum has no operands");
  const std::vector<Array> arrays = arrays_from(objects);
  std::vector<Array> operands;
  const std::optional<Dtype> wanted = optional_dtype(dtype);
  for (const Array& x : arrays) operands.push_back(wanted ? astype(x, *wanted) : x);
  std::vector<int> ranks;
  for (const Array& x : operands) ranks.push_back(x.ndim());
  const Subscripts subscripts = parse_subscripts(text, ranks);
  const auto path = path_of(subscripts, operands, optimize);
  return stored("einsum", without_lock([&] { return einsum(subscripts, operands, path); }), out);
}

}  // namespace

void bind_contraction(nb::module_& m) {
  bind_algorithm(m, Algorithm::tensordot, &contracted, "a"_a, "b"_a, "axes"_a = 2);
  bind_algorithm(m, Algorithm::inner, of_two(&inner), "a"_a, "b"_a);
  bind_algorithm(m, Algorithm::outer, [](nb::handle a, nb::handle b, nb::handle out) { return stored("outer", of_two(&outer)(a, b), out); }, "a"_a, "b"_a, "out"_a = nb::none());
  bind_algorithm(m, Algorithm::kron, of_two(&kron), "a"_a, "b"_a);
  bind_algorithm(m, Algorithm::vdot, of_two(&vdot), "a"_a, "b"_a);
  bind_algorithm(m, Algorithm::cross, [](nb::handle a, nb::handle b, int64_t axisa, int64_t axisb, int64_t axisc, nb::handle axis) {
    Device& device = device_among({a, b});
    const Array x = array_from(a, device), y = array_from(b, device);
    if (const std::optional<int64_t> along = axis_from(axis)) axisa = axisb = axisc = *along;
    return without_lock([&] { return cross(x, y, axisa, axisb, axisc); });
  }, "a"_a, "b"_a, "axisa"_a = -1, "axisb"_a = -1, "axisc"_a = -1, "axis"_a = nb::none());
  bind_algorithm(m, Algorithm::einsum, &summed, "operands"_a, "out"_a = nb::none(), "optimize"_a = false, "dtype"_a = nb::none());
}

}  // namespace kasoku
