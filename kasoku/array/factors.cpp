/// Factors and solutions: memory in the form that the libraries take, their calls, and their failures.
#include "kasoku/linalg/factor.h"

#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/linalg.h"
#include "kasoku/array/matmul.h"
#include "kasoku/array/promote.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/linalg_error.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/replay.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kasoku {
namespace {

using linalg::Factor;

int64_t rows_of(const Array& a) { return a.shape()[a.shape().size() - 2]; }
int64_t columns_of(const Array& a) { return a.shape().back(); }

Shape with(Shape shape, std::initializer_list<int64_t> lengths) {
  for (int64_t length : lengths) shape.push_back(length);
  return shape;
}

/// New memory in C order that a routine may use up.
Array used_up(const Array& a) { return copy(a); }
Array used_up_by_svd(const Array& a) {
  const bool widens = linalg::wants_double_svd(a.device()) && real_part(a.dtype()) == Dtype::float32;
  return used_up(widens ? astype(a, is_complex(a.dtype()) ? Dtype::complex128 : Dtype::float64) : a);
}
Array transposed(const Array& a) { return swapaxes(a, -1, -2); }
Array adjoint(const Array& a) { return conjugate(transposed(a)); }

/// A stack of problems that lie where `a` does.
class Call {
 public:
  Call(Factor factor, const Array& a) : a_(a), batch_(batch_of(a)) {
    problem_.factor = factor;
    problem_.dtype = a.dtype();
    problem_.items = product(batch_);
    problem_.m = rows_of(a), problem_.n = columns_of(a);
  }
  Call& sides(int64_t m, int64_t n, int64_t k = 0) { return problem_.m = m, problem_.n = n, problem_.k = k, *this; }
  Call& limit(double value) { return problem_.limit = value, *this; }
  Call& with(const Array& operand) { return operands_[n_++] = operand, *this; }
  /// New memory for each item.
  Array result(std::initializer_list<int64_t> shape, Dtype dtype) {
    const Array made = Array::empty(kasoku::with(batch_, shape), dtype, a_.device());
    with(made);
    return made;
  }

  /// Whether an item failed. `meanwhile` begins more work on the results before this waits for the device.
  template <class Meanwhile>
  bool run(Meanwhile meanwhile) {
    if (std::string why; !linalg::has(problem_.factor, a_.device(), &why))
      throw Error(ErrorKind::unsupported, "there is no library for this on " + a_.device().str()).why(why);
    if (problem_.items == 0 || problem_.n == 0 || problem_.m == 0) return false;
    refuse_to_record("what a library of linear algebra computes");
    const Array status = Array::empty({problem_.items}, Dtype::int32, a_.device());
    for (size_t i = 0; i < n_; ++i) problem_.operands[i] = operands_[i].data();
    problem_.status = static_cast<int32_t*>(status.data());
    linalg::factor(problem_, a_.device(), a_.device().current_stream());
    if (a_.device().is_host()) return std::any_of(problem_.status, problem_.status + problem_.items, [](int32_t s) { return s != 0; });
    meanwhile();
    return is_true(reduce(ReduceOp::any, status));
  }
  bool run() { return run([] {}); }
  void run_or(const char* what) {
    if (run()) throw LinAlgError(what);
  }

 private:
  const Array a_;
  const Shape batch_;
  linalg::Factors problem_;
  Array operands_[4];
  size_t n_ = 0;
};

Array matrices(const Array& x, bool square = true) {
  must_be_matrices(x, square);
  return in_linalg_dtype(x);
}

void must_be_finite(const Array& a) {
  if (a.size() && !is_true(reduce(ReduceOp::all, apply(Op::isfinite, {a})))) throw LinAlgError("Array must not contain infs or NaNs");
}

/// A GPU's iterations end with NaN where a CPU's say that they failed.
void must_be_values(const Array& s) {
  if (!s.device().is_host() && s.size() && is_true(reduce(ReduceOp::any, apply(Op::isnan, {s})))) throw LinAlgError("SVD did not converge");
}

/// A copy of a hermitian matrix whose lower triangle counts.
Array by_lower_triangle(const Array& a, bool upper) { return upper ? used_up(adjoint(a)) : used_up(a); }

double precision(Dtype dtype) { return real_part(dtype) == Dtype::float32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon(); }

Array stretched_batch(const Array& a, const Shape& batch) { return batch_of(a) == batch ? a : broadcast_to(a, with(batch, {rows_of(a), columns_of(a)})); }

struct Lu {
  Array diagonal, swaps;  ///< of U; how many rows changed places
};
/// The matrix becomes the factors of its transpose; the rows that were exchanged, from 1.
Array pivots_of(const Array& a) {
  Call call(Factor::lu, a);
  call.with(a);
  const Array pivots = call.result({columns_of(a)}, Dtype::int32);
  call.run();  // singular ones have a 0 on the diagonal
  return pivots;
}
Lu lu(const Array& given) {
  const Array a = used_up(given), pivots = pivots_of(a);
  const Array own = arange(Scalar::of(1), Scalar::of(1), columns_of(a), Dtype::int32, a.device());
  return {diagonal(a, 0, -2, -1), reduce(ReduceOp::sum, apply(Op::not_equal, {pivots, own}), {Extents{-1}})};
}

/// 1 or -1, as there were even or odd numbers of swaps.
Array sign_of(const Array& swaps, Dtype dtype) {
  return astype(apply(Op::subtract, {1, apply(Op::multiply, {2, apply(Op::remainder, {swaps, 2})})}), dtype);
}

}  // namespace

