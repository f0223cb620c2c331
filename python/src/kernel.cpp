/// \file kernel.cpp
/// ks.ElementwiseKernel, in PyCUDA's spelling and in CuPy's.
#include "check_call.h"
#include "kernel_arguments.h"
#include "kernel_call.h"
#include "origin.h"
#include "convert.h"
#include "device.h"
#include "kasoku/base/error.h"
#include "kasoku/base/text.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/stream.h"
#include "kasoku/kernel/elementwise.h"

#include <nanobind/stl/vector.h>

#include <new>

namespace kasoku {
namespace {

constexpr const char* elementwise_doc = R"doc(A kernel from the C++ text of one element.

Two spellings, told apart by the first string (or by keywords): with a ``*`` it declares pointers.

Pointers, as PyCUDA's::

    ElementwiseKernel(arguments, operation, name="kernel", keep=False, options=[], preamble="",
                      loop_prep="", after_loop="")
    plus_one = ks.ElementwiseKernel("int *x, int *y", "y[i] = x[i] + 1", "plus_one")
    plus_one(x, y)                       # returns None
    plus_one(x, y, range=slice(0, 5))    # or slice=slice(None, None, 2)

``i`` is the element, ``n`` their number. All arrays that the operation indexes only as ``x[i]``
must have one length; dtypes must be the declared ones. ``arguments`` may be a list of VectorArg
and ScalarArg.

Elements, as CuPy's::

    ElementwiseKernel(in_params, out_params, operation, name="kernel", reduce_dims=True,
                      preamble="", no_return=False, return_tuple=False, options=(),
                      loop_prep="", after_loop="")
    squared = ks.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)")
    z = squared(x, y)                    # broadcasts; z is made with x's dtype

One capital letter stands for any dtype: outputs that are passed decide it first, then inputs.
``raw T x`` is indexed by the operation: ``x[i]``, ``x[ind]``, ``x.size()``, ``x.shape()[0]``;
if every array is raw, give ``size=n``. ``_ind.size()`` and ``_ind.get()`` tell where ``i`` is.

Both take ``stream=`` and ``block_size=``. Text compiles at the first call for a combination of
dtypes, ranks and contiguity; ``texts()`` shows it. A wrong argument is one sentence that names
the parameter (TypeError, ValueError); wrong text is ks.CompileError with the line in it.

>>> squared = ks.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)")
>>> squared(ks.array([1.0, 2.0]), 5.0)
array([16.,  9.]))doc";

ElementwiseOptions options_of(const BoundArguments& bound, const std::string& operation) {
  ElementwiseOptions options;
  options.name = bound.text("name", "kernel");
  options.preamble = bound.text("preamble");
  options.loop_prep = bound.text("loop_prep");
  options.after_loop = bound.text("after_loop");
  options.options = bound.texts("options");
  if (bound.has("device")) options.device = &to_device(bound.get("device"));
  options.locate = locator_here({{options.name, operation},
                                 {options.name + " preamble", options.preamble},
                                 {options.name + " loop_prep", options.loop_prep},
                                 {options.name + " after_loop", options.after_loop}});
  return options;
}

/// "float *x, int n", also from a list of objects that declare themselves (VectorArg).
std::string declarations_of(nb::handle arguments) {
  if (nb::isinstance<nb::str>(arguments)) return nb::cast<std::string>(arguments);
  std::vector<std::string> parts;
  for (nb::handle argument : nb::iter(arguments))
    parts.push_back(nb::cast<std::string>(
        nb::isinstance<nb::str>(argument) ? nb::borrow(argument) : argument.attr("declarator")()));
  return join(parts);
}

bool is_pointer_spelling(const nb::args& args, const nb::kwargs& kwargs) {
  if (kwargs.contains("arguments")) return true;
  if (kwargs.contains("in_params") || kwargs.contains("out_params")) return false;
  if (args.size() == 0) return true;
  return !nb::isinstance<nb::str>(args[0]) ||
         nb::cast<std::string>(args[0]).find('*') != std::string::npos;
}

void construct_elementwise(ElementwiseKernel* self, const nb::args& args, const nb::kwargs& kwargs) {
  if (is_pointer_spelling(args, kwargs)) {
    const BoundArguments bound("ElementwiseKernel",
                               {"arguments", "operation", "name", "keep", "options", "preamble",
                                "loop_prep", "after_loop", "*", "device"},
                               args, kwargs);
    auto operation = nb::cast<std::string>(nb::str(bound.need("operation")));
    ElementwiseOptions options = options_of(bound, operation);
    new (self) ElementwiseKernel(declarations_of(bound.need("arguments")), std::move(operation),
                                 std::move(options));
    return;
  }
  const BoundArguments bound(
      "ElementwiseKernel",
      {"in_params", "out_params", "operation", "name", "reduce_dims", "preamble", "no_return",
       "return_tuple", "options", "loop_prep", "after_loop", "doc", "*", "device"},
      args, kwargs);
  auto operation = nb::cast<std::string>(nb::str(bound.need("operation")));
  ElementwiseOptions options = options_of(bound, operation);
  options.reduce_dims = bound.flag("reduce_dims", true);
  options.no_return = bound.flag("no_return");
  options.return_tuple = bound.flag("return_tuple");
  (void)bound.need("out_params");
  new (self) ElementwiseKernel(bound.text("in_params"), bound.text("out_params"),
                               std::move(operation), std::move(options));
}

