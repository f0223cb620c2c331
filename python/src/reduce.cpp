/// \file reduce.cpp
/// Reductions and scans as functions and as methods of Array. A new row in reductions.def or scans.def needs nothing here.
#include "arguments.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/scan.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <functional>

namespace kasoku {

namespace {

using Reducer = std::function<Array(const Array&, const Over&, std::optional<Dtype>)>;

/// What NumPy's function takes beside the axes.
struct Words {
  bool dtype = false, initial = false, where = false;
};

/// Binds f(x, …) under a name: as a function of anything that an array is made of, and as a method of arrays.
template <class... P, class... Args>
void bind_both(nb::module_& m, const char* name, const char* doc, std::function<nb::object(const Array&, P...)> f, const Args&... args) {
  m.def(name, [f](nb::handle x, P... given) { return f(array_from(x, default_device()), given...); }, nb::arg("x"), args..., doc);
  add_method(m.attr("Array"), name, [f](const Array& x, P... given) { return f(x, given...); }, args..., doc);
}

nb::object reduced(const char* name, const Reducer& f, Words words, const Array& x, nb::handle axis, nb::handle dtype, nb::handle out,
                   bool keepdims, nb::handle initial, nb::handle where) {
  Over over{axes_from(axis), keepdims};
  const std::optional<Dtype> wanted = optional_dtype(dtype);
  if (!where.is_none() && where.ptr() != Py_True) over.where = array_from(where, x.device());
  if (!initial.is_none()) over.initial = scalar_from(initial);
  if ((over.where && !words.where) || (over.initial && !words.initial))
    throw Error(ErrorKind::type, std::string(name) + (over.where ? " takes no where=" : " takes no initial="));
  Array result;
  {
    const GilUntilBlocked keep;
    result = f(x, over, wanted);
  }
  return stored(name, std::move(result), out);
}

void bind_reducer(nb::module_& m, const char* name, const char* doc, Words words, Reducer f) {
  using nb::handle;
  const auto axis = nb::arg("axis") = nb::none(), out = nb::arg("out") = nb::none(), initial = nb::arg("initial") = nb::none();
  const auto keepdims = nb::arg("keepdims") = false, where = nb::arg("where") = true;
  if (words.dtype)
    bind_both(m, name, doc, std::function([=](const Array& x, handle along, handle dtype, handle into, bool keep, handle start, handle mask) {
      return reduced(name, f, words, x, along, dtype, into, keep, start, mask);
    }), axis, nb::arg("dtype") = nb::none(), out, keepdims, initial, where);
  else
    bind_both(m, name, doc, std::function([=](const Array& x, handle along, handle into, bool keep, handle start, handle mask) {
      return reduced(name, f, words, x, along, nb::none(), into, keep, start, mask);
    }), axis, out, keepdims, initial, where);
}

void bind_spread(nb::module_& m, const char* name, const char* doc, Array (*f)(const Array&, const Over&, double, std::optional<Dtype>)) {
  using nb::handle;
  bind_both(m, name, doc, std::function([=](const Array& x, handle axis, handle dtype, handle out, double ddof, bool keepdims, handle where, handle correction) {
    if (!correction.is_none()) ddof = scalar_from(correction).as_double();
    const Reducer spread = [=](const Array& y, const Over& over, std::optional<Dtype> wanted) { return f(y, over, ddof, wanted); };
    return reduced(name, spread, {.dtype = true, .where = true}, x, axis, dtype, out, keepdims, nb::none(), where);
  }), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none(), nb::arg("ddof") = 0.0,
       nb::arg("keepdims") = false, nb::arg("where") = true, nb::arg("correction") = nb::none());
}

void bind_scan(nb::module_& m, ScanOp op) {
  using nb::handle;
  const ScanInfo& row = info(op);
  bind_both(m, row.name.data(), row.doc, std::function([=](const Array& x, handle axis, handle dtype, handle out) {
    const std::optional<int64_t> along = axis_from(axis);
    const std::optional<Dtype> wanted = optional_dtype(dtype);
    Array result;
    {
      const GilUntilBlocked keep;
      result = scan(op, x, along, wanted);
    }
    return stored(info(op).name.data(), std::move(result), out);
  }), nb::arg("axis") = nb::none(), nb::arg("dtype") = nb::none(), nb::arg("out") = nb::none());
}

}  // namespace

void bind_reduce(nb::module_& m) {
  nb::dict rows;
  const auto bind_row = [&](std::string_view name, ReduceOp op) {
    const ReductionInfo& row = info(op);
    const bool is_count = row.takes == ReductionInfo::truth && row.result == ReductionInfo::wide, takes_part = !row.keeps_position() && !is_count;
    const Words words{row.result == ReductionInfo::wide && !is_count, takes_part && row.takes != ReductionInfo::truth, takes_part};
    bind_reducer(m, name.data(), row.doc, words,
                 [op](const Array& x, const Over& over, std::optional<Dtype> dtype) { return reduce(op, x, over, dtype); });
    nb::dict about;
    about["has_identity"] = row.has_identity();
    about["is_position"] = row.keeps_position();
    about["dtype"] = words.dtype;
    about["initial"] = words.initial;
    about["where"] = words.where;
    rows[name.data()] = about;
  };
  for (size_t i = 0; i < n_reductions; ++i) bind_row(reduction_table[i].name, static_cast<ReduceOp>(i));
  for (const ReductionAlias& alias : reduction_aliases()) bind_row(alias.name, alias.op);
  bind_reducer(m, "mean", "Arithmetic mean.", {.dtype = true, .where = true}, &mean);
  bind_spread(m, "var", "Variance.", &var);
  bind_spread(m, "std", "Standard deviation.", &std_);
  nb::dict scans;
  for (size_t i = 0; i < n_scans; ++i) {
    bind_scan(m, static_cast<ScanOp>(i));
    scans[scan_table[i].name.data()] = info(scan_table[i].join).name.data();
  }
  m.def("_scans", [scans] { return scans; }, "The table of scans: by their names, what joins two elements.");
  m.def("_reductions", [rows] { return rows; }, "The table of reductions by their names: which have a result of no elements, are positions, and take dtype=, initial= or where=.");
}

}  // namespace kasoku
