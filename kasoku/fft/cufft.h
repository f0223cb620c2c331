/// \file kasoku/fft/cufft.h
/// Fourier transforms on a GPU by cuFFT, found at run time.
#pragma once

#include "kasoku/fft/fft.h"

namespace kasoku::fft {

/// transform() (fft.h) on a GPU.
void cufft_transform(const Transform& problem, Device& device, Stream& stream);

}  // namespace kasoku::fft