ElementRange range_of(nb::handle object, bool is_slice) {
  ElementRange range;
  range.is_slice = is_slice;
  const auto part = [&](const char* name) -> std::optional<int64_t> {
    const nb::object value = object.attr(name);
    if (value.is_none()) return std::nullopt;
    return integer_from(value);
  };
  range.start = part("start");
  range.stop = part("stop");
  range.step = part("step");
  return range;
}

PyObject* call_elementwise(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guarded([&]() -> PyObject* {
    const ElementwiseKernel& kernel = *nb::inst_ptr<ElementwiseKernel>(self);
    const bool over_pointers = kernel.is_over_pointers();
    ElementwiseCall call;
    nb::object outputs_by_name;
    each_keyword(kwargs, [&](std::string_view name, nb::handle value) {
      if (name == "stream") {
        call.stream = stream_from(value);
      } else if (name == "block_size") {
        call.block_size = nb::cast<int64_t>(value);
        if (call.block_size == 0) call.block_size = -1;  // named in the error as it is wrong
      } else if (over_pointers && (name == "range" || name == "slice")) {
        if (value.is_none()) return;
        if (call.range)
          throw Error(ErrorKind::type, "range= and slice= cannot both be given");
        call.range = range_of(value, name == "slice");
      } else if (!over_pointers && name == "size") {
        if (!value.is_none()) call.size = nb::cast<int64_t>(value);
      } else {
        unknown_keyword(kernel.options().name, name, over_pointers ? std::vector<std::string>{"range", "slice", "stream", "block_size"} : std::vector<std::string>{"size", "stream", "block_size"});
      }
    });
    CallArguments arguments;
    const Py_ssize_t count = PyTuple_Size(args);
    const std::vector<Parameter>& inputs_of = kernel.in_params();
    for (Py_ssize_t i = 0; i < count; ++i) {
      const auto k = static_cast<size_t>(i);
      arguments.add(PyTuple_GetItem(args, i), !over_pointers && k < inputs_of.size() && !inputs_of[k].is_raw);
    }
    std::vector<Array> made;
    {
      const GilReleased release;
      if (arguments.has_host_arguments()) {
        Device& device = kernel.device_for(arguments.span(), call);
        Stream& stream = call.stream ? *call.stream : device.current_stream();
        arguments.copy_in(device, stream);
        made = kernel(arguments.span(), call);
        arguments.copy_out(stream);
      } else {
        made = kernel(arguments.span(), call);
      }
    }
    if (over_pointers) Py_RETURN_NONE;
    const size_t inputs = kernel.in_params().size(), outputs = kernel.out_params().size();
    if (kernel.options().no_return || outputs == 0) {
      if (kernel.options().return_tuple && !kernel.options().no_return) return PyTuple_New(0);
      Py_RETURN_NONE;
    }
    const auto output = [&](size_t k) {
      return made.empty() ? nb::borrow(PyTuple_GetItem(args, inputs + k)) : nb::cast(made[k]);
    };
    if (outputs == 1 && !kernel.options().return_tuple) return output(0).release().ptr();
    nb::list results;
    for (size_t k = 0; k < outputs; ++k) results.append(output(k));
    return nb::tuple(results).release().ptr();
  });
}

}  // namespace

void bind_kernel(nb::module_& m) {
  PyType_Slot slots[] = {{Py_tp_call, reinterpret_cast<void*>(call_elementwise)}, {0, nullptr}};
  nb::class_<HostArgument>(m, "_HostArgument",
                           "A host array that a launch copies in, out, or both ways.")
      .def("__init__",
           [](HostArgument* self, nb::object array, bool copy_in, bool copy_out) {
             new (self) HostArgument{array, copy_in, copy_out};
           },
           nb::arg("array"), nb::arg("copy_in") = true, nb::arg("copy_out") = false)
      .def_prop_ro("array", [](const HostArgument& x) { return x.array; });
  nb::class_<ElementwiseKernel> elementwise(m, "ElementwiseKernel", elementwise_doc, nb::type_slots(slots), nb::dynamic_attr());
  bind_check_call(elementwise, [](const ElementwiseKernel& kernel) { return names_of(kernel.in_params(), kernel.out_params()); });
  bind_construct(elementwise, construct_elementwise);
  elementwise
      .def_prop_ro("name", [](const ElementwiseKernel& k) { return k.options().name; }, "The kernel's name, as it was given.")
      .def_prop_ro("operation", [](const ElementwiseKernel& k) { return k.operation(); }, "The C++ text of one element.")
      .def_prop_ro("preamble", [](const ElementwiseKernel& k) { return k.options().preamble; }, "C++ text before the kernel.")
      .def_prop_ro("nin", [](const ElementwiseKernel& k) { return k.in_params().size(); }, "How many inputs it has.")
      .def_prop_ro("nout", [](const ElementwiseKernel& k) { return k.out_params().size(); }, "How many outputs it has.")
      .def("texts", &ElementwiseKernel::texts,
           "The kernel texts generated so far, newest first.")
      .def_prop_ro("cached_codes", &ElementwiseKernel::texts, "texts(), by CuPy's name.")
      .def_prop_ro("cached_code",
                   [](const ElementwiseKernel& k) {
                     const std::vector<std::string> texts = k.texts();
                     return texts.empty() ? std::string() : texts.front();
                   },
                   "The newest of the kernel texts, by CuPy's name; empty before the first call.")
      .def("__repr__", [](const ElementwiseKernel& k) {
        return "<kasoku.ElementwiseKernel " + k.options().name + ">";
      });
}

}  // namespace kasoku
