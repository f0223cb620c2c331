/// \file reduce.cpp
/// Reductions and scans as functions and as methods of Array. A new row in reductions.def or scans.def needs nothing here.
#include "arguments.h"
#include "described.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/scan.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <functional>

namespace kasoku {

namespace {

using Reducer = std::function<Array(const Array&, const Over&, std::optional<Dtype>)>;

/// What is said of a function, and of the method of its name.
struct Docs {
  std::string function, method;
};

Docs docs_of(std::string_view name, std::string function, const char* sentence) { return {std::move(function), described_method(name, sentence)}; }

/// Binds f(x, …) under a name: as a function of anything that an array is made of, and as a method of arrays.
template <class... P, class... Args>
void bind_both(nb::module_& m, const char* name, const Docs& docs, std::function<nb::object(const Array&, P...)> f, const Args&... args) {
  m.def(name, [f](nb::handle x, P... given) { return f(array_from(x, default_device()), given...); }, nb::arg("x"), args..., docs.function.c_str());
  add_method(m.attr("Array"), name, [f](const Array& x, P... given) { return f(x, given...); }, args..., docs.method.c_str());
}

/// What is computed in unless dtype= says: the dtype of an output of floats or complex numbers that holds all values of
/// the elements'.
std::optional<Dtype> computed_in(nb::handle dtype, nb::handle out, Dtype elements) {
  if (std::optional<Dtype> wanted = optional_dtype(dtype)) return wanted;
  const std::optional<Array> into = out_from(out);
  if (!into || into->dtype() == elements || is_integer(into->dtype())) return std::nullopt;
  return promote(elements, into->dtype()) == into->dtype() ? std::optional(into->dtype()) : std::nullopt;
}

nb::object reduced(const char* name, const Reducer& f, ReductionWords words, const Array& x, nb::handle axis, nb::handle dtype, nb::handle out,
                   bool keepdims, nb::handle initial, nb::handle where) {
  Over over{axes_from(axis), keepdims};
  const std::optional<Dtype> wanted = words.dtype ? computed_in(dtype, out, x.dtype()) : optional_dtype(dtype);
  if (!where.is_none() && where.ptr() != Py_True) over.where = mask_from(where, x.device());
  if (!initial.is_none()) over.initial = scalar_from(initial);
  if ((over.where && !words.where) || (over.initial && !words.initial))
    throw Error(ErrorKind::type, std::string(name) + (over.where ? " takes no where=" : " takes no initial="));
  Array result;
  {
    const GilUntilBlocked keep;
    result = f(x, over, wanted);
  }
  // Of positions NumPy asks that the output's dtype fits in theirs, not they in it.
  if (words.is_position)
    if (const std::optional<Array> into = out_from(out); into && into->shape() == result.shape() && !can_cast(into->dtype(), result.dtype(), "safe"))
      throw Error(ErrorKind::type, fmt::format("Cannot cast array data from dtype('{}') to dtype('{}') according to the rule 'safe'", info(into->dtype()).name, info(result.dtype()).name));
  return stored(name, std::move(result), out);
}

void bind_reducer(nb::module_& m, const char* name, const Docs& docs, ReductionWords words, Reducer f) {
  using nb::handle;
  const auto axis = nb::arg("axis") = nb::none(), out = nb::arg("out") = nb::none(), initial = nb::arg("initial") = nb::none();
  const auto keepdims = nb::arg("keepdims") = false, where = nb::arg("where") = true;
  if (words.dtype)
    bind_both(m, name, docs, std::function([=](const Array& x, handle along, handle dtype, handle into, bool keep, handle start, handle mask) {
      return reduced(name, f, words, x, along, dtype, into, keep, start, mask);
    }), axis, nb::arg("dtype") = nb::none(), out, keepdims, initial, where);
  else
    bind_both(m, name, docs, std::function([=](const Array& x, handle along, handle into, bool keep, handle start, handle mask) {
      return reduced(name, f, words, x, along, nb::none(), into, keep, start, mask);
    }), axis, out, keepdims, initial, where);
}

void bind_spread(nb::module_& m, const char* name, const Docs& docs, Array (*f)(const Array&, const Over&, double, std::optional<Dtype>)) {
  using nb::handle;
  bind_both(m, name, docs, std::function([=](const Array& x, handle axis, handle dtype, handle out, double ddof, bool keepdims, handle where, handle correction) {
    if (!correction.is_none() && ddof != 0) throw Error(ErrorKind::value, "ddof and correction can't be provided simultaneously.");
    if (!correction.is_none()) ddof = scalar_from(correction).as_double();
    const Reducer spread = [=](const Array& y, const Over& over, std::optional<Dtype> wanted) {
      const Array real = f(y, over, ddof, wanted);
      return as_dtype(real, wanted.value_or(real.dtype()));
    };
    return reduced(name, spread, {.dtype = true, .where = true}, x, axis, dtype, out, keepdims, nb::none(), where);
  }), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(), nb::arg("ddof") = 0.0,
       nb::arg("keepdims") = false, nb::arg("where") = true, nb::arg("correction") = nb::none());
}

void bind_scan(nb::module_& m, ScanOp op) {
  using nb::handle;
  const ScanInfo& row = info(op);
  bind_both(m, row.name.data(), docs_of(row.name, described(op), row.doc), std::function([=](const Array& x, handle axis, handle dtype, handle out) {
    const std::optional<int64_t> along = axis_from(axis);
    const std::optional<Dtype> wanted = computed_in(dtype, out, x.dtype());
    Array result;
    {
      const GilUntilBlocked keep;
      result = scan(op, x, along, wanted);
    }
    return stored(info(op).name.data(), std::move(result), out);
  }), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none());
}

constexpr const char* mean_doc = R"(The arithmetic mean over all or some axes.

axis= is an axis, a tuple of axes, or None for all of them; keepdims=True leaves them with length 1.
Returns an array in the elements' dtype; integers and bools become float64. Of no elements it is NaN.
dtype= is the dtype that is computed in and returned. where= is a mask of bools: other elements do not
count. out= is an array that takes the result and is returned. An axis that there is not raises
AxisError, which is a ValueError and an IndexError.

>>> ks.mean([[1, 2], [3, 5]], axis=1)
array([1.5, 4. ]))";

constexpr const char* var_doc = R"(The variance: the mean of the squared distances from the mean.

axis= is an axis, a tuple of axes, or None for all of them; keepdims=True leaves them with length 1.
The sum of n squares is divided by n - ddof; correction= is the array API's name for ddof.
Returns an array in the elements' dtype; integers and bools become float64, complex numbers the dtype
of their parts. It is NaN where n is 0. The elements are read once, and sets of them joined by the formula of
Chan, Golub and LeVeque (1979), which no large mean costs digits; with where= there are two passes.
dtype= is the dtype that is computed in. where= is a mask of bools: other elements do not count.
out= is an array that takes the result and is returned. An axis that there is not raises AxisError.

>>> ks.var([1, 2, 3, 4])
array(1.25))";