Array in_linalg_dtype(const Array& x) {
  switch (x.dtype()) {
    case Dtype::float32:
    case Dtype::float64:
    case Dtype::complex64:
    case Dtype::complex128: return x;
    default:
      if (is_floating(x.dtype()) || x.dtype() == Dtype::opaque)
        throw Error(ErrorKind::type, "array type " + std::string(info(x.dtype()).name) + " is unsupported in linalg").fix("x.astype(\"float32\")");
      return astype(x, Dtype::float64);
  }
}

void must_be_matrices(const Array& x, bool square) {
  if (x.ndim() < 2) throw LinAlgError(std::to_string(x.ndim()) + "-dimensional array given. Array must be at least two-dimensional");
  if (square && rows_of(x) != columns_of(x)) throw LinAlgError("Last 2 dimensions of the array must be square");
}

Array solve(const Array& a_given, const Array& b_given) {
  const Array a_own = matrices(a_given);
  const bool is_vector = b_given.ndim() == 1;
  if (b_given.ndim() == 0) throw LinAlgError("0-dimensional array given. Array must be at least one-dimensional");
  const Dtype dtype = promote(a_own.dtype(), in_linalg_dtype(b_given).dtype());
  const Array b_own = is_vector ? expand_dims(b_given, {-1}) : b_given;
  if (rows_of(b_own) != rows_of(a_own))
    throw Error(ErrorKind::value, "solve: matrices of shape " + str(a_given.shape()) + " and right sides of shape " + str(b_given.shape()) + " do not match");
  const Shape batch = broadcast(batch_of(a_own), batch_of(b_own));
  const Array whole = stretched_batch(a_own, batch);
  const Array a = astype(linalg::solves_columns(whole.device()) ? transposed(whole) : whole, dtype), x = astype(transposed(stretched_batch(b_own, batch)), dtype);
  if (x.size()) Call(Factor::solve, a).sides(rows_of(a), rows_of(a), rows_of(x)).with(a).with(x).run_or("Singular matrix");
  return is_vector ? squeeze(x, Extents{-2}) : transposed(x);
}

Array inv(const Array& given) {
  const Array a = matrices(given);
  if (!linalg::has(Factor::inverse, a.device())) {
    const int64_t n = rows_of(a);
    const Array i = arange(Scalar::of(0), Scalar::of(1), n, Dtype::int64, a.device());
    return solve(a, astype(apply(Op::equal, {expand_dims(i, {1}), i}), a.dtype()));
  }
  const Array x = used_up(a);
  Call(Factor::inverse, x).with(x).run_or("Singular matrix");
  return x;
}

Array inv_or_nan(const Array& given) {
  const Array a = matrices(given);
  try {
    return inv(a);
  } catch (const LinAlgError&) {
    // One after the other only where there are singular ones, which are seldom.
    const int64_t n = rows_of(a);
    const Shape batch = batch_of(a);
    const Array flat = reshape(a, {product(batch), n, n});
    std::vector<Array> parts;
    for (int64_t i = 0; i < product(batch); ++i) {
      Index at;
      at.number_value = i;
      const Array item = get_item(flat, {at});
      try {
        parts.push_back(inv(item));
      } catch (const LinAlgError&) {
        parts.push_back(full({n, n}, Scalar::of(std::numeric_limits<double>::quiet_NaN()), a.dtype(), a.device()));
      }
    }
    return reshape(stack(parts, 0), a.shape());
  }
}

/// A determinant of 0 has no sign.
static Array unsigned_zero(const Array& x) { return apply(Op::add, {x, 0.0}); }

