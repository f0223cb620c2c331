/// \file kasoku/linalg/lapack.h
/// Factors of matrices in host memory, by the LAPACK of the library that blas() found.
#pragma once

#include "kasoku/base/dtype.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace kasoku::linalg {

/// By LAPACK's names without the letter of the type; those of real numbers stand for the complex ones too.
/// LAPACK's columns are the rows of an array in C order, so a routine sees the transpose of what it is given:
enum class Routine : uint8_t {
  getrf,         ///< a[n, n] becomes the factors L U of its transpose; pivots[n] of int64, from 1
  getrs,         ///< those and x[k, n]: solves a y = row for each row of x
  getri,         ///< those: the factors become the inverse of a
  potrf,         ///< the lower triangle of a[n, n] becomes L of a = L L^H; the upper one stays
  gelqf,         ///< a[m, n], t[min(m, n)]: the upper triangle becomes R of a = Q R
  orglq,         ///< those: the first min(m, n) columns of a become Q
  geqrf,         ///< a[n, m], the transpose, t[min(m, n)]: the lower triangle becomes R^T
  orgqr,         ///< a[k, m], whose first rows geqrf left there, and t: the rows become k columns of Q
  heevd,         ///< a[n, n], of which the lower triangle counts, w[n] real: values, rows of a: conjugated vectors
  heevd_values,  ///< only w
  gesdd,         ///< a[m, n], s[k] real, u[m, k], vh[k, n] with k = min(m, n), or u[m, m], vh[n, n]
  gesdd_values,  ///< only s
  geev,          ///< a[n, n], the transpose; w[n] and the imaginary parts i[n] if a is real, rows of v[n, n] or v[0, n]: vectors
  gelsd,         ///< a[n, m], the transpose; x[k, max(m, n)] in and out, s[min(m, n)], limit[1] real, rank[1] of int64
  gesv,          ///< a[n, n], the transpose, pivots[n] of int64, which are used up, x[k, n]: solves a y = row for each row of x
};
std::optional<Routine> routine(std::string_view name);

/// An array in C order without gaps; one of one axis has one row.
struct Rows {
  void* data;
  int64_t count, length;
};

/// No library has the routine for this type.
constexpr int64_t absent = -1000;
/// Whether there is a library with LAPACK's functions at all.
bool has_lapack();
/// Calls a routine. Returns LAPACK's info: 0, or a positive number that says where it failed; `absent` if the library
/// lacks it.
/// `are_threads_chosen`: the caller has told the library how many threads it may take.
int64_t lapack(Routine routine, Dtype dtype, std::span<const Rows> operands, bool are_threads_chosen = false);

}  // namespace kasoku::linalg
