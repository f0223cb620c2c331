/// \file kasoku/array/fft.h
/// numpy.fft: discrete Fourier transforms by the libraries of kasoku/fft, on the device where the array lies.
#pragma once

#include "kasoku/array/array.h"

#include <optional>

namespace kasoku {

enum class Fourier : uint8_t {
  forward,       ///< of complex numbers (real ones become complex): exp(-2 pi i …)
  inverse,       ///< the same with exp(+2 pi i …)
  half,          ///< of real numbers: n // 2 + 1 elements along the last axis, from which the others follow
  half_inverse,  ///< from those back to n real numbers
};
/// Which direction is divided by the number of elements (ortho: both, by its square root).
enum class FftNorm : uint8_t { backward, ortho, forward };

/// Along `axes`, or the last ones if only `lengths` are given, or all. lengths: of what is transformed (of half_inverse:
/// of the result) along each axis; cut or filled up with zeros, -1: as it is. float32 gives complex64, other real
/// numbers complex128.
Array fourier(Fourier kind, const Array& x, const std::optional<Extents>& lengths = std::nullopt,
              const std::optional<Extents>& axes = std::nullopt, FftNorm norm = FftNorm::backward);

/// Frequencies in the order of the transform's elements: cycles per unit of the spacing `d`. half: of n // 2 + 1.
Array frequencies(int64_t n, double d, bool half, Device& device);
/// Moves frequency 0 to the middle of the axes (or all), or back.
Array shifted(const Array& x, const std::optional<Extents>& axes, bool back);

}  // namespace kasoku
