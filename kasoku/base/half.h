/// \file kasoku/base/half.h
/// float16 and bfloat16 as bits, to float32 and back (to nearest, ties to even).
#pragma once

#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <utility>

namespace kasoku {

/// To odd: what is rounded once more, to fewer bits, is as if it had been rounded once.
inline float to_odd(double value) {
  const auto nearest = static_cast<float>(value);
  const auto bits = std::bit_cast<uint32_t>(nearest);
  return std::bit_cast<float>((bits - (std::fabs(double{nearest}) > std::fabs(value))) | (double{nearest} != value));
}

/// to_odd() of an integer. One that double does not hold exactly first loses its lowest 12 bits, rounded to odd too.
template <std::integral T>
float to_odd(T value) {
  constexpr int64_t most = int64_t{1} << 53;
  const bool is_long = std::cmp_greater(value, most) || std::cmp_less(value, -most);
  const T low = static_cast<T>(value & 0xfff);
  return to_odd(static_cast<double>(is_long ? (value - low) | (low != 0 ? 0x1000 : 0) : value));
}

inline float bfloat16_to_float(uint16_t bits) { return std::bit_cast<float>(uint32_t{bits} << 16); }

inline uint16_t float_to_bfloat16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if (value != value) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline float half_to_float(uint16_t bits) {
  const uint32_t sign = uint32_t{bits & 0x8000u} << 16, rest = bits & 0x7fffu;
  if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000 | (rest & 0x3ff) << 13);
  // A product with 2^112 moves the exponent's bias and makes denormals normal.
  const float magnitude = std::bit_cast<float>(rest << 13) * 0x1p112f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

inline uint16_t float_to_half(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const uint32_t rest = bits & 0x7fffffff;
  if (rest > 0x7f800000) return static_cast<uint16_t>(sign | 0x7e00);
  if (rest >= 0x477ff000) return static_cast<uint16_t>(sign | 0x7c00);  // 65520 and more
  if (rest < 0x38800000) {
    // Below 2^-14 the result is a multiple of 2^-24; adding 0.5 rounds to it.
    const float shifted = std::bit_cast<float>(rest) + 0.5f;
    return static_cast<uint16_t>(
        sign | (std::bit_cast<uint32_t>(shifted) - std::bit_cast<uint32_t>(0.5f)));
  }
  return static_cast<uint16_t>(sign | (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13);
}

}  // namespace kasoku
