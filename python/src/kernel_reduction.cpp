/// \file kernel_reduction.cpp
/// ks.ReductionKernel, ks.InclusiveScanKernel, ks.ExclusiveScanKernel.
#include "check_call.h"
#include "convert.h"
#include "device.h"
#include "kernel_arguments.h"
#include "kernel_call.h"
#include "origin.h"
#include "kasoku/base/error.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/reduction.h"
#include "kasoku/kernel/scan.h"

#include <nanobind/stl/vector.h>

#include <new>

namespace kasoku {
namespace {

constexpr const char* reduction_doc = R"doc(A reduction from C++ text. Two spellings, told apart by the first argument:

Pointers, as PyCUDA's (a dtype first)::

    ReductionKernel(dtype_out, neutral, reduce_expr, map_expr=None, arguments=None,
                    name="reduce_kernel", keep=False, options=None, preamble="")
    dot = ks.ReductionKernel(np.float32, "0", "a+b", "x[i]*y[i]", "float *x, float *y")
    dot(x, y)                       # a 0-d array; also range=, slice=, out=, stream=

Elements, as CuPy's (a list of parameters first)::

    ReductionKernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity,
                    name="reduce_kernel", reduce_type=None, reduce_dims=True, preamble="", options=())
    norm = ks.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0")
    norm(x, axis=1)                 # also keepdims=, out=, stream=

The result depends on shapes and values alone: the same bits with any number of threads, on a CPU
or a GPU. Reducing nothing gives the identity; without one it is a ValueError.

>>> norm = ks.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0")
>>> norm(ks.array([[3.0, 4.0], [6.0, 8.0]]), axis=1)
array([ 5., 10.]))doc";

/// Of each kind of scan: what an element's result holds, and an example.
constexpr const char* inclusive_doc = R"doc(Results of the elements up to each, with it, from C++ text.

InclusiveScanKernel(dtype, scan_expr, neutral=None, name_prefix="scan", options=[], preamble="")

``kernel(x)`` works in place, ``kernel(x, y)`` from x to y, ``kernel(x, "new")`` into a new array;
the output is returned. Order is kept, so ``scan_expr`` of ``a`` and ``b`` need not commute.

>>> kernel = ks.InclusiveScanKernel("int32", "a + b")
>>> kernel(ks.array([1, 2, 3], "int32"))
array([1, 3, 6], dtype=int32))doc";

constexpr const char* exclusive_doc = R"doc(Results of the elements before each, without it, from C++ text; the first one is neutral.

ExclusiveScanKernel(dtype, scan_expr, neutral, name_prefix="scan", options=[], preamble="")

Called as an InclusiveScanKernel is.

>>> kernel = ks.ExclusiveScanKernel("int32", "a + b", "0")
>>> kernel(ks.array([1, 2, 3], "int32"))
array([0, 1, 3], dtype=int32))doc";

/// NumPy dtypes of structs that kernels know by name; tools.register_dtype fills it.
nb::dict& registered_types() {
  static nb::dict* types = new nb::dict;
  return *types;
}

KernelType type_of(nb::handle dtype) {
  nb::object object = numpy().attr("dtype")(dtype);
  if (registered_types().contains(object)) {
    KernelType type;
    type.text = nb::cast<std::string>(nb::str(registered_types()[object]));
    type.size = nb::cast<size_t>(object.attr("itemsize"));
    if (const auto known = dtype_from_c(type.text)) type.dtype = *known;
    return type;
  }
  if (nb::cast<std::string>(object.attr("kind")) == "V")
    throw Error(ErrorKind::type, "no kernel type is known for " +
                                     nb::cast<std::string>(nb::str(object)))
        .fix("register_dtype(dtype, \"name_of_the_struct\")");
  const Dtype known = dtype_from(object);
  return {std::string(c_type(known)), known, info(known).size};
}

std::vector<Parameter> parameters_of(nb::handle arguments, const KernelType& out) {
  if (arguments.is_none()) return parse_pointer_parameters("const " + out.text + " *in");
  if (nb::isinstance<nb::str>(arguments))
    return parse_pointer_parameters(nb::cast<std::string>(arguments));
  std::string all;
  for (nb::handle argument : nb::iter(arguments))
    all += (all.empty() ? "" : ", ") + nb::cast<std::string>(nb::str(argument.attr("declarator")()));
  return parse_pointer_parameters(all);
}

