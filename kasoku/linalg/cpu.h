/// \file kasoku/linalg/cpu.h
/// Products on a CPU: BLAS where it has the dtype, own loops elsewhere. Factors by the same library's LAPACK.
#pragma once

#include "kasoku/linalg/factor.h"
#include "kasoku/linalg/provider.h"

namespace kasoku::linalg {

/// matmul() on a CPU. The caller has collapsed batch axes, and has c in row order where that is possible.
void cpu_matmul(const Matmul& problem, Device& device, Stream& stream);

/// Whether products of matrices have the same bits with any number of threads from now on, for a tenth more time; what it
/// was. Of a library that others of the process use too this cannot be said.
bool set_deterministic(bool value);

/// One product by own loops, for dtypes that no library has or when there is none.
/// Pointers as in Matmul; batch axes are ignored.
void loop_matmul(const Matmul& problem);

/// has() and factor() (factor.h) for CPUs.
bool cpu_has(Factor factor, std::string* why);
void cpu_factor(const Factors& problem, Device& device, Stream& stream);

}  // namespace kasoku::linalg
