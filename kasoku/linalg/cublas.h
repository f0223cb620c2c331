/// \file kasoku/linalg/cublas.h
/// Products on a GPU by cuBLAS, found at run time.
#pragma once

#include "kasoku/linalg/provider.h"

#include <mutex>

struct cublasContext;

namespace kasoku::linalg {

/// matmul() on a GPU. The caller has collapsed batch axes, and has c in row order where that is possible.
void cuda_matmul(const Matmul& problem, Device& device, Stream& stream);

/// "" if cuBLAS can be used, else why not. Does not load it.
std::string cublas_missing();
std::string cublas_file();

/// cuBLAS's handle of a stream, for as long as this lives.
struct HeldCublas {
  std::unique_lock<std::mutex> lock;
  cublasContext* handle;
};
HeldCublas hold_cublas(Stream& stream);

/// A product by a kernel of our own, for dtypes that cuBLAS lacks. `c` with any strides.
void kernel_matmul(const Matmul& problem, Device& device, Stream& stream);

/// Copies a matrix with any strides into one whose rows and columns are contiguous, or back.
void kernel_copy(const Matrices& to, const Matrices& from, int64_t rows, int64_t columns,
                 size_t size, Device& device, Stream& stream);

/// pointers[i] = first + i * bytes, for what takes a stack as a list.
void kernel_pointers(void** pointers, void* first, int64_t items, int64_t bytes, Device& device, Stream& stream);

/// Each of a stack of matrices of this dtype turned round and conjugated: to[columns, rows] of from[rows, columns], both in C order.
/// The stacks' next items are so many elements further.
void kernel_adjoint(void* to, const void* from, int64_t items, int64_t rows, int64_t columns, int64_t to_next, int64_t from_next, Dtype dtype, Device& device,
                    Stream& stream);

/// Complex eigenvectors to[n, n] as rows, of what LAPACK's geev leaves of a real matrix: from[n, n], where the vectors of a
/// pair of conjugated values[n] share two rows, the real part and the imaginary one. `dtype` is the matrix's.
void kernel_pairs(void* to, const void* from, const void* values, int64_t items, int64_t n, Dtype dtype, Device& device, Stream& stream);

/// The first k columns of the Q of each item's reflectors, one behind the other, from what LAPACK's geqrf leaves: vectors[n, m], whose
/// rows have them behind their diagonals, and taus[min(m, n)].
void kernel_reflect(void* q, const void* vectors, const void* taus, int64_t items, int64_t m, int64_t n, int64_t k, Dtype dtype, Device& device, Stream& stream);

/// Exchanges the elements of rows of n, at most so many, as the pivots of LAPACK's getrf say.
constexpr int64_t most_exchanged = 6144;
void kernel_exchange(void* to, const void* from, const int32_t* pivots, int n, int64_t rows, size_t size, Device& device, Stream& stream);

}  // namespace kasoku::linalg