constexpr const char* std_doc = R"(The standard deviation: the square root of the variance.

axis= is an axis, a tuple of axes, or None for all of them; keepdims=True leaves them with length 1.
The sum of n squares is divided by n - ddof; correction= is the array API's name for ddof.
Returns an array in the elements' dtype; integers and bools become float64, complex numbers the dtype
of their parts. It is NaN where n is 0.
dtype= is the dtype that is computed in. where= is a mask of bools: other elements do not count.
out= is an array that takes the result and is returned. An axis that there is not raises AxisError.

>>> ks.std([1, 2, 3, 4], ddof=1)
array(1.29099445))";

}  // namespace

void bind_reduce(nb::module_& m) {
  nb::dict rows;
  const auto bind_row = [&](std::string_view name, ReduceOp op) {
    const ReductionInfo& row = info(op);
    const bool is_count = row.takes == ReductionInfo::truth && row.result == ReductionInfo::wide, takes_part = !row.keeps_position() && !is_count;
    const ReductionWords words{row.result == ReductionInfo::wide && !is_count, takes_part && row.takes != ReductionInfo::truth, takes_part, row.keeps_position()};
    bind_reducer(m, name.data(), docs_of(name, described(op, name, words), row.doc), words,
                 [op](const Array& x, const Over& over, std::optional<Dtype> dtype) { return reduce(op, x, over, dtype); });
    nb::dict about;
    about["has_identity"] = row.has_identity();
    about["is_position"] = row.keeps_position();
    about["dtype"] = words.dtype;
    about["initial"] = words.initial;
    about["where"] = words.where;
    rows[name.data()] = about;
  };
  for (size_t i = 0; i < n_reductions; ++i)
    if (reduction_table[i].n_numbers() == 1) bind_row(reduction_table[i].name, static_cast<ReduceOp>(i));
  for (const ReductionAlias& alias : reduction_aliases()) bind_row(alias.name, alias.op);
  bind_reducer(m, "mean", docs_of("mean", mean_doc, "The arithmetic mean."), {.dtype = true, .where = true}, &mean);
  bind_spread(m, "var", docs_of("var", var_doc, "The variance."), &var);
  bind_spread(m, "std", docs_of("std", std_doc, "The standard deviation."), &std_);
  nb::dict scans;
  for (size_t i = 0; i < n_scans; ++i) {
    bind_scan(m, static_cast<ScanOp>(i));
    scans[scan_table[i].name.data()] = info(scan_table[i].join).name.data();
  }
  m.def("_scans", [scans] { return scans; }, "The table of scans: by their names, what joins two elements.");
  m.def("_reductions", [rows] { return rows; }, "The table of reductions by their names: which have a result of no elements, are positions, and take dtype=, initial= or where=.");
}

}  // namespace kasoku
