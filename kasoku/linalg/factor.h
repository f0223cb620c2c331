/// \file kasoku/linalg/factor.h
/// Factors and solutions of stacks of matrices in a device's memory, by LAPACK on a CPU and cuSOLVER on a GPU.
#pragma once

#include "kasoku/base/dtype.h"
#include "kasoku/device/device.h"

#include <cstdint>
#include <string>

namespace kasoku::linalg {

/// Operands are stacks of arrays in C order without gaps, of the problem's dtype where nothing else is said ("real": of
/// its real one). The libraries' columns are the rows of such arrays.
enum class Factor : uint8_t {
  lu,         ///< a[n, n] becomes L and U of its transpose; pivots[n] of int32, from 1
  solve,      ///< a[n, n], x[k, n]: each row of x becomes y with a y = row; a is used up, and its transpose is given where solves_columns()
  inverse,    ///< a[n, n] becomes its inverse
  det,        ///< a[n, n], det[1]; a is used up
  slogdet,    ///< a[n, n], sign[1], the logarithm of the size[1] real; a is used up
  cholesky,   ///< the lower triangle of a[n, n] becomes L of a = L L^H; the upper one is 0 on a CPU. Elsewhere of the transpose, and the other triangle is not defined
  qr,         ///< a[n, m], whose rows are a matrix's columns: the lower triangle becomes R^T. q[k, m]: the columns of Q, k of them. tau[min(m, n)]
  eigh,       ///< a[n, n], of which the lower triangle counts, w[n] real: rows of a become conjugated vectors
  eigvalsh,   ///< only w
  svd,        ///< a[m, n], s[min(m, n)] real, u[m, min(m, k)], vh[min(n, k), n] with k = min(m, n) or max(m, n); a is used up
  svdvals,    ///< only s
  eig,        ///< a[n, n], the transpose; w[n] and rows of v[n, n], the vectors, complex; a is used up
  eigvals,    ///< only w
  lstsq,      ///< a[n, m], the transpose; x[k, max(m, n)], s[min(m, n)] real, rank[1] of int32; values below limit * s[0] count as 0
};

struct Factors {
  Factor factor;
  Dtype dtype = Dtype::float64;
  int64_t items = 1;
  int64_t m = 0, n = 0, k = 0;
  void* operands[4] = {};
  int32_t* status = nullptr;  ///< of each item: 0, or a positive number that says where it failed
  double limit = 0;
};

/// Whether the device's library has it; if not, `why` says what to install, or is empty: it is a composition of others.
bool has(Factor factor, Device& device, std::string* why = nullptr);
/// Whether the matrix of solve is given by columns, which the library is faster with than with its rows.
bool solves_columns(Device& device);
/// Whether single precision is to be factored by svd and svdvals in double: cuSOLVER's Jacobi iterations leave vectors of n
/// rows off by some 4 n units in the last place, 5e-4 of 1000 rows of float32, and its other way takes longer than double does.
bool wants_double_svd(Device& device);
/// Computes the factors in the order of `stream`; on a CPU they are there on return. No length may be 0.
void factor(const Factors& problem, Device& device, Stream& stream);

}  // namespace kasoku::linalg
