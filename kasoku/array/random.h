/// \file kasoku/array/random.h
/// Arrays of random numbers: pure functions of (seed, stream, draw, element), see
/// codegen/philox.def. The same numbers on every device, with any number of
/// threads, stored or fused.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/base/draws.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace kasoku {

/// Numbers its draws. Two threads that draw from one generator never get the same
/// draw; which thread gets which is their race, except for tasks of a graph.
class Generator {
 public:
  explicit Generator(uint64_t seed, DrawSource::Owner owner = DrawSource::Owner::maker) : draws_(seed, owner) {}

  void seed(uint64_t seed) { draws_.seed(seed); }
  uint64_t seed() const { return draws_.key(); }

  /// [0, 1), float32 or float64.
  Array uniform(const Shape& shape, Dtype dtype, Device& device);
  /// Mean 0, variance 1.
  Array normal(const Shape& shape, Dtype dtype, Device& device);
  /// low <= x < low + range; a range of 0 stands for 2^64.
  Array integers(int64_t low, uint64_t range, const Shape& shape, Dtype dtype, Device& device);
  Array exponential(const Shape& shape, Dtype dtype, Device& device);
  /// 0 … n-1 in random order.
  Array permutation(int64_t n, Device& device);
  /// Numbers of a row of codegen/samplers.def, float64; parameters are numbers or stretch to the shape.
  Array sampled(std::string_view sampler, std::span<const Operand> parameters, const Shape& shape, Device& device);

 private:
  Array leaf(Distribution distribution, const Shape& shape, Dtype dtype, Device& device,
             int64_t low = 0, uint64_t range = 0);

  friend Generator& default_generator();
  DrawSource draws_;
};

/// The process's generator: seeded from the system's entropy, and again after a fork.
Generator& default_generator();

}  // namespace kasoku
