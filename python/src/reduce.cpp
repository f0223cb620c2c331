/// \file reduce.cpp
/// Reductions as functions and as methods of Array.
#include "arguments.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

namespace kasoku {

namespace {

/// Binds f(array, axes, dtype) under a name: ks.name(x, axis, dtype, keepdims) and x.name(axis, …).
template <class F>
void bind(nb::module_& m, const char* name, F f, const char* doc) {
  const auto run = [f, name](const Array& x, nb::handle axis, nb::handle dtype, bool keepdims, nb::handle out) -> nb::object {
    const Axes axes{axes_from(axis), keepdims};
    const std::optional<Dtype> wanted = optional_dtype(dtype);
    Array result;
    {
      const GilUntilBlocked keep;
      result = f(x, axes, wanted);
    }
    const std::optional<Array> into = out_from(out);
    if (!into) return nb::cast(std::move(result));
    if (into->shape() != result.shape())
      throw Error(ErrorKind::value, std::string(name) + ": the output has shape " + str(into->shape()) + ", the result " + str(result.shape()));
    {
      const GilReleased release;
      into->assign(result.dtype() == into->dtype() ? result : astype(result, into->dtype()));  // any dtype, NumPy says
    }
    return nb::isinstance<nb::tuple>(out) ? nb::object(out[0]) : nb::borrow(out);
  };
  m.def(name, [run](nb::handle x, nb::handle axis, nb::handle dtype, nb::handle out, bool keepdims) {
    return run(array_from(x, default_device()), axis, dtype, keepdims, out);
  }, nb::arg("x"), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(), nb::arg("keepdims") = false, doc);
  add_method(m.attr("Array"), name, [run](const Array& x, nb::handle axis, nb::handle dtype, nb::handle out, bool keepdims) {
    return run(x, axis, dtype, keepdims, out);
  }, nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(), nb::arg("keepdims") = false, doc);
}

template <class F>
void bind_spread(nb::module_& m, const char* name, F f, const char* doc) {
  const auto run = [f](const Array& x, nb::handle axis, nb::handle dtype, double ddof, bool keepdims) {
    const Axes axes{axes_from(axis), keepdims};
    const std::optional<Dtype> wanted = optional_dtype(dtype);
    const GilReleased release;
    return f(x, axes, ddof, wanted);
  };
  m.def(name, [run](nb::handle x, nb::handle axis, nb::handle dtype, double ddof, bool keepdims) {
    return run(array_from(x, default_device()), axis, dtype, ddof, keepdims);
  }, nb::arg("x"), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("ddof") = 0.0, nb::arg("keepdims") = false, doc);
  add_method(m.attr("Array"), name, run, nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("ddof") = 0.0, nb::arg("keepdims") = false, doc);
}

}  // namespace

void bind_reduce(nb::module_& m) {
  struct Row {
    const char* name;
    ReduceOp op;
    const char* doc;
  };
  constexpr Row rows[] = {
      {"sum", ReduceOp::sum, "Sum over all or some axes; of integers in 64 bits."},
      {"prod", ReduceOp::prod, "Product over all or some axes; of integers in 64 bits."},
      {"min", ReduceOp::min, "The least element; NaN if there is one."},
      {"max", ReduceOp::max, "The greatest element; NaN if there is one."},
      {"amin", ReduceOp::min, "The least element; NaN if there is one."},
      {"amax", ReduceOp::max, "The greatest element; NaN if there is one."},
      {"any", ReduceOp::any, "Whether any element is not 0."},
      {"all", ReduceOp::all, "Whether no element is 0."},
      {"argmin", ReduceOp::argmin, "Index of the first least element."},
      {"argmax", ReduceOp::argmax, "Index of the first greatest element."},
  };
  for (const Row& row : rows) {
    const ReduceOp op = row.op;
    bind(m, row.name, [op](const Array& x, const Axes& axes, std::optional<Dtype> dtype) { return reduce(op, x, axes, dtype); }, row.doc);
  }
  bind(m, "mean", [](const Array& x, const Axes& axes, std::optional<Dtype> dtype) { return mean(x, axes, dtype); }, "Arithmetic mean.");
  bind(m, "count_nonzero", [](const Array& x, const Axes& axes, std::optional<Dtype>) { return count_nonzero(x, axes); }, "Number of elements that are not 0.");
  bind_spread(m, "var", &var, "Variance.");
  bind_spread(m, "std", &std_, "Standard deviation.");
}

}  // namespace kasoku