ReductionOptions options_of(const BoundArguments& bound) {
  ReductionOptions options;
  options.name = bound.text("name", "reduce_kernel");
  options.preamble = bound.text("preamble");
  options.options = bound.texts("options");
  if (bound.has("device")) options.device = &to_device(bound.get("device"));
  std::vector<TextPart> parts;
  for (const char* part : {"preamble", "map_expr", "reduce_expr", "post_map_expr"})
    if (bound.knows(part)) parts.emplace_back(options.name + " " + part, bound.text(part));
  options.locate = locator_here(std::move(parts));
  return options;
}

void construct_reduction(ReductionKernel* self, const nb::args& args, const nb::kwargs& kwargs) {
  const bool over_elements =
      kwargs.contains("in_params") ||
      (args.size() > 0 && nb::isinstance<nb::str>(args[0]) &&
       nb::cast<std::string>(args[0]).find_first_of(" \t\n") != std::string::npos);
  if (over_elements) {
    const BoundArguments bound("ReductionKernel",
                               {"in_params", "out_params", "map_expr", "reduce_expr",
                                "post_map_expr", "identity", "name", "reduce_type", "reduce_dims",
                                "preamble", "options", "*", "device"},
                               args, kwargs);
    for (const char* name : {"in_params", "out_params", "map_expr", "reduce_expr", "post_map_expr"})
      (void)bound.need(name);
    new (self) ReductionKernel(bound.text("in_params"), bound.text("out_params"),
                               bound.text("map_expr"), bound.text("reduce_expr"),
                               bound.text("post_map_expr"), bound.text("identity"),
                               bound.text("reduce_type"), options_of(bound));
    return;
  }
  const BoundArguments bound("ReductionKernel",
                             {"dtype_out", "neutral", "reduce_expr", "map_expr", "arguments",
                              "name", "keep", "options", "preamble", "allocator", "*", "device"},
                             args, kwargs);
  for (const char* name : {"dtype_out", "neutral", "reduce_expr"}) (void)bound.need(name);
  KernelType type = type_of(bound.get("dtype_out"));
  std::vector<Parameter> parameters = parameters_of(bound.get("arguments"), type);
  new (self) ReductionKernel(std::move(type), bound.text("neutral"), bound.text("reduce_expr"),
                             bound.text("map_expr"), std::move(parameters), options_of(bound));
}

PyObject* call_reduction(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    const ReductionKernel& kernel = *nb::inst_ptr<ReductionKernel>(self);
    ReductionCall call;
    nb::handle out;
    const auto set_axes = [&](nb::handle value) {
      if (value.is_none()) return;
      std::vector<int>& axes = call.axes.emplace();
      if (PyIndex_Check(value.ptr())) axes.push_back(nb::cast<int>(nb::int_(nb::borrow(value))));
      else
        for (nb::handle axis : nb::iter(value)) axes.push_back(nb::cast<int>(nb::int_(nb::borrow(axis))));
    };
    each_keyword(kwargs, [&](std::string_view name, nb::handle value) {
      if (name == "stream") {
        call.stream = stream_from(value);
      } else if (name == "out") {
        if (!value.is_none()) out = value;
      } else if (kernel.is_over_pointers() && (name == "range" || name == "slice")) {
        if (value.is_none()) return;
        ElementRange& range = call.range.emplace();
        range.is_slice = name == "slice";
        const auto part = [&](const char* which) -> std::optional<int64_t> {
          const nb::object bound = value.attr(which);
          if (bound.is_none()) return std::nullopt;
          return nb::cast<int64_t>(nb::int_(bound));
        };
        range.start = part("start"), range.stop = part("stop"), range.step = part("step");
      } else if (kernel.is_over_pointers() && name == "allocator") {
        return;
      } else if (!kernel.is_over_pointers() && name == "axis") {
        set_axes(value);
      } else if (!kernel.is_over_pointers() && name == "keepdims") {
        call.keepdims = PyObject_IsTrue(value.ptr()) == 1;
      } else {
        unknown_keyword(kernel.name(), name, kernel.is_over_pointers() ? std::vector<std::string>{"range", "slice", "out", "stream", "allocator"} : std::vector<std::string>{"axis", "keepdims", "out", "stream"});
      }
    });
    if (out) {
      const Array* array = array_in(out);
      if (!array) throw Error(ErrorKind::type, kernel.name() + ": out must be an array of ours");
      call.out = *array;
    }
    CallArguments arguments;
    const Py_ssize_t count = PyTuple_Size(args);
    const std::vector<Parameter>& inputs_of = kernel.in_params();
    for (Py_ssize_t i = 0; i < count; ++i) {
      const auto k = static_cast<size_t>(i);
      arguments.add(PyTuple_GetItem(args, i), !kernel.is_over_pointers() && k < inputs_of.size() && !inputs_of[k].is_raw);
    }
    std::vector<Array> results = without_gil([&] { return kernel(arguments.span(), call); });
    if (out) return nb::borrow(out).release().ptr();
    const size_t inputs = kernel.inputs();
    if (static_cast<size_t>(count) > inputs) {  // outputs passed by position
      if (results.size() == 1)
        return nb::borrow(PyTuple_GetItem(args, inputs)).release().ptr();
      return PyTuple_GetSlice(args, inputs, count);
    }
    if (results.size() == 1) return nb::cast(results[0]).release().ptr();
    nb::list all;
    for (const Array& result : results) all.append(nb::cast(result));
    return nb::tuple(all).release().ptr();
  });
}

