/// \file kasoku/linalg/cublas.h
/// Products on a GPU by cuBLAS, found at run time.
#pragma once

#include "kasoku/linalg/provider.h"

namespace kasoku::linalg {

/// As matmul(), with batch axes collapsed and c in row order where it can be.
void cuda_matmul(const Matmul& problem, Device& device, Stream& stream);

/// "" if cuBLAS can be used, else why not. Does not load it.
std::string cublas_missing();
std::string cublas_file();

/// A product by a kernel of our own, for dtypes that cuBLAS lacks. `c` with any strides.
void kernel_matmul(const Matmul& problem, Device& device, Stream& stream);

/// Copies a matrix with any strides into one whose rows and columns are contiguous, or back.
void kernel_copy(const Matrices& to, const Matrices& from, int64_t rows, int64_t columns,
                 size_t size, Device& device, Stream& stream);

}  // namespace kasoku::linalg
