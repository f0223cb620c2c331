/// \file kasoku/fft/ducc.h
/// Fourier transforms on a CPU by the headers of DUCC0, on the threads of our pool.
#pragma once

#include "kasoku/fft/fft.h"

namespace kasoku::fft {

/// transform() (fft.h) on a CPU.
void ducc_transform(const Transform& problem, Device& device, Stream& stream);

}  // namespace kasoku::fft
