/// \file kasoku/array/random.h
/// Arrays of random numbers: pure functions of (seed, stream, draw, element), see
/// codegen/philox.def. The same numbers on every device, with any number of
/// threads, stored or fused.
#pragma once

#include "kasoku/array/array.h"

#include <atomic>
#include <cstdint>

namespace kasoku {

/// Numbers its draws. Two threads that draw from one generator never get the same
/// draw; which thread gets which is their race.
class Generator {
 public:
  explicit Generator(uint64_t seed, uint32_t stream = 0) : seed_(seed), stream_(stream) {}

  void seed(uint64_t seed);
  uint64_t seed() const { return seed_.load(); }
  uint32_t stream() const { return stream_.load(); }
  uint32_t next_draw();

  /// [0, 1), float32 or float64.
  Array uniform(const Shape& shape, Dtype dtype, Device& device);
  /// Mean 0, variance 1.
  Array normal(const Shape& shape, Dtype dtype, Device& device);
  /// low <= x < low + range; a range of 0 stands for 2^64.
  Array integers(int64_t low, uint64_t range, const Shape& shape, Dtype dtype, Device& device);
  Array exponential(const Shape& shape, Dtype dtype, Device& device);
  /// 0 … n-1 in random order.
  Array permutation(int64_t n, Device& device);

 private:
  Array leaf(Distribution distribution, const Shape& shape, Dtype dtype, Device& device,
             int64_t low = 0, uint64_t range = 0);

  std::atomic<uint64_t> seed_;
  std::atomic<uint32_t> stream_;
  std::atomic<uint32_t> draw_{0};
};

/// The process's generator: seeded from the system's entropy, and again after a fork.
Generator& default_generator();
uint64_t entropy();

}  // namespace kasoku