Array det(const Array& given) {
  const Array a = matrices(given);
  if (a.size() && linalg::has(Factor::det, a.device())) {
    const Array used = used_up(a);
    Call call(Factor::det, used);
    call.with(used);
    const Array result = call.result({}, a.dtype());
    call.run();
    return result;
  }
  const auto [diagonal, swaps] = lu(a);
  return unsigned_zero(
      apply(Op::multiply, {reduce(ReduceOp::prod, diagonal, {Extents{-1}}), sign_of(swaps, a.dtype())}));
}

std::pair<Array, Array> slogdet(const Array& given) {
  const Array a = matrices(given);
  if (a.size() && linalg::has(Factor::slogdet, a.device())) {
    const Array used = used_up(a);
    Call call(Factor::slogdet, used);
    call.with(used);
    const Array sign = call.result({}, a.dtype()), log = call.result({}, real_part(a.dtype()));
    call.run();
    return {sign, log};
  }
  const auto [diagonal, swaps] = lu(a);
  const Array size = apply(Op::absolute, {diagonal});
  const Array log = reduce(ReduceOp::sum, apply(Op::log, {size}), {Extents{-1}});
  // Of complex numbers too: what is left of a number without its size.
  const Array directions = apply(Op::where, {apply(Op::equal, {size, 0}), diagonal, apply(Op::divide, {diagonal, size})});
  const Array signs = reduce(ReduceOp::prod, directions, {Extents{-1}});
  return {unsigned_zero(apply(Op::multiply, {signs, sign_of(swaps, a.dtype())})), log};
}

std::pair<Array, Array> lu_factors(const Array& given) {
  const Array a = used_up(transposed(matrices(given)));
  if (!a.size()) return {a, Array::zeros(with(batch_of(a), {columns_of(a)}), Dtype::int32, a.device())};
  const Array pivots = pivots_of(a);
  return {transposed(a), apply(Op::subtract, {pivots, 1})};
}

Array cholesky(const Array& given, bool upper) {
  const Array matrix = matrices(given);
  // A device's library sees transposes, and is faster with their lower triangles.
  const bool is_host = matrix.device().is_host();
  const Array a = is_host ? by_lower_triangle(matrix, upper) : used_up(transposed(upper ? adjoint(matrix) : matrix));
  Array l = a;
  if (Call(Factor::cholesky, a).with(a).run([&] { (l = triangle(transposed(a), true)).data_for_read(); })) throw LinAlgError("Matrix is not positive definite");
  return upper ? adjoint(l) : l;
}

std::pair<std::optional<Array>, Array> qr(const Array& given, QrMode mode) {
  const Array matrix = matrices(given, false);
  const int64_t m = rows_of(matrix), n = columns_of(matrix), least = std::min(m, n);
  const int64_t k = mode == QrMode::complete ? m : mode == QrMode::reduced ? least : 0;
  const Array a = used_up(transposed(matrix));
  Call call(Factor::qr, a);
  call.sides(m, n, k).with(a);
  const Array q = call.result({k, m}, a.dtype()), tau = call.result({least}, a.dtype());
  if (m == 0 || n == 0) {
    const Array i = arange(Scalar::of(0), Scalar::of(1), m, Dtype::int64, a.device());
    if (k == m) q.assign(broadcast_to(astype(apply(Op::equal, {expand_dims(i, {1}), i}), a.dtype()), q.shape()));
  } else {
    call.run_or("QR factorization failed");
  }
  if (mode == QrMode::raw) return {a, tau};
  Index whole, first;
  whole.kind = Index::ellipsis;
  first.kind = Index::slice, first.stop = mode == QrMode::complete ? m : least;
  Index columns;
  columns.kind = Index::slice;
  const Array r = triangle(get_item(transposed(a), {whole, first, columns}), false);
  if (mode == QrMode::r) return {std::nullopt, r};
  return {transposed(q), r};
}

Svd svd(const Array& given, bool full_matrices) {
  const Array matrix = matrices(given, false);
  const int64_t m = rows_of(matrix), n = columns_of(matrix), least = std::min(m, n);
  const int64_t k = full_matrices ? std::max(m, n) : least;
  const Array a = used_up_by_svd(matrix);
  Call call(Factor::svd, a);
  call.sides(m, n, k).with(a);
  const Array s = call.result({least}, real_part(a.dtype())), u = call.result({m, std::min(m, k)}, a.dtype()), vh = call.result({std::min(n, k), n}, a.dtype());
  if (least == 0) {
    const auto fill = [&](const Array& x, int64_t side) {
      const Array i = arange(Scalar::of(0), Scalar::of(1), side, Dtype::int64, a.device());
      if (rows_of(x) == columns_of(x)) x.assign(broadcast_to(astype(apply(Op::equal, {expand_dims(i, {1}), i}), a.dtype()), x.shape()));
    };
    fill(u, m), fill(vh, n);
  } else {
    call.run_or("SVD did not converge");
    must_be_values(s);
  }
  return {as_dtype(u, matrix.dtype()), as_dtype(s, real_part(matrix.dtype())), as_dtype(vh, matrix.dtype())};
}

