/// \file numpy_ufuncs.cpp
/// `__array_ufunc__`: the operation, reduction or scan of a ufunc's name, else NumPy's own over our memory.
#include "arguments.h"
#include "array_object.h"
#include "guarded.h"
#include "kasoku/array/shape.h"
#include "kasoku/codegen/scans.h"
#include "kasoku/compile/backends.h"
#include "numpy_calls.h"
#include "numpy_functions.h"
#include "to_python.h"
#include "vectorcall.h"

#include <structmember.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>

namespace kasoku {

namespace {

using namespace nb::literals;

/// METH_FASTCALL, from before the stable interface named it.
constexpr int fast_call = 0x80;

/// The arguments of a ufunc's call that functions of ours take; false if there are others.
bool read_ufunc_arguments(const nb::kwargs& kwargs, bool is_operation, nb::kwargs& rest, nb::object& numpys) {
  for (auto [key, value] : kwargs) {
    const std::string k = nb::cast<std::string>(key);
    if (k == "out") {
      const nb::tuple outs = nb::borrow<nb::tuple>(value);
      if (outs.size() != 1) return false;
      if (nb::isinstance<Array>(outs[0]))
        rest["out"] = outs[0];
      else
        numpys = outs[0];
    } else if (k == "dtype" || k == "where" || (is_operation && (k == "casting" || k == "order"))) {
      rest[key] = value;
    } else if (k != "order" && k != "subok" && !(k == "casting" && value.equal(nb::str("same_kind")))) {
      return false;
    }
  }
  return !(numpys.is_valid() && (rest.contains("where") || rest.contains("casting")));
}

nb::object reshaped(nb::handle object, int64_t n_more) {
  const Array x = array_from(object, is_array(object) ? array_of(object)->device() : default_device());
  Shape shape = x.shape();
  for (int64_t i = 0; i < n_more; ++i) shape.push_back(1);
  return object_of(reshape(x, shape));
}

/// What we have for a ufunc: nothing where the name says nothing.
struct OursOfUfunc {
  explicit OursOfUfunc(nb::handle ufunc) : name(nb::cast<std::string>(ufunc.attr("__name__"))), op(op_from_name(name)) {
    const nb::object core = nb::module_::import_("kasoku._core");
    const auto found = [&](std::string_view one) { return nb::getattr(core, std::string(one).c_str(), nb::handle()); };
    call = found(name);
    at = found(name + "_at");
    if (op) operation = call;
    for (const ReductionInfo& row : reduction_table)
      if (op && row.join == *op && !row.keeps_position() && !reduce.is_valid()) reduce = found(row.name);
    for (const ScanInfo& row : scan_table)
      if (op && row.join == *op && row.takes == ReductionInfo::all && !accumulate.is_valid()) accumulate = found(row.name);
  }

