/// \file linalg.cpp
/// ks.linalg (kasoku/array/linalg.h): NumPy's names and arguments. A function of one array and no more is a row.
#include "kasoku/array/linalg.h"

#include "arguments.h"
#include "array_object.h"
#include "given.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/matmul.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/linalg/cpu.h"
#include "to_python.h"

#include <cmath>

namespace kasoku {
namespace {

using namespace nb::literals;

/// A function of two arrays; what is none yet comes to where the other lies.
template <class F>
auto of_two(nb::handle a, nb::handle b, const F& f) {
  Device& device = device_among({a, b});
  const Array x = array_from(a, device), y = array_from(b, device);
  must_be_together("an equation", x.device(), y.device());
  const GilReleased release;
  return f(x, y);
}

bool is_upper(nb::handle uplo) {
  const std::string letter = nb::cast<std::string>(uplo);
  if (letter == "U" || letter == "u") return true;
  if (letter == "L" || letter == "l") return false;
  throw Error(ErrorKind::value, "UPLO argument must be 'L' or 'U'");
}

NormOrder order_from(nb::handle order, const char* of) {
  if (order.is_none()) return {};
  if (PyUnicode_Check(order.ptr())) {
    const std::string word = nb::cast<std::string>(order);
    if (word == "fro" || word == "f") return {NormOrder::fro};
    if (word == "nuc") return {NormOrder::nuc};
    throw Error(ErrorKind::value, "Invalid norm order '" + word + "' for " + of).fix("\"fro\", \"nuc\", a number or numpy.inf");
  }
  return {NormOrder::number, scalar_from(order).as_double()};
}

/// The named tuples stand in kasoku/linalg.py, with their documentation.
template <class... T>
nb::object tuple_of(const char* name, T&&... parts) {
  return nb::module_::import_("kasoku.linalg").attr(name)(nb::cast(std::forward<T>(parts))...);
}

nb::object qr_of(nb::handle given, nb::handle mode_name) {
  const Array a = given_array(given);
  const std::string mode = nb::cast<std::string>(mode_name);
  const std::pair<const char*, QrMode> modes[] = {{"reduced", QrMode::reduced}, {"complete", QrMode::complete}, {"r", QrMode::r}, {"raw", QrMode::raw}};
  for (const auto& [name, value] : modes) {
    if (mode != name) continue;
    auto parts = without_gil([&] { return qr(a, value); });
    if (value == QrMode::r) return nb::cast(parts.second);
    if (value == QrMode::raw) return nb::make_tuple(*parts.first, parts.second);
    return tuple_of("QRResult", *parts.first, parts.second);
  }
  throw Error(ErrorKind::value, "Unrecognized mode '" + mode + "'").fix("mode=\"reduced\", \"complete\", \"r\" or \"raw\"");
}

/// A pair as a named tuple.
template <class F>
nb::object pair_of(const char* name, nb::handle given, const F& f) {
  const Array a = given_array(given);
  auto parts = without_gil([&] { return f(a); });
  return tuple_of(name, parts.first, parts.second);
}

void must_be_1d(const Array& a, const Array& b) {
  if (a.ndim() != 1 || b.ndim() != 1)
    throw Error(ErrorKind::value, "Input arrays must be one-dimensional, but they are a.ndim=" + std::to_string(a.ndim()) + " and b.ndim=" + std::to_string(b.ndim()) + ".");
}

void must_have_three(const Array& a, const Array& b, int64_t axis) {
  for (const Array* x : {&a, &b})
    if (x->ndim() == 0 || x->shape()[normal_axis(axis, x->ndim())] != 3)
      throw Error(ErrorKind::value, "Both input arrays must be (arrays of) 3-dimensional vectors, but they have the shapes " + str(a.shape()) + " and " + str(b.shape()) + ".");
}

/// with deterministic():
struct Deterministic {
  bool value, before;
};

/// What numpy.linalg and NumPy itself have under one name with one meaning.
void bind_in_both(nb::module_& m) {
  m.def("vecdot", [](nb::handle a, nb::handle b, int64_t axis) {
    return of_two(a, b, [&](const Array& x, const Array& y) { return vecdot(x, y, axis); });
  }, "x1"_a, "x2"_a, nb::kw_only(), "axis"_a = -1, R"(The sums of products of two arrays along an axis, the first one conjugated.

The other axes broadcast. Returns an array in the common dtype without that axis.
Lengths along it that differ are a ValueError.

>>> ks.vecdot([[1, 2], [3, 4]], [1, 1])
array([3, 7]))");
}

/// Functions of one array and no more.
void bind_of_one(nb::module_& m) {
  const auto of_one = [&m](const char* name, Array (*f)(const Array&), const char* doc) {
    m.def(name, [f](nb::handle a) {
      const Array x = given_array(a);
      const GilReleased release;
      return f(x);
    }, "a"_a, doc);
  };
  of_one("inv", &inv, R"(The inverses of square matrices (…, n, n), by LU factors with pivots.

Returns an array of the same shape; integers become float64. Raises LinAlgError if a matrix is singular or not square.

>>> ks.linalg.inv([[1.0, 2.0], [3.0, 4.0]]).round(6)
array([[-2. ,  1. ],
       [ 1.5, -0.5]]))");
  of_one("det", &det, R"(The determinants of square matrices (…, n, n), by LU factors with pivots.

Returns an array of shape (…); integers become float64. Raises LinAlgError if a matrix is not square.

>>> ks.linalg.det([[1.0, 2.0], [3.0, 4.0]]).round(6)
array(-2.))");
  of_one("eigvals", &eigvals, R"(The eigenvalues (…, n) of square matrices, always complex, in no order: LAPACK's geev.

Returns an array of complex numbers. Raises LinAlgError for NaN or infinities, or without convergence.

>>> ks.linalg.eigvals([[2.0, 0.0], [0.0, 3.0]])
array([2.+0.j, 3.+0.j]))");
  of_one("svdvals", &svdvals, R"(The singular values (…, min(m, n)) of matrices (…, m, n), the largest first.

Returns an array of floats. Raises LinAlgError without convergence.

>>> ks.linalg.svdvals([[3.0, 0.0], [0.0, 4.0]])
array([4., 3.]))");
  of_one("matrix_transpose", [](const Array& x) {
    if (x.ndim() < 2) throw Error(ErrorKind::value, "Input array must be at least 2-dimensional, but it is " + std::to_string(x.ndim()));
    return swapaxes(x, -1, -2);
  }, R"(A view with the last two axes swapped.

Returns a view: nothing is copied. Fewer than two axes are a ValueError.

>>> ks.linalg.matrix_transpose([[1, 2], [3, 4]])
array([[1, 3],
       [2, 4]]))");
}

void bind_decompositions(nb::module_& m) {
  m.def("cholesky", [](nb::handle a, bool upper) {
    const Array x = given_array(a);
    const GilReleased release;
    return cholesky(x, upper);
  }, "a"_a, nb::kw_only(), "upper"_a = false, R"(The lower triangular L with a = L L^H, of hermitian positive definite matrices (…, n, n);
with upper=True U with a = U^H U.

Returns an array of the same shape. Raises LinAlgError if a matrix is not positive definite.

>>> ks.linalg.cholesky([[4.0, 2.0], [2.0, 5.0]])
array([[2., 0.],
       [1., 2.]]))");
  m.def("qr", &qr_of, "a"_a, "mode"_a = "reduced", R"(The factors Q, of orthonormal columns, and R, upper triangular, with a = Q R, of matrices (…, m, n),
by Householder's reflectors.

mode="reduced" has k = min(m, n) columns and rows, "complete" all; "r" is only R, "raw" LAPACK's reflectors and
their scales. Returns a pair (Q, R), or what the mode says. Another mode is a ValueError.

>>> q, r = ks.linalg.qr([[3.0, 1.0], [4.0, 2.0]])
>>> abs(r).round(6)
array([[5. , 2.2],
       [0. , 0.4]]))");
  m.def("svd", [](nb::handle a, bool full_matrices, bool compute_uv, bool) -> nb::object {
    const Array x = given_array(a);
    Svd parts;
    {
      const GilReleased release;
      if (compute_uv) parts = svd(x, full_matrices);
      else parts.s = svdvals(x);
    }
    return compute_uv ? tuple_of("SVDResult", parts.u, parts.s, parts.vh) : nb::cast(parts.s);
  }, "a"_a, "full_matrices"_a = true, "compute_uv"_a = true, "hermitian"_a = false, R"(The factors U, S (the largest first) and V^H with a = U diag(S) V^H, of matrices (…, m, n).

U and V^H are square or, with full_matrices=False, of min(m, n) columns and rows. compute_uv=False gives S alone.
Returns (U, S, Vh). Raises LinAlgError without convergence.

>>> ks.linalg.svd([[3.0, 0.0], [0.0, 4.0]]).S
array([4., 3.]))");
  m.def("eig", [](nb::handle a) { return pair_of("EigResult", a, &eig); }, "a"_a, R"(The eigenvalues (…, n) and right eigenvectors, the columns of (…, n, n), of square matrices: LAPACK's geev.

Returns a pair (eigenvalues, eigenvectors), always complex. Raises LinAlgError for NaN or infinities, or without
convergence.

>>> ks.linalg.eig([[2.0, 0.0], [0.0, 3.0]]).eigenvalues
array([2.+0.j, 3.+0.j]))");
  m.def("eigh", [](nb::handle a, nb::handle uplo) {
    return pair_of("EighResult", a, [upper = is_upper(uplo)](const Array& x) { return eigh(x, upper); });
  }, "a"_a, "UPLO"_a = "L", R"(The eigenvalues (…, n) in increasing order and eigenvectors, the columns of (…, n, n), of symmetric or
hermitian matrices.

UPLO="L" reads the lower triangle, "U" the upper one. Returns a pair (eigenvalues, eigenvectors). Raises LinAlgError
without convergence.

>>> ks.linalg.eigh([[2.0, 1.0], [1.0, 2.0]]).eigenvalues.round(6)
array([1., 3.]))");
  m.def("eigvalsh", [](nb::handle a, nb::handle uplo) {
    const Array x = given_array(a);
    const bool upper = is_upper(uplo);
    const GilReleased release;
    return eigvalsh(x, upper);
  }, "a"_a, "UPLO"_a = "L", R"(The eigenvalues (…, n) in increasing order of symmetric or hermitian matrices.

UPLO="L" reads the lower triangle, "U" the upper one. Returns an array of floats. Raises LinAlgError without convergence.

>>> ks.linalg.eigvalsh([[2.0, 1.0], [1.0, 2.0]]).round(6)
array([1., 3.]))");
  m.def("_lu", [](nb::handle a) {
    const Array x = given_array(a);
    const GilReleased release;
    return lu_factors(x);
  }, "a"_a, "The factors L and U of square matrices in one, and with which row each row was exchanged.");
  m.def("_triangle", [](const Array& x, bool lower, int64_t offset) {
    const GilUntilBlocked keep;
    return triangle(x, lower, offset);
  }, "x"_a, "lower"_a, "offset"_a = 0, "Elements on a diagonal and below it, or above; the others are 0.");
}

void bind_equations(nb::module_& m) {
  m.def("solve", [](nb::handle a, nb::handle b) { return of_two(a, b, &solve); }, "a"_a, "b"_a,
        R"(The x with a x = b, of square matrices a (…, n, n) and b (n,) or (…, n, k), by LU factors with pivots.

Returns an array of the shape of b; integers become float64. Raises LinAlgError if a matrix is singular or not square.

>>> ks.linalg.solve([[2.0, 0.0], [0.0, 4.0]], [2.0, 8.0])
array([1., 2.]))");
  m.def("lstsq", [](nb::handle a, nb::handle b, nb::handle rcond) {
    const std::optional<double> limit = rcond.is_none() ? std::nullopt : std::optional(scalar_from(rcond).as_double());
    const Lstsq r = of_two(a, b, [&](const Array& x, const Array& y) { return lstsq(x, y, limit); });
    return nb::make_tuple(r.x, r.residuals, r.rank.ndim() ? nb::cast(r.rank) : item_of(r.rank), r.s);
  }, "a"_a, "b"_a, "rcond"_a = nb::none(), R"(The x of least norm that makes |b - a x| least, of a (m, n) and b (m,) or (m, k), by singular values.

Singular values below rcond= times the largest count as 0.
Returns (x, residuals, rank, s). Raises LinAlgError without convergence.

>>> x, residuals, rank, s = ks.linalg.lstsq([[1.0, 0.0], [1.0, 1.0], [1.0, 2.0]], [1.0, 3.0, 5.0])
>>> x.round(6)
array([1., 2.]))");
  m.def(
      "pinv",
      [](nb::handle a, nb::handle rcond, bool, nb::handle rtol) {
        const Array x = given_array(a);
        if (!rcond.is_none() && !rtol.is_none())
          throw Error(ErrorKind::value, "pinv: rcond and rtol cannot both be given");
        const std::optional<Array> limit = optional_array(rcond.is_none() ? rtol : rcond, x.device());
        const GilReleased release;
        return pinv(x, limit);
      },
      "a"_a, "rcond"_a = nb::none(), "hermitian"_a = false, nb::kw_only(), "rtol"_a = nb::none(),
      R"(The pseudoinverses (…, n, m) of matrices (…, m, n), by singular values.

Those up to rcond= (1e-15, in single precision the longer side times 1.2e-7) times the largest count as 0; rtol= is the
array API's name. Returns an array.

>>> ks.linalg.pinv([[1.0], [1.0]]).round(6)
array([[0.5, 0.5]]))");
  m.def("tensorsolve", [](nb::handle a, nb::handle b, nb::handle axes) {
    const std::optional<Extents> moved = axes_from(axes);
    return of_two(a, b, [&](const Array& x, const Array& y) { return tensorsolve(x, y, moved); });
  }, "a"_a, "b"_a, "axes"_a = nb::none(), R"(The x with tensordot(a, x, x.ndim) = b.

axes= are axes of a that are moved to the right before. Returns an array. Raises LinAlgError if a is singular or no
square matrix in that sense.

>>> ks.linalg.tensorsolve(ks.eye(4).reshape(2, 2, 2, 2), ks.ones((2, 2)))
array([[1., 1.],
       [1., 1.]]))");
  m.def("tensorinv", [](nb::handle a, int64_t ind) {
    const Array x = given_array(a);
    const GilReleased release;
    return tensorinv(x, ind);
  }, "a"_a, "ind"_a = 2, R"(The inverse of an array for tensordot(…, ind).

Returns an array. Raises LinAlgError if it is singular, or the first ind axes have not the others' size.

>>> ks.linalg.tensorinv(ks.eye(4).reshape(2, 2, 2, 2)).shape
(2, 2, 2, 2))");
}

/// Norms, and what says how near a matrix is to a singular one.
void bind_norms(nb::module_& m) {
  m.def("norm", [](nb::handle given, nb::handle ord, nb::handle axis, bool keepdims) {
    const Array x = given_array(given);
    const std::optional<Extents> axes = axes_from(axis);
    const NormOrder order = order_from(ord, (axes ? axes->size() : static_cast<size_t>(x.ndim())) == 1 ? "vectors" : "matrices");
    return without_lock_of(x.size(), [&] { return norm(x, order, axes, keepdims); });
  }, "x"_a, "ord"_a = nb::none(), "axis"_a = nb::none(), "keepdims"_a = false, R"(The norms of vectors (axis= is one axis) or of matrices (two).

ord= is a number, inf or -inf, of matrices also "fro" and "nuc"; without ord= and axis= it is the length of all
elements as one vector. Returns an array of floats. An ord that there is not is a ValueError.

>>> ks.linalg.norm([3.0, 4.0])
array(5.))");
  m.def("vector_norm", [](nb::handle given, nb::handle axis, bool keepdims, nb::handle ord) {
    const Array x = given_array(given);
    const std::optional<Extents> axes = axes_from(axis);
    const NormOrder order = order_from(ord, "vectors");
    if (order.kind != NormOrder::number) throw Error(ErrorKind::value, "a vector norm's order is a number");
    const GilReleased release;
    return vector_norm(x, order.p, axes, keepdims);
  }, "x"_a, nb::kw_only(), "axis"_a = nb::none(), "keepdims"_a = false, "ord"_a = 2, R"(The norms of vectors along axes, or of all elements. ord= is a number, inf or -inf.

Returns an array of floats. Another ord is a ValueError.

>>> ks.linalg.vector_norm([[3.0, 4.0], [6.0, 8.0]], axis=1)
array([ 5., 10.]))");
  m.def("matrix_norm", [](nb::handle given, bool keepdims, nb::handle ord) {
    const Array x = given_array(given);
    const NormOrder order = order_from(ord, "matrices");
    const GilReleased release;
    return matrix_norm(x, order, {-2, -1}, keepdims);
  }, "x"_a, nb::kw_only(), "keepdims"_a = false, "ord"_a = "fro", R"(The norms of the matrices of the last two axes. ord= is "fro", "nuc", 1, -1, 2, -2, inf or -inf.

Returns an array of floats. Another ord is a ValueError.

>>> ks.linalg.matrix_norm([[3.0, 0.0], [0.0, 4.0]])
array(5.))");
  m.def("_matrix_norm", [](const Array& x, nb::handle ord, nb::handle axes, bool keepdims) {
    const std::optional<Extents> along = axes_from(axes);
    const NormOrder order = order_from(ord, "matrices");
    const GilReleased release;
    return matrix_norm(x, order, {(*along)[0], (*along)[1]}, keepdims);
  }, "x"_a, "ord"_a, "axes"_a, "keepdims"_a, "Norms of the matrices of any two axes.");
  m.def("cond", [](nb::handle x, nb::handle p) {
    const Array a = given_array(x);
    const NormOrder order = order_from(p, "matrices");
    const GilReleased release;
    return cond(a, order);
  }, "x"_a, "p"_a = nb::none(), R"(The condition numbers of matrices in a norm: by singular values, or the norm times that of the inverse.

p= is an ord of norm(). Returns an array of floats.

>>> ks.linalg.cond([[2.0, 0.0], [0.0, 1.0]])
array(2.))");
  m.def("matrix_rank", [](nb::handle a, nb::handle tol, bool, nb::handle rtol) {
    const Array x = given_array(a);
    const std::optional<Array> above = optional_array(tol, x.device()), part = optional_array(rtol, x.device());
    if (above && part) throw Error(ErrorKind::value, "matrix_rank: tol and rtol cannot both be given");
    const GilReleased release;
    return matrix_rank(x, above, part);
  }, "A"_a, "tol"_a = nb::none(), "hermitian"_a = false, nb::kw_only(), "rtol"_a = nb::none(), R"(How many singular values of each matrix are above tol=, or above rtol= times the largest.

Returns an array of int64. Both tolerances are a ValueError.

>>> ks.linalg.matrix_rank([[1.0, 2.0], [2.0, 4.0]])
array(1))");
  m.def("slogdet", [](nb::handle a) { return pair_of("SlogdetResult", a, &slogdet); }, "a"_a, R"(The signs and logarithms of the absolute determinants of (…, n, n): no overflow where det() has one.

Returns a pair (sign, logabsdet) of arrays of shape (…). Raises LinAlgError if a matrix is not square.

>>> ks.linalg.slogdet([[2.0, 0.0], [0.0, -3.0]])
SlogdetResult(sign=array(-1.), logabsdet=array(1.79175947)))");
}

void bind_products(nb::module_& m) {
  m.def("matrix_power", [](nb::handle a, int64_t n) {
    const Array x = given_array(a);
    const GilReleased release;
    return matrix_power(x, n);
  }, "a"_a, "n"_a, R"(The n-th powers of square matrices, by squaring; of negative n those of their inverses.

Returns an array of the same shape. Raises LinAlgError if a matrix is not square, or has no inverse.

>>> ks.linalg.matrix_power([[1, 1], [0, 1]], 3)
array([[1, 3],
       [0, 1]]))");
  m.def("multi_dot", [](nb::handle arrays, nb::handle out) -> nb::object {
    std::vector<Array> factors;
    Device* device = nullptr;
    for (nb::handle x : nb::borrow<nb::object>(arrays))
      if (const Array* array = array_of(x); array && !device) device = &array->device();
    for (nb::handle x : nb::borrow<nb::object>(arrays)) factors.push_back(array_from(x, device ? *device : default_device()));
    Array result = without_gil([&] { return multi_dot(factors); });
    return stored("multi_dot", std::move(result), out);
  }, "arrays"_a, nb::kw_only(), "out"_a = nb::none(), R"(The product of several matrices, multiplied in the order that costs least, which dynamic programming finds; the first and
the last may be vectors.

Returns an array. Shapes that do not fit are a ValueError.

>>> ks.linalg.multi_dot([ks.ones((2, 3)), ks.ones((3, 4)), ks.ones(4)])
array([12., 12.]))");
  m.def("outer", [](nb::handle a, nb::handle b) {
    return of_two(a, b, [](const Array& x, const Array& y) { return must_be_1d(x, y), outer(x, y); });
  }, "x1"_a, "x2"_a, R"(The products of each element of one vector with each of another.

Returns a matrix. Other shapes are a ValueError.

>>> ks.linalg.outer([1, 2], [3, 4])
array([[3, 4],
       [6, 8]]))");
  m.def("cross", [](nb::handle a, nb::handle b, int64_t axis) {
    return of_two(a, b, [&](const Array& x, const Array& y) { return must_have_three(x, y, axis), cross(x, y, axis, axis, axis); });
  }, "x1"_a, "x2"_a, nb::kw_only(), "axis"_a = -1, R"(The cross products of vectors of three elements along axis=.

Returns an array. Other lengths are a ValueError.

>>> ks.linalg.cross([1, 0, 0], [0, 1, 0])
array([0, 0, 1]))");
  m.def("diagonal", [](nb::handle x, int64_t offset) { return diagonal(given_array(x), offset, -2, -1); }, "x"_a, nb::kw_only(), "offset"_a = 0, R"(A read-only view of the diagonals of the last two axes.

offset= counts diagonals up from the main one. Returns a view: nothing is copied.

>>> ks.linalg.diagonal([[1, 2], [3, 4]])
array([1, 4]))");
  m.def("trace", [](nb::handle x, int64_t offset, nb::handle dtype) {
    const Array a = given_array(x);
    const std::optional<Dtype> wanted = optional_dtype(dtype);
    const GilUntilBlocked keep;
    return trace(a, offset, -2, -1, wanted);
  }, "x"_a, nb::kw_only(), "offset"_a = 0, "dtype"_a = nb::none(), R"(The sums of the diagonals of the last two axes.

offset= counts diagonals up from the main one. Returns an array; integers become int64 unless dtype= says else.

>>> ks.linalg.trace([[1, 2], [3, 4]])
array(5))");
  m.def("matmul", [](nb::handle a, nb::handle b) { return of_two(a, b, &matmul); }, "x1"_a, "x2"_a,
R"(The matrix product of the last two axes, as ks.matmul() has it.

Returns an array in the common dtype. Lengths that do not fit are a ValueError.

>>> ks.linalg.matmul([[1, 2], [3, 4]], [1, 1])
array([3, 7]))");
}

void bind_deterministic(nb::module_& core) {
  nb::class_<Deterministic>(core, "_Deterministic")
      .def_ro("before", &Deterministic::before, "What it was.")
      .def("__enter__", [](Deterministic& self) { linalg::set_deterministic(self.value); })
      .def("__exit__", [](Deterministic& self, nb::args) { linalg::set_deterministic(self.before); });
  core.def("deterministic", [](bool value) { return Deterministic{value, linalg::set_deterministic(value)}; }, "value"_a = true,
           R"(deterministic() gives products of matrices on a CPU the same bits with any number of threads from now on, for a
tenth more time; deterministic(False) no longer. `with deterministic():` does so until the block ends.
All other operations do anyway.

Returns an object for `with`, which may be dropped.

>>> with ks.deterministic():
...     y = ks.matmul(ks.ones((2, 2)), ks.ones(2))
>>> y
array([2., 2.]))");
}

}  // namespace

void bind_linalg(nb::module_& core) {
  nb::module_ m = core.def_submodule("_linalg", "What kasoku/linalg.py shows.");
  bind_of_one(m);
  bind_decompositions(m);
  bind_equations(m);
  bind_norms(m);
  bind_products(m);
  bind_in_both(m);
  bind_in_both(core);
  bind_deterministic(core);
}

}  // namespace kasoku