struct InclusiveScanKernel : ScanKernel {
  using ScanKernel::ScanKernel;
};
struct ExclusiveScanKernel : ScanKernel {
  using ScanKernel::ScanKernel;
};

template <class Kernel>
PyObject* call_scan(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    const ScanKernel& kernel = *nb::inst_ptr<Kernel>(self);
    const BoundArguments bound("scan", {"input_ary", "output_ary", "allocator", "stream"},
                               nb::borrow<nb::args>(args),
                               kwargs ? nb::borrow<nb::kwargs>(kwargs) : nb::kwargs());
    const nb::object in = bound.need("input_ary");
    nb::object out = bound.has("output_ary") ? bound.get("output_ary") : in;
    if (nb::isinstance<nb::str>(out)) {
      if (bound.text("output_ary") != "new")
        throw Error(ErrorKind::value, "scan: the output is an array or \"new\"");
      const Array* array = array_in(in);
      if (!array) throw Error(ErrorKind::type, "scan: \"new\" needs an array of ours");
      out = nb::cast(Array::empty(array->shape(), array->dtype(), array->device(), array->itemsize()));
    }
    Stream* stream = stream_from(bound.get("stream"));
    CallArguments arguments;
    arguments.add(in);
    arguments.add(out);
    {
      const GilReleased release;
      kernel(arguments.span()[0], arguments.span()[1], stream);
    }
    return out.release().ptr();
  });
}

template <class Kernel>
void bind_scan(nb::module_& m, const char* name, const char* doc, ScanKind kind) {
  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_scan<Kernel>)}, {0, nullptr}};
  nb::class_<Kernel> scan(m, name, doc, nb::type_slots(slots), nb::dynamic_attr());
  bind_check_call(scan, [](const Kernel&) { return std::vector<std::string>{"_x", "_y"}; });
  bind_construct(scan, [kind](Kernel* self, const nb::args& args, const nb::kwargs& kwargs) {
    const BoundArguments bound("ScanKernel",
                               {"dtype", "scan_expr", "neutral", "name_prefix", "options", "preamble", "devices"},
                               args, kwargs);
    (void)bound.need("scan_expr");
    ScanOptions options;
    options.name = bound.text("name_prefix", "scan");
    options.preamble = bound.text("preamble");
    options.options = bound.texts("options");
    options.locate = locator_here({{options.name + " preamble", options.preamble},
                                   {options.name + " scan_expr", bound.text("scan_expr")}});
    new (self) Kernel(kind, type_of(bound.need("dtype")), bound.text("scan_expr"), bound.text("neutral"), std::move(options));
  });
  scan.def("text", &Kernel::text, "The kernel text.");
}

}  // namespace

void bind_kernel_reduction(nb::module_& m) {
  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_reduction)}, {0, nullptr}};
  nb::class_<ReductionKernel> reduction(m, "ReductionKernel", reduction_doc, nb::type_slots(slots), nb::dynamic_attr());
  bind_check_call(reduction, [](const ReductionKernel& kernel) { return names_of(kernel.in_params(), kernel.out_params()); });
  bind_construct(reduction, construct_reduction);
  reduction
      .def_prop_ro("name", &ReductionKernel::name, "The kernel's name, as it was given.")
      .def("texts", &ReductionKernel::texts, "The kernel texts generated so far, newest first.");
  bind_scan<InclusiveScanKernel>(m, "InclusiveScanKernel", inclusive_doc, ScanKind::inclusive);
  bind_scan<ExclusiveScanKernel>(m, "ExclusiveScanKernel", exclusive_doc, ScanKind::exclusive);
  m.def("_register_kernel_type",
        [](nb::handle dtype, nb::handle name) {
          registered_types()[nb::object(numpy().attr("dtype")(dtype))] = nb::str(name);
        });
}

}  // namespace kasoku
