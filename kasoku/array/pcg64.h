/// \file kasoku/array/pcg64.h
/// The numbers of NumPy's usual generator, many at once and by several threads: those that one thread would draw.
#pragma once

#include <array>
#include <cstdint>

namespace kasoku {

/// O'Neill's PCG XSL RR 128/64.
struct Pcg64 {
  unsigned __int128 state, increment;

  uint64_t next();
  /// A number in [0, 1) of 53 bits.
  double next_double() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  /// Leaves out so many words.
  void advance(uint64_t words);
};

/// The 256 layers of Marsaglia and Tsang's ziggurat of the normal distribution.
struct Ziggurat {
  std::array<double, 256> width;    ///< a layer's, as a multiple of a number of 52 bits
  std::array<double, 256> height;   ///< the density at its end
  std::array<uint64_t, 256> inside; ///< smaller numbers are inside of the layer above, too

  explicit Ziggurat(const std::array<double, 256>& widths);
};

/// n numbers begin + width * u, with u uniform in [0, 1); `g` goes on behind them.
void draw_uniform(Pcg64& g, double begin, double width, double* out, int64_t n);
/// n numbers mean + deviation * z, with z of the standard normal distribution.
void draw_normal(Pcg64& g, const Ziggurat& layers, double mean, double deviation, double* out, int64_t n);

}  // namespace kasoku
