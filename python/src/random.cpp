/// \file random.cpp
/// ks.random: functions over the process's generator, and Generator.
#include "arguments.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/pcg64.h"
#include "kasoku/array/random.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/counters.h"
#include "kasoku/jit/runtime.h"

#include <nanobind/stl/array.h>

#include <array>
#include <cmath>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

namespace kasoku {

namespace {

using namespace nb::literals;
using GeneratorPtr = std::shared_ptr<Generator>;

int64_t first_length(const Array& array) {
  if (array.ndim() == 0) throw Error(ErrorKind::value, "an array of no axes has nothing to draw from");
  return array.shape()[0];
}

Shape size_from(nb::handle size) { return size.is_none() ? Shape{} : shape_from(size); }

Dtype float_from(nb::handle dtype) {
  const Dtype wanted = optional_dtype(dtype).value_or(Dtype::float64);
  if (!is_floating(wanted)) throw Error(ErrorKind::type, "random numbers of dtype " + std::string(info(wanted).name)).fix("dtype=\"float32\" or \"float64\"");
  return wanted;
}

/// Numbers of the standard distribution, stretched to the parameters' shape.
template <class F>
Array scaled(nb::handle a, nb::handle b, nb::handle size, Device& device, F draw) {
  std::optional<Operand> x = operand_from(a, device), y = operand_from(b, device);
  if (!x || !y) throw Error(ErrorKind::type, "parameters of a distribution are numbers or arrays");
  Shape shape = size_from(size);
  if (size.is_none()) {
    if (x->array) shape = broadcast(shape, x->array->shape());
    if (y->array) shape = broadcast(shape, y->array->shape());
  }
  const GilUntilBlocked keep;
  return draw(shape, *x, *y);
}

Array uniform(Generator& g, nb::handle low, nb::handle high, nb::handle size, nb::handle dtype, nb::handle device) {
  Device& where = device_from(device);
  const Dtype type = float_from(dtype);
  return scaled(low, high, size, where, [&](const Shape& shape, const Operand& a, const Operand& b) {
    const Array u = g.uniform(shape, type, where);
    if (!a.array && !b.array) {
      const double from = a.scalar.as_double(), width = b.scalar.as_double() - from;
      if (!std::isfinite(width)) throw Error(ErrorKind::value, "uniform: high - low is not finite");
      return apply(Op::add, {apply(Op::multiply, {u, width}), from});
    }
    Operand width = b;
    if (a.array) width = apply(Op::subtract, {b, a});
    else width = apply(Op::subtract, {*b.array, a});
    return apply(Op::add, {apply(Op::multiply, {u, width}), a});
  });
}

Array normal(Generator& g, nb::handle loc, nb::handle scale, nb::handle size, nb::handle dtype, nb::handle device) {
  Device& where = device_from(device);
  const Dtype type = float_from(dtype);
  return scaled(loc, scale, size, where, [&](const Shape& shape, const Operand& a, const Operand& b) {
    return apply(Op::add, {apply(Op::multiply, {g.normal(shape, type, where), b}), a});
  });
}

/// What NumPy's PCG64 draws, by threads of the host; an array of a GPU is a copy. `words`: its state and its increment, 16 bytes
/// each; they come back as they are afterwards.
nb::object draw_pcg64(const nb::bytes& words, const nb::object& widths, nb::handle size, double begin, double width) {
  Device& where = default_device();
  const auto layers = widths.is_none() ? std::optional<Ziggurat>() : Ziggurat(nb::cast<std::array<double, 256>>(widths));
  Pcg64 g;
  if (words.size() != sizeof g) throw Error(ErrorKind::value, "a state of PCG64 has 32 bytes");
  std::memcpy(&g, words.c_str(), sizeof g);
  Array drawn = Array::empty(shape_from(size), Dtype::float64, where.is_host() ? where : device("cpu"));
  auto* const out = static_cast<double*>(drawn.data());
  {
    const GilReleased release;
    if (layers) draw_normal(g, *layers, begin, width, out, drawn.size());
    else draw_uniform(g, begin, width, out, drawn.size());
  }
  drawn.buffer()->history.filled_by_host = true;
  if (!where.is_host()) {
    const CopyScope reason(CopyReason::array);
    const GilReleased release;
    drawn = to_device(drawn, where);
  }
  return nb::make_tuple(std::move(drawn), nb::bytes(&g.state, sizeof g.state));
}

Array integers(Generator& g, nb::handle low, nb::handle high, nb::handle size, nb::handle dtype, bool endpoint, nb::handle device) {
  const Scalar from = high.is_none() ? Scalar::of(0) : scalar_from(low), to = scalar_from(high.is_none() ? low : high);
  const Dtype type = optional_dtype(dtype).value_or(Dtype::int64);
  const auto wide = [](const Scalar& s) { return s.kind == DtypeKind::unsigned_ ? static_cast<__int128>(s.u) : static_cast<__int128>(s.as_int()); };
  const __int128 range = wide(to) - wide(from) + (endpoint ? 1 : 0);
  if (range <= 0) throw Error(ErrorKind::value, "low >= high");
  Device& where = device_from(device);
  const Shape shape = size_from(size);
  const GilReleased release;
  return g.integers(static_cast<int64_t>(wide(from)), static_cast<uint64_t>(range), shape, type, where);
}

Array drawn_choice(Generator& g, nb::handle from, nb::handle size, bool replace, nb::handle device) {
  Device& where = device_from(device);
  std::optional<Array> pool;
  int64_t n;
  if (PyIndex_Check(from.ptr()) && !has_length(from))
    n = shape_from(from)[0];
  else n = first_length(*(pool = array_from(from, where)));
  const Shape shape = size_from(size);
  if (n <= 0 && product(shape) > 0) throw Error(ErrorKind::value, "a cannot be empty unless no samples are taken");
  if (!replace && product(shape) > n) throw Error(ErrorKind::value, "Cannot take a larger sample than population when replace is False");
  const GilReleased release;
  Array at = replace ? g.integers(0, static_cast<uint64_t>(n), shape, Dtype::int64, where)
                     : reshape(g.permutation(n, where).with_view({{product(shape)}, {8}, 0}), shape);
  return pool ? take(*pool, at, 0) : at;
}

Array permuted(Generator& g, nb::handle x, nb::handle device) {
  Device& where = device_from(device);
  if (PyIndex_Check(x.ptr()) && !has_length(x)) return g.permutation(shape_from(x)[0], where);
  const Array array = array_from(x, where);
  const GilReleased release;
  return take(array, g.permutation(first_length(array), array.device()), 0);
}

/// What a seed of several words, or of a row of seeds, comes to.
uint64_t joined(uint64_t before, uint64_t word) {
  uint64_t mixed = before * 0x9E3779B97F4A7C15u + word + 1;
  mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93u;
  return mixed ^ (mixed >> 32);
}

uint64_t seed_from(nb::handle seed) {
  if (seed.is_none()) return entropy();
  if (PyLong_CheckExact(seed.ptr()) && seed.attr("bit_length")() > nb::int_(64)) {
    const nb::object behind = seed >> nb::int_(64);
    const uint64_t word = nb::cast<uint64_t>(seed & nb::int_(~uint64_t{0}));
    return joined(seed_from(behind), word);
  }
  if (has_length(seed)) {
    if (PyUnicode_Check(seed.ptr())) throw Error(ErrorKind::type, "a seed is an integer or a row of them, not a text");
    if (Py_EnterRecursiveCall(" in a seed")) throw nb::python_error();
    struct Left {
      ~Left() { Py_LeaveRecursiveCall(); }
    } left;
    uint64_t all = 0;
    for (nb::handle word : nb::iter(seed)) all = joined(all, seed_from(word));
    return all;
  }
  const Scalar value = scalar_from(seed);
  if (value.kind == DtypeKind::signed_ && value.i < 0) throw Error(ErrorKind::value, "a seed is an integer from 0 on, not " + std::to_string(value.i));
  if (value.kind == DtypeKind::floating || value.kind == DtypeKind::complex_) throw Error(ErrorKind::type, "a seed is an integer");
  return value.u;
}

}  // namespace

void bind_random(nb::module_& m) {
  nb::module_ random = m.def_submodule("_random", "Random arrays: pure functions of seed, draw and element.");
  nb::class_<Generator>(random, "Generator", R"(Draws of its own, numbered from 0: random numbers by Philox 4x32-10, a function of seed, draw and place in the array.

Made by ks.random.default_rng(seed). NumPy's Generator, with device= on each method.

>>> rng = ks.random.default_rng(1)
>>> rng.normal(size=2)
array([1.80455566, 1.07835396]))")
      .def("random", [](Generator& g, nb::handle size, nb::handle dtype, nb::handle device) {
        return g.uniform(size_from(size), float_from(dtype), device_from(device));
      }, "size"_a = nb::none(), "dtype"_a = nb::none(), "device"_a = nb::none(), "Numbers in [0, 1).")
      .def("uniform", &uniform, "low"_a = 0.0, "high"_a = 1.0, "size"_a = nb::none(), "dtype"_a = nb::none(), "device"_a = nb::none(), "Numbers in [low, high).")
      .def("normal", &normal, "loc"_a = 0.0, "scale"_a = 1.0, "size"_a = nb::none(), "dtype"_a = nb::none(), "device"_a = nb::none(), "Normal numbers.")
      .def("standard_normal", [](Generator& g, nb::handle size, nb::handle dtype, nb::handle device) {
        return g.normal(size_from(size), float_from(dtype), device_from(device));
      }, "size"_a = nb::none(), "dtype"_a = nb::none(), "device"_a = nb::none(), "Normal numbers of mean 0 and variance 1.")
      .def("integers", &integers, "low"_a, "high"_a = nb::none(), "size"_a = nb::none(), "dtype"_a = nb::none(), "endpoint"_a = false, "device"_a = nb::none(), "Integers in [low, high).")
      .def("exponential", [](Generator& g, nb::handle scale, nb::handle size, nb::handle device) {
        return apply(Op::multiply, {g.exponential(size_from(size), Dtype::float64, device_from(device)), scalar_from(scale).as_double()});
      }, "scale"_a = 1.0, "size"_a = nb::none(), "device"_a = nb::none(), "Exponential numbers.")
      .def("choice", &drawn_choice, "a"_a, "size"_a = nb::none(), "replace"_a = true, "device"_a = nb::none(), "Elements taken at random.")
      .def("permutation", &permuted, "x"_a, "device"_a = nb::none(), "In random order.")
      .def("_sampled", [](Generator& g, const std::string& name, nb::handle parameters, nb::handle size, nb::handle device) {
        Device& where = device_from(device);
        std::vector<Operand> operands;
        Shape shape = size_from(size);
        for (nb::handle parameter : parameters) {
          std::optional<Operand> operand = operand_from(parameter, where);
          if (!operand) throw Error(ErrorKind::type, "parameters of a distribution are numbers or arrays");
          if (operand->array && size.is_none()) shape = broadcast(shape, operand->array->shape());
          operands.push_back(*operand);
        }
        const GilReleased release;
        return g.sampled(name, operands, shape, where);
      }, "name"_a, "parameters"_a, "size"_a.none(), "device"_a.none(), "Numbers of a row of samplers.def.")
      .def_prop_ro("seed", [](Generator& g) { return g.seed(); });
  random.def(
      "default_rng", [](nb::handle seed) { return new Generator(seed_from(seed)); }, "seed"_a = nb::none(),
      nb::rv_policy::take_ownership,
      R"(A generator of its own. seed is an int, a row of them, or nothing for one that nobody knows.

Returns a Generator, whose methods are the functions of ks.random. Two of one seed give the same
numbers, on every device.

>>> ks.random.default_rng(1).random(2)
array([0.89025922, 0.58572612]))");
  random.def(
      "seed",
      [](nb::handle seed) {
        const uint64_t value = seed_from(seed);
        default_generator().seed(value);
        jit::seed(static_cast<int64_t>(value));
      },
      "seed"_a = nb::none(),
      R"(Starts the process's generator again, for arrays and for compiled functions; in a task of a graph, for that task.

seed is an int, a row of them, or nothing for one that nobody knows. Returns None.

>>> ks.random.seed(1)
>>> ks.random.random()
array(0.89025922))");
  m.def("_draw_pcg64", &draw_pcg64, "words"_a, "widths"_a.none(), "size"_a, "begin"_a, "width"_a,
        "begin + width * the numbers that NumPy's PCG64 draws, uniform ones, or normal ones by a ziggurat of those widths; and its state afterwards.");
  random.def("_process_generator", [] { return &default_generator(); }, nb::rv_policy::reference);
  random.def("rand", [](nb::args shape, nb::handle dtype, nb::handle device) {
    return default_generator().uniform(shape_from(shape), float_from(dtype), device_from(device));
  }, "shape"_a, "dtype"_a = nb::none(), "device"_a = nb::none(), R"(Numbers in [0, 1) of the process's generator, multiples of 2**-53; of float32 32 random bits, rounded.

Returns an array of that shape, of float64 unless dtype= is float32; device= is a Device or its name.

>>> ks.random.seed(1)
>>> ks.random.rand(3)
array([0.89025922, 0.58572612, 0.67199844]))");
  random.def("randn", [](nb::args shape, nb::handle dtype, nb::handle device) {
    return default_generator().normal(shape_from(shape), float_from(dtype), device_from(device));
  }, "shape"_a, "dtype"_a = nb::none(), "device"_a = nb::none(), R"(Normal numbers of mean 0 and variance 1, of the process's generator, by the transform of Box and Muller.

Returns an array of that shape, of float64 unless dtype= is float32; device= is a Device or its name.

>>> ks.random.seed(1)
>>> ks.random.randn(3)
array([1.80455566, 1.07835396, 1.47561985]))");
}

}  // namespace kasoku
