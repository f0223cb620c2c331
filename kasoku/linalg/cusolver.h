/// \file kasoku/linalg/cusolver.h
/// Factors on a GPU by cuSOLVER and cuBLAS, found at run time.
#pragma once

#include "kasoku/linalg/factor.h"

namespace kasoku::linalg {

/// has() and factor() (factor.h) for GPUs.
bool cuda_has(Factor factor, std::string* why);
void cuda_factor(const Factors& problem, Device& device, Stream& stream);

}  // namespace kasoku::linalg