Array svdvals(const Array& given) {
  const Array matrix = matrices(given, false), a = used_up_by_svd(matrix);
  Call call(Factor::svdvals, a);
  call.with(a);
  const Array s = call.result({std::min(rows_of(a), columns_of(a))}, real_part(a.dtype()));
  call.run_or("SVD did not converge");
  must_be_values(s);
  return as_dtype(s, real_part(matrix.dtype()));
}

std::pair<Array, Array> eigh(const Array& given, bool upper) {
  const Array a = by_lower_triangle(matrices(given), upper);
  Call call(Factor::eigh, a);
  call.with(a);
  const Array w = call.result({rows_of(a)}, real_part(a.dtype()));
  call.run_or("Eigenvalues did not converge");
  return {w, adjoint(a)};
}

Array eigvalsh(const Array& given, bool upper) {
  const Array a = by_lower_triangle(matrices(given), upper);
  Call call(Factor::eigvalsh, a);
  call.with(a);
  const Array w = call.result({rows_of(a)}, real_part(a.dtype()));
  call.run_or("Eigenvalues did not converge");
  return w;
}

namespace {

/// Values, and vectors as rows if they are wanted; both complex.
std::pair<Array, Array> complex_eig(const Array& matrix, Factor factor) {
  must_be_finite(matrix);
  const Dtype dtype = real_part(matrix.dtype()) == Dtype::float32 ? Dtype::complex64 : Dtype::complex128;
  const Array a = used_up(transposed(matrix));
  const int64_t n = rows_of(a);
  Call call(factor, a);
  call.with(a);
  const Array w = call.result({n}, dtype), v = factor == Factor::eig ? call.result({n, n}, dtype) : Array();
  call.run_or("Eigenvalues did not converge");
  return {w, v};
}

}  // namespace

std::pair<Array, Array> eig(const Array& given) {
  const auto [w, v] = complex_eig(matrices(given), Factor::eig);
  return {w, transposed(v)};
}

Array eigvals(const Array& given) { return complex_eig(matrices(given), Factor::eigvals).first; }

