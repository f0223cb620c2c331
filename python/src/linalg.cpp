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

#include <cmath>

namespace kasoku {
namespace {

using namespace nb::literals;

/// A function of two arrays, which are brought to one device.
template <class F>
auto of_two(nb::handle a, nb::handle b, const F& f) {
  Device& device = device_among({a, b});
  const Array x = array_from(a, device), y = array_from(b, device);
  if (&x.device() != &y.device())
    throw Error(ErrorKind::value, "the arrays lie on " + x.device().str() + " and " + y.device().str()).fix("move one: x.to_device(\"" + x.device().str() + "\")");
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
    std::pair<std::optional<Array>, Array> parts;
    {
      const GilReleased release;
      parts = qr(a, value);
    }
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
  std::pair<Array, Array> parts;
  {
    const GilReleased release;
    parts = f(a);
  }
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
  }, "x1"_a, "x2"_a, nb::kw_only(), "axis"_a = -1, "Sums of products of two arrays along an axis, the first one conjugated.");
}

}  // namespace

void bind_linalg(nb::module_& core) {
  nb::module_ m = core.def_submodule("_linalg", "What kasoku/linalg.py shows.");
  const auto of_one = [&m](const char* name, Array (*f)(const Array&), const char* doc) {
    m.def(name, [f](nb::handle a) {
      const Array x = given_array(a);
      const GilReleased release;
      return f(x);
    }, "a"_a, doc);
  };
  of_one("inv", &inv, "The inverses of square matrices (…, n, n). LinAlgError: one is singular, or not square.");
  of_one("det", &det, "The determinants of square matrices (…, n, n).");
  of_one("eigvals", &eigvals, "The eigenvalues (…, n) of square matrices, always complex. LinAlgError: NaN or infinities, or no convergence.");
  of_one("svdvals", &svdvals, "The singular values (…, min(m, n)) of matrices (…, m, n), the largest first.");
  of_one("matrix_transpose", [](const Array& x) {
    if (x.ndim() < 2) throw Error(ErrorKind::value, "Input array must be at least 2-dimensional, but it is " + std::to_string(x.ndim()));
    return swapaxes(x, -1, -2);
  }, "A view with the last two axes swapped.");
  m.def("solve", [](nb::handle a, nb::handle b) { return of_two(a, b, &solve); }, "a"_a, "b"_a,
        "x with a x = b: a (…, n, n), b (n,) or (…, n, k). LinAlgError: a is singular, or not square.");
  m.def("slogdet", [](nb::handle a) { return pair_of("SlogdetResult", a, &slogdet); }, "a"_a, "Signs and logarithms of the absolute determinants of (…, n, n): no overflow where det has one.");
  m.def("cholesky", [](nb::handle a, bool upper) {
    const Array x = given_array(a);
    const GilReleased release;
    return cholesky(x, upper);
  }, "a"_a, nb::kw_only(), "upper"_a = false, "L, lower triangular, with a = L L^H, of hermitian positive definite matrices (…, n, n); upper: U with a = U^H U. LinAlgError: one is not.");
  m.def("qr", &qr_of, "a"_a, "mode"_a = "reduced", "Q, of orthonormal columns, and R, upper triangular, with a = Q R, of (…, m, n): reduced to k = min(m, n) columns and rows, or complete. mode r: only R; raw: LAPACK's reflectors and their scales.");
  m.def("svd", [](nb::handle a, bool full_matrices, bool compute_uv, bool) -> nb::object {
    const Array x = given_array(a);
    Svd parts;
    {
      const GilReleased release;
      if (compute_uv) parts = svd(x, full_matrices);
      else parts.s = svdvals(x);
    }
    return compute_uv ? tuple_of("SVDResult", parts.u, parts.s, parts.vh) : nb::cast(parts.s);
  }, "a"_a, "full_matrices"_a = true, "compute_uv"_a = true, "hermitian"_a = false, "U, S (the largest first) and V^H with a = U diag(S) V^H, of (…, m, n); U and V^H square or, without full_matrices, of min(m, n) columns and rows. LinAlgError: no convergence.");
  m.def("eig", [](nb::handle a) { return pair_of("EigResult", a, &eig); }, "a"_a, "Eigenvalues (…, n) and right eigenvectors, the columns of (…, n, n), of square matrices; always complex. LinAlgError: NaN or infinities, or no convergence.");
  m.def("eigh", [](nb::handle a, nb::handle uplo) {
    return pair_of("EighResult", a, [upper = is_upper(uplo)](const Array& x) { return eigh(x, upper); });
  }, "a"_a, "UPLO"_a = "L", "Eigenvalues (…, n) in increasing order and eigenvectors, the columns of (…, n, n), of symmetric or hermitian matrices, of which one triangle is read.");
  m.def("eigvalsh", [](nb::handle a, nb::handle uplo) {
    const Array x = given_array(a);
    const bool upper = is_upper(uplo);
    const GilReleased release;
    return eigvalsh(x, upper);
  }, "a"_a, "UPLO"_a = "L", "Eigenvalues (…, n) in increasing order of symmetric or hermitian matrices, of which one triangle is read.");
  m.def("lstsq", [](nb::handle a, nb::handle b, nb::handle rcond) {
    const std::optional<double> limit = rcond.is_none() ? std::nullopt : std::optional(scalar_from(rcond).as_double());
    const Lstsq r = of_two(a, b, [&](const Array& x, const Array& y) { return lstsq(x, y, limit); });
    return nb::make_tuple(r.x, r.residuals, r.rank.ndim() ? nb::cast(r.rank) : item_of(r.rank), r.s);
  }, "a"_a, "b"_a, "rcond"_a = nb::none(), "(x, residuals, rank, s): the x of least norm that makes |b - a x| least, of a (m, n), b (m,) or (m, k); singular values below rcond times the largest count as 0.");
  m.def("pinv", [](nb::handle a, nb::handle rcond, bool, nb::handle rtol) {
    const Array x = given_array(a);
    const std::optional<Array> limit = optional_array(rcond.is_none() ? rtol : rcond, x.device());
    const GilReleased release;
    return pinv(x, limit);
  }, "a"_a, "rcond"_a = nb::none(), "hermitian"_a = false, nb::kw_only(), "rtol"_a = nb::none(), "The pseudoinverses (…, n, m) of matrices (…, m, n); singular values up to rcond (1e-15) times the largest count as 0.");
  m.def("matrix_rank", [](nb::handle a, nb::handle tol, bool, nb::handle rtol) {
    const Array x = given_array(a);
    const std::optional<Array> above = optional_array(tol, x.device()), part = optional_array(rtol, x.device());
    if (above && part) throw Error(ErrorKind::value, "matrix_rank: tol and rtol cannot both be given");
    const GilReleased release;
    return matrix_rank(x, above, part);
  }, "A"_a, "tol"_a = nb::none(), "hermitian"_a = false, nb::kw_only(), "rtol"_a = nb::none(), "How many singular values of each matrix are above tol, or rtol times the largest.");
  m.def("norm", [](nb::handle given, nb::handle ord, nb::handle axis, bool keepdims) {
    const Array x = given_array(given);
    const std::optional<Extents> axes = axes_from(axis);
    const NormOrder order = order_from(ord, (axes ? axes->size() : static_cast<size_t>(x.ndim())) == 1 ? "vectors" : "matrices");
    const GilReleased release;
    return norm(x, order, axes, keepdims);
  }, "x"_a, "ord"_a = nb::none(), "axis"_a = nb::none(), "keepdims"_a = false, "Norms of vectors (one axis) or matrices (two): ord a number, inf or -inf, of matrices also \"fro\" and \"nuc\"; without ord and axis of all elements as one vector.");
  m.def("vector_norm", [](nb::handle given, nb::handle axis, bool keepdims, nb::handle ord) {
    const Array x = given_array(given);
    const std::optional<Extents> axes = axes_from(axis);
    const NormOrder order = order_from(ord, "vectors");
    if (order.kind != NormOrder::number) throw Error(ErrorKind::value, "a vector norm's order is a number");
    const GilReleased release;
    return vector_norm(x, order.p, axes, keepdims);
  }, "x"_a, nb::kw_only(), "axis"_a = nb::none(), "keepdims"_a = false, "ord"_a = 2, "Norms of vectors along axes, or of all elements.");
  m.def("matrix_norm", [](nb::handle given, bool keepdims, nb::handle ord) {
    const Array x = given_array(given);
    const NormOrder order = order_from(ord, "matrices");
    const GilReleased release;
    return matrix_norm(x, order, {-2, -1}, keepdims);
  }, "x"_a, nb::kw_only(), "keepdims"_a = false, "ord"_a = "fro", "Norms of the matrices of the last two axes.");
  m.def("_matrix_norm", [](const Array& x, nb::handle ord, nb::handle axes, bool keepdims) {
    const std::optional<Extents> along = axes_from(axes);
    const NormOrder order = order_from(ord, "matrices");
    const GilReleased release;
    return matrix_norm(x, order, {(*along)[0], (*along)[1]}, keepdims);
  }, "x"_a, "ord"_a, "axes"_a, "keepdims"_a, "Norms of the matrices of any two axes.");
  m.def("_triangle", [](const Array& x, bool lower, int64_t offset) {
    const GilUntilBlocked keep;
    return triangle(x, lower, offset);
  }, "x"_a, "lower"_a, "offset"_a = 0, "Elements on a diagonal and below it, or above; the others are 0.");
  m.def("cond", [](nb::handle x, nb::handle p) {
    const Array a = given_array(x);
    const NormOrder order = order_from(p, "matrices");
    const GilReleased release;
    return cond(a, order);
  }, "x"_a, "p"_a = nb::none(), "Condition numbers of matrices in a norm: by singular values, or the norm times that of the inverse.");
  m.def("matrix_power", [](nb::handle a, int64_t n) {
    const Array x = given_array(a);
    const GilReleased release;
    return matrix_power(x, n);
  }, "a"_a, "n"_a, "Powers of square matrices; of negative n of their inverses.");
  m.def("multi_dot", [](nb::handle arrays, nb::handle out) -> nb::object {
    std::vector<Array> factors;
    Device* device = nullptr;
    for (nb::handle x : nb::borrow<nb::object>(arrays))
      if (const Array* array = array_of(x); array && !device) device = &array->device();
    for (nb::handle x : nb::borrow<nb::object>(arrays)) factors.push_back(array_from(x, device ? *device : default_device()));
    Array result;
    {
      const GilReleased release;
      result = multi_dot(factors);
    }
    if (out.is_none()) return nb::cast(result);
    nb::cast<Array&>(out).assign(result);
    return nb::borrow(out);
  }, "arrays"_a, nb::kw_only(), "out"_a = nb::none(), "The product of several matrices, multiplied in the order that costs least; the first and the last may be vectors.");
  m.def("tensorsolve", [](nb::handle a, nb::handle b, nb::handle axes) {
    const std::optional<Extents> moved = axes_from(axes);
    return of_two(a, b, [&](const Array& x, const Array& y) { return tensorsolve(x, y, moved); });
  }, "a"_a, "b"_a, "axes"_a = nb::none(), "x with tensordot(a, x, x.ndim) = b.");
  m.def("tensorinv", [](nb::handle a, int64_t ind) {
    const Array x = given_array(a);
    const GilReleased release;
    return tensorinv(x, ind);
  }, "a"_a, "ind"_a = 2, "The inverse of an array for tensordot(…, ind).");
  m.def("outer", [](nb::handle a, nb::handle b) {
    return of_two(a, b, [](const Array& x, const Array& y) { return must_be_1d(x, y), outer(x, y); });
  }, "x1"_a, "x2"_a, "Products of each element of one vector with each of another.");
  m.def("cross", [](nb::handle a, nb::handle b, int64_t axis) {
    return of_two(a, b, [&](const Array& x, const Array& y) { return must_have_three(x, y, axis), cross(x, y, axis, axis, axis); });
  }, "x1"_a, "x2"_a, nb::kw_only(), "axis"_a = -1, "Cross products of vectors of three elements.");
  m.def("diagonal", [](nb::handle x, int64_t offset) { return diagonal(given_array(x), offset, -2, -1); }, "x"_a, nb::kw_only(), "offset"_a = 0, "A read-only view of the diagonals of the last two axes.");
  m.def("trace", [](nb::handle x, int64_t offset, nb::handle dtype) {
    const Array a = given_array(x);
    const std::optional<Dtype> wanted = optional_dtype(dtype);
    const GilUntilBlocked keep;
    return trace(a, offset, -2, -1, wanted);
  }, "x"_a, nb::kw_only(), "offset"_a = 0, "dtype"_a = nb::none(), "Sums of the diagonals of the last two axes.");
  m.def("matmul", [](nb::handle a, nb::handle b) { return of_two(a, b, &matmul); }, "x1"_a, "x2"_a, "Matrix product.");
  bind_in_both(m);

  nb::class_<Deterministic>(core, "_Deterministic")
      .def_ro("before", &Deterministic::before, "What it was.")
      .def("__enter__", [](Deterministic& self) { linalg::set_deterministic(self.value); })
      .def("__exit__", [](Deterministic& self, nb::args) { linalg::set_deterministic(self.before); });
  core.def("deterministic", [](bool value) { return Deterministic{value, linalg::set_deterministic(value)}; }, "value"_a = true,
           "deterministic() gives products of matrices on a CPU the same bits with any number of threads from now on, for a tenth more time;\n"
           "deterministic(False) no longer. `with deterministic():` does so until the block ends. All other operations do anyway.");

  bind_in_both(core);
}

}  // namespace kasoku
