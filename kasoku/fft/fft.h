/// \file kasoku/fft/fft.h
/// Fourier transforms of arrays in a device's memory: DUCC0 on a CPU, cuFFT on a GPU.
#pragma once

#include "kasoku/base/dtype.h"
#include "kasoku/base/extents.h"
#include "kasoku/device/device.h"

#include <string>

namespace kasoku::fft {

enum class Kind : uint8_t {
  complex,     ///< complex to complex
  to_half,     ///< real to complex: of the last of the axes n // 2 + 1 elements, the others follow from them
  from_half,   ///< and back
};

/// y[k] = factor * sum(x[j] * exp(-+ 2 pi i j k / n)) along each of the axes, - where it is forward. The two arrays do not overlap.
struct Transform {
  Kind kind = Kind::complex;
  bool is_forward = true;    ///< of real ones: of the numbers as they are, else of their conjugates
  Dtype real = Dtype::float64;  ///< or float32: the parts of the complex numbers
  Extents lengths;           ///< of the larger of the two arrays; none is 0
  Extents axes;              ///< at least one, each once, not negative
  const void* from = nullptr;
  void* to = nullptr;
  Extents from_strides, to_strides;  ///< bytes
  double factor = 1;
};

/// The transforms that a device's library takes as they are.
struct Limits {
  bool is_plain;  ///< both arrays lie in C order without gaps (but a result of one axis may lie in rows of others), the axes are the last ones, the factor is 1, and what from_half reads is used up
  size_t axes;    ///< at most so many
};
Limits limits(Device& device);
/// Computes a transform in the order of `stream`; on a CPU it is done on return.
void transform(const Transform& problem, Device& device, Stream& stream);

}  // namespace kasoku::fft