Lstsq lstsq(const Array& a_given, const Array& b_given, std::optional<double> limit) {
  const bool is_vector = b_given.ndim() == 1;
  if (b_given.ndim() > 2 && a_given.ndim() == 2) throw LinAlgError(std::to_string(b_given.ndim()) + "-dimensional array given. Array must be two-dimensional");
  if (a_given.ndim() < 2) throw LinAlgError(std::to_string(a_given.ndim()) + "-dimensional array given. Array must be two-dimensional");
  const Array a_own = in_linalg_dtype(a_given), b_own = is_vector ? expand_dims(b_given, {-1}) : b_given;
  if (b_own.ndim() < 2) throw LinAlgError("0-dimensional array given. Array must be at least one-dimensional");
  if (rows_of(a_own) != rows_of(b_own)) throw LinAlgError("Incompatible dimensions");
  const Dtype dtype = promote(a_own.dtype(), in_linalg_dtype(b_own).dtype());
  if (const Dtype wide = is_complex(dtype) ? Dtype::complex128 : Dtype::float64;
      dtype != wide) {  // the equations may be nearly dependent
    const Lstsq r = lstsq(astype(a_own, wide), astype(b_given, wide), limit);
    return {astype(r.x, dtype), astype(r.residuals, real_part(dtype)), r.rank, astype(r.s, real_part(dtype))};
  }
  const Shape batch = broadcast(batch_of(a_own), batch_of(b_own));
  const Array matrix = stretched_batch(a_own, batch), right = stretched_batch(b_own, batch);
  const int64_t m = rows_of(matrix), n = columns_of(matrix), k = columns_of(right), least = std::min(m, n);
  const double below = limit.value_or(precision(dtype) * static_cast<double>(std::max(m, n)));
  Device& device = matrix.device();
  Array x, s, rank;
  if (least == 0 || k == 0) {
    x = Array::zeros(with(batch, {n, k}), dtype, device);
    s = least == 0 ? Array::empty(with(batch, {0}), real_part(dtype), device) : svdvals(astype(matrix, dtype));
    rank = reduce(ReduceOp::sum, astype(apply(Op::greater, {s, apply(Op::multiply, {reduce(ReduceOp::max, s, {Extents{-1}, true, std::nullopt, Scalar::of(0.0)}), below})}), Dtype::int32), {Extents{-1}}, Dtype::int32);
  } else if (linalg::has(Factor::lstsq, device)) {
    const Array a = astype(transposed(matrix), dtype);
    Array rows = astype(transposed(right), dtype);
    if (n > m) rows = concatenate(std::vector{rows, Array::zeros(with(batch, {k, n - m}), dtype, device)}, -1);
    Call call(Factor::lstsq, a);
    call.sides(m, n, k).limit(below).with(a).with(rows);
    s = call.result({least}, real_part(dtype));
    rank = call.result({}, Dtype::int32);
    call.run_or("SVD did not converge in Linear Least Squares");
    Index whole, first;
    whole.kind = Index::ellipsis, first.kind = Index::slice, first.stop = n;
    x = copy(transposed(get_item(rows, {whole, first})));
  } else {
    const Svd parts = svd(astype(matrix, dtype), false);
    s = parts.s;
    const Array is_counted = apply(Op::greater, {s, apply(Op::multiply, {reduce(ReduceOp::max, s, {Extents{-1}, true}), below})});
    const Array inverse = apply(Op::where, {is_counted, apply(Op::reciprocal, {s}), Array::zeros({}, s.dtype(), device)});
    x = matmul(adjoint(parts.vh), apply(Op::multiply, {expand_dims(inverse, {-1}), matmul(adjoint(parts.u), astype(right, dtype))}));
    rank = reduce(ReduceOp::sum, astype(is_counted, Dtype::int32), {Extents{-1}}, Dtype::int32);
  }
  // Sums of squares of what is left, where all columns count.
  Array residuals = Array::empty({0}, real_part(dtype), device);
  const bool all_count = m > n && batch.empty() && k > 0 && is_true(apply(Op::equal, {rank, astype(full({}, Scalar::of(n), Dtype::int32, device), Dtype::int32)}));
  if (all_count) {
    const Array rest = apply(Op::absolute, {apply(Op::subtract, {astype(right, dtype), matmul(astype(matrix, dtype), x)})});
    residuals = reduce(ReduceOp::sum, apply(Op::multiply, {rest, rest}), {Extents{-2}});
  }
  return {is_vector ? squeeze(x, Extents{-1}) : x, residuals, rank, s};
}

Array pinv(const Array& given, const std::optional<Array>& rtol) {
  const Array a = matrices(given, false);
  if (a.size() == 0) return Array::empty(with(batch_of(a), {columns_of(a), rows_of(a)}), rows_of(a) * columns_of(a) == 0 ? given.dtype() : a.dtype(), a.device());
  const Svd parts = svd(conjugate(a), false);
  const double usual = parts.s.dtype() == Dtype::float64
                           ? 1e-15
                           : precision(parts.s.dtype()) * static_cast<double>(std::max(rows_of(a), columns_of(a)));
  const Array limit = rtol ? astype(expand_dims(*rtol, {-1}), parts.s.dtype())
                           : full({}, Scalar::of(usual), parts.s.dtype(), a.device());
  const Array is_counted = apply(Op::greater, {parts.s, apply(Op::multiply, {limit, reduce(ReduceOp::max, parts.s, {Extents{-1}, true})})});
  const Array inverse = apply(Op::where, {is_counted, apply(Op::reciprocal, {parts.s}), Array::zeros({}, parts.s.dtype(), a.device())});
  return matmul(transposed(parts.vh), apply(Op::multiply, {expand_dims(inverse, {-1}), transposed(parts.u)}));
}

Array matrix_rank(const Array& a, const std::optional<Array>& tol, const std::optional<Array>& rtol) {
  if (a.ndim() < 2) return astype(reduce(ReduceOp::any, apply(Op::not_equal, {a, 0})), Dtype::int64);
  const Array s = svdvals(a);
  const Dtype dtype = s.dtype();
  Array limit;
  if (tol) {
    limit = expand_dims(*tol, {-1});
  } else {
    const Array largest = reduce(ReduceOp::max, s, {Extents{-1}, true, std::nullopt, Scalar::of(0.0)});
    const double usual = precision(dtype) * static_cast<double>(std::max(rows_of(a), columns_of(a)));
    limit = rtol ? apply(Op::multiply, {largest, expand_dims(*rtol, {-1})}) : apply(Op::multiply, {largest, usual});
  }
  return reduce(ReduceOp::count_nonzero, apply(Op::greater, {s, limit}), {Extents{-1}});
}

}  // namespace kasoku
