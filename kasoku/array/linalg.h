/// \file kasoku/array/linalg.h
/// numpy.linalg: what libraries compute of stacks of matrices (linalg/factor.h) and what follows from it, on the device
/// where the arrays lie. Integers and bools are computed in float64; leading axes are a stack, and stretch.
#pragma once

#include "kasoku/array/array.h"

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kasoku {

// Factors and solutions (factors.cpp). LinAlgError: a matrix that is not square, is singular, is not positive definite,
// or whose iteration does not converge.

/// x with a x = b; b is a vector if it has one axis, else a stack of matrices.
Array solve(const Array& a, const Array& b);
Array inv(const Array& a);
/// Inverses as inv() gives them, with NaN in the place of a singular matrix's.
Array inv_or_nan(const Array& a);
Array det(const Array& a);
/// The sign (a number of absolute value 1, or 0) and the logarithm of the absolute determinant.
std::pair<Array, Array> slogdet(const Array& a);
/// L, without its diagonal of ones, and U in one matrix; and with which row each row was exchanged, from the first on.
std::pair<Array, Array> lu_factors(const Array& a);
/// L with a = L L^H, of which the lower triangle counts; upper: U with a = U^H U, of which the upper one does.
Array cholesky(const Array& a, bool upper = false);

enum class QrMode : uint8_t { reduced, complete, r, raw };
/// Q and R; of mode r only R; of mode raw h and tau, as LAPACK's reflectors.
std::pair<std::optional<Array>, Array> qr(const Array& a, QrMode mode = QrMode::reduced);

struct Svd {
  Array u, s, vh;
};
Svd svd(const Array& a, bool full_matrices = true);
Array svdvals(const Array& a);

/// Values in increasing order, and vectors as columns, of symmetric or hermitian matrices by one triangle.
std::pair<Array, Array> eigh(const Array& a, bool upper = false);
Array eigvalsh(const Array& a, bool upper = false);
/// Eigenvalues of any square matrices, and eigenvectors as columns. Both are always complex.
std::pair<Array, Array> eig(const Array& a);
Array eigvals(const Array& a);

struct Lstsq {
  Array x, residuals, rank, s;
};
/// The x of least norm that makes |b - a x| least. limit: below it times the largest a singular value counts as 0;
/// nothing: the machine's precision times the longer side.
Lstsq lstsq(const Array& a, const Array& b, std::optional<double> limit = std::nullopt);

/// By singular values; those up to `rtol` (a number or one per matrix) times the
/// largest count as 0; nothing: 1e-15, as NumPy has it, in single precision its precision times the longer side.
Array pinv(const Array& a, const std::optional<Array>& rtol = std::nullopt);
/// How many singular values are above `tol`, or `rtol` times the largest.
Array matrix_rank(const Array& a, const std::optional<Array>& tol = std::nullopt, const std::optional<Array>& rtol = std::nullopt);

// Norms (norms.cpp).

/// The order of a norm: a number (infinities too), or a word.
struct NormOrder {
  enum Kind : uint8_t { none, number, fro, nuc } kind = none;
  double p = 2;
};
/// The norms of vectors along an axis; without axes, the norm of all elements as one vector.
Array vector_norm(const Array& x, double order = 2, const std::optional<Extents>& axes = std::nullopt, bool keepdims = false);
Array matrix_norm(const Array& x, NormOrder order = {NormOrder::fro}, std::pair<int64_t, int64_t> axes = {-2, -1}, bool keepdims = false);
/// NumPy's norm: of vectors or matrices, by the number of axes.
Array norm(const Array& x, NormOrder order = {}, const std::optional<Extents>& axes = std::nullopt, bool keepdims = false);
Array cond(const Array& x, NormOrder order = {});

// Products and parts (products.cpp).

Array matrix_power(const Array& a, int64_t n);
/// Multiplied in the order that costs least.
Array multi_dot(std::span<const Array> arrays);
Array tensorsolve(const Array& a, const Array& b, const std::optional<Extents>& axes = std::nullopt);
Array tensorinv(const Array& a, int64_t ind = 2);
Array outer(const Array& a, const Array& b);
/// Sums of products along one axis of each, the first one conjugated.
Array vecdot(const Array& a, const Array& b, int64_t axis = -1);
/// The cross products of vectors of three elements, or of two as np.cross allows.
Array cross(const Array& a, const Array& b, int64_t axis_a = -1, int64_t axis_b = -1, int64_t axis_c = -1);
/// A read-only view, the diagonal as last axis.
Array diagonal(const Array& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1);
Array trace(const Array& x, int64_t offset = 0, int64_t axis1 = 0, int64_t axis2 = 1, std::optional<Dtype> dtype = std::nullopt);
/// Elements on and below (or above) a diagonal; the others are 0.
Array triangle(const Array& x, bool lower, int64_t offset = 0);
Array conjugate(const Array& x);
/// A view of a complex array's real parts; others give themselves.
Array real(const Array& x);
/// A view of the imaginary ones; zeros of others.
Array imaginary(const Array& x);

/// The array in the dtype in which numpy.linalg computes: integers and bools become float64.
Array in_linalg_dtype(const Array& x);
/// LinAlgError unless the last two axes are there, and square.
void must_be_matrices(const Array& x, bool square = false);

}  // namespace kasoku