  const std::string name;
  const std::optional<Op> op;
  nb::object call, operation, reduce, accumulate, at;
};

const OursOfUfunc& ours_of(nb::handle ufunc) {
  static auto& known = *new std::map<PyObject*, OursOfUfunc>;  // with a share in each, a program's own may go
  const auto found = known.find(ufunc.ptr());
  if (found != known.end()) return found->second;
  ufunc.inc_ref();
  return known.emplace(ufunc.ptr(), OursOfUfunc(ufunc)).first->second;
}

/// A ufunc on our arrays: the operation, reduction or scan of its name, on their device.
nb::object array_ufunc(nb::handle ufunc, nb::handle method, const nb::args& inputs, const nb::kwargs& kwargs) {
  const OursOfUfunc& its = ours_of(ufunc);
  const auto is_method = [&](const char* one) { return PyUnicode_CompareWithASCIIString(method.ptr(), one) == 0; };
  const bool is_call = is_method("__call__");
  const auto numpys = [&] {
    const auto how = nb::cast<std::string>(method);
    return is_call ? call_numpy("numpy." + its.name, ufunc, inputs, kwargs) : call_numpy("numpy." + its.name + "." + how, ufunc.attr(how.c_str()), inputs, kwargs);
  };
  const auto ours = [&](const nb::object& function, const nb::args& operands, const nb::kwargs& rest) -> nb::object {
    if (PyObject* const result = PyObject_Call(function.ptr(), operands.ptr(), rest.ptr())) return nb::steal(result);
    nb::python_error error;
    if (!by_numpy::declines(error)) throw error;
    return numpys();
  };
  for (nb::handle one : inputs)
    if (by_numpy::is_numpys_alone(one)) return numpys();
  if (is_call && its.operation.is_valid() && kwargs.size() == 0) return ours(its.operation, inputs, kwargs);
  if (is_call) {
    nb::kwargs rest;
    nb::object into;
    if (its.name == "divmod" && kwargs.size() == 0) {
      const nb::object core = nb::module_::import_("kasoku._core");
      return nb::make_tuple(core.attr("floor_divide")(*inputs), core.attr("remainder")(*inputs));
    }
    if (!its.call.is_valid() || !read_ufunc_arguments(kwargs, its.operation.is_valid(), rest, into)) return numpys();
    nb::object result = ours(its.call, inputs, rest);
    if (!into.is_valid()) return result;
    numpy().attr("copyto")(into, nb::isinstance<Array>(result) ? to_numpy(nb::cast<Array&>(result)) : result,
                           "casting"_a = "same_kind");
    return into;
  }
  if (is_method("outer") && its.op && inputs.size() == 2) {
    const nb::object right = reshaped(inputs[1], 0);
    nb::kwargs rest;
    nb::object into;
    if (read_ufunc_arguments(kwargs, true, rest, into) && !into.is_valid())
      return ours(its.call, nb::borrow<nb::args>(nb::make_tuple(reshaped(inputs[0], array_of(right)->ndim()), right)),
                  rest);
  }
  const nb::object& joined = is_method("reduce") ? its.reduce : is_method("accumulate") ? its.accumulate : nb::object();
  const bool is_into_numpys = kwargs.contains("out") && !nb::isinstance<Array>(nb::borrow<nb::tuple>(kwargs["out"])[0]);
  if (joined.is_valid() && !is_into_numpys) {
    nb::kwargs rest = nb::borrow<nb::kwargs>(kwargs.attr("copy")());
    if (!rest.contains("axis") && inputs.size() < 2) rest["axis"] = 0;
    return ours(joined, inputs, rest);
  }
  if (is_method("at") && inputs.size() == 3 && nb::isinstance<Array>(inputs[0]) && its.at.is_valid()) {
    PyObject* const result = PyObject_Call(its.at.ptr(), inputs.ptr(), nullptr);
    if (result || !PyErr_ExceptionMatches(PyExc_TypeError))
      return result ? nb::steal(result) : throw nb::python_error();
    PyErr_Clear();  // of another dtype than the array's, which NumPy casts back
    return numpys();
  }
  // Where NumPy would have to be sent the elements; on the host its loop is at hand.
  if (its.operation.is_valid() && !is_into_numpys && inputs.size() > 0 && is_array(inputs[0]) &&
      !array_of(inputs[0])->device().is_host()) {
    nb::kwargs rest = nb::borrow<nb::kwargs>(kwargs.attr("copy")());
    if (rest.contains("out")) rest["out"] = nb::borrow<nb::tuple>(rest["out"])[0];
    return ours(its.operation.attr(method), inputs, rest);
  }
  return numpys();
}

/// NumPy calls it for a number of its own beside an array of ours as well: most often there is nothing but operands.
PyObject* asked_by_ufunc(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  std::optional<InFace> scope;
  if (is_of_face(self)) scope.emplace();
  return guarded([=] {
    if (n < 2) throw nb::type_error("__array_ufunc__ takes a ufunc and the name of its method");
    const nb::handle ufunc = args[0], method = args[1];
    const bool is_plain = !names && !std::any_of(args + 2, args + n, by_numpy::is_numpys_alone) &&
                          PyUnicode_Check(method.ptr()) &&
                          PyUnicode_CompareWithASCIIString(method.ptr(), "__call__") == 0;
    if (const OursOfUfunc& its = ours_of(ufunc); is_plain && its.operation.is_valid()) {
      const nb::handle operands[] = {args[2], args[n - 1]};
      if (nb::object result = n == 3 || n == 4 ? again(*its.op, {operands, static_cast<size_t>(n - 2)}) : nb::object(); result.is_valid()) return result.release().ptr();
      if (PyObject* const result = handed_on(its.operation.ptr(), args + 2, static_cast<size_t>(n - 2), nullptr)) return result;
      nb::python_error error;
      if (!by_numpy::declines(error)) throw error;
    }
    nb::list inputs;
    for (Py_ssize_t i = 2; i < n; ++i) inputs.append(nb::handle(args[i]));
    nb::dict named;
    for (Py_ssize_t i = 0; names && i < PyTuple_Size(names); ++i) named[nb::handle(PyTuple_GetItem(names, i))] = nb::handle(args[n + i]);
    return array_ufunc(ufunc, method, nb::borrow<nb::args>(nb::tuple(inputs)), nb::borrow<nb::kwargs>(named)).release().ptr();
  });
}

}  // namespace

void bind_numpy_ufuncs(nb::module_& m) {
  nb::object cls = m.attr("Array");
  static PyMethodDef of_ufuncs = {"__array_ufunc__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(asked_by_ufunc)), fast_call | METH_KEYWORDS, "NumPy's protocol."};
  cls.attr("__array_ufunc__") = nb::steal(PyDescr_NewMethod(array_type(), &of_ufuncs));
}

}  // namespace kasoku
