/// \file interop.cpp
/// The protocols by which arrays go to and come from other libraries.
#include "arguments.h"
#include "foreign.h"
#include "kasoku/array/creation.h"
#include "kasoku/codegen/scans.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/stream.h"

#include <nanobind/ndarray.h>

#include <algorithm>
#include <string>

namespace kasoku {

namespace {

using namespace nb::literals;

nb::object as_host(const Array& x, nb::handle dtype, nb::handle copy) {
  const bool may_share = !copy.is_none() && !nb::cast<bool>(copy);
  nb::object host = may_share && !info(x.dtype()).code.empty() ? numpy_view(x) : to_numpy(x);
  return dtype.is_none() ? host : host.attr("astype")(dtype, "copy"_a = false);
}

/// NumPy's functions on our arrays: the operation of the same name, on our device.
nb::object array_ufunc(nb::handle self, nb::handle ufunc, nb::str method, nb::args inputs, nb::kwargs kwargs) {
  const std::string name = nb::cast<std::string>(ufunc.attr("__name__")), how = nb::cast<std::string>(method);
  nb::module_ core = nb::module_::import_("kasoku._core");
  const auto op = op_from_name(name);
  if (how == "__call__" && (op || name == "matmul")) {
    nb::kwargs rest;
    for (auto [key, value] : kwargs) {
      const std::string k = nb::cast<std::string>(key);
      if (k == "out") {
        nb::object out = nb::borrow<nb::tuple>(value)[0];
        if (!nb::isinstance<Array>(out)) {  // into a NumPy array: copy there
          nb::object result = core.attr(name.c_str())(*inputs);
          numpy().attr("copyto")(out, to_numpy(nb::cast<Array&>(result)), "casting"_a = "same_kind");
          return out;
        }
        rest["out"] = out;
      } else if (k == "dtype") {
        rest["dtype"] = value;
      } else {
        return nb::borrow(Py_NotImplemented);
      }
    }
    return core.attr(name.c_str())(*inputs, **rest);
  }
  const auto reduction = std::ranges::find_if(reduction_table, [&](const ReductionInfo& row) { return op && row.join == *op && !row.keeps_position(); });
  if (how == "reduce" && reduction != std::end(reduction_table)) {
    nb::kwargs rest = nb::borrow<nb::kwargs>(kwargs.attr("copy")());
    if (!rest.contains("axis")) rest["axis"] = 0;
    return core.attr(reduction->name.data())(*inputs, **rest);
  }
  const auto scan = std::ranges::find_if(scan_table, [&](const ScanInfo& row) { return op && row.join == *op && row.takes == ReductionInfo::all; });
  if (how == "accumulate" && scan != std::end(scan_table)) {
    nb::kwargs rest = nb::borrow<nb::kwargs>(kwargs.attr("copy")());
    if (!rest.contains("axis") && inputs.size() < 2) rest["axis"] = 0;
    return core.attr(scan->name.data())(*inputs, **rest);
  }
  if (how == "at" && inputs.size() == 3 && nb::isinstance<Array>(inputs[0]) && nb::hasattr(core, (name + "_at").c_str())) return core.attr((name + "_at").c_str())(*inputs);
  return nb::borrow(Py_NotImplemented);
}

/// numpy.f(our array): our function of that name.
nb::object array_function(nb::handle self, nb::handle function, nb::handle types, nb::handle args, nb::handle kwargs) {
  nb::module_ core = nb::module_::import_("kasoku._core");
  const std::string name = nb::cast<std::string>(function.attr("__name__"));
  const std::string module = nb::cast<std::string>(nb::str(function.attr("__module__")));
  // numpy.linalg and numpy.fft are modules here too.
  const char* const home = module == "numpy.linalg" ? "_linalg" : module == "numpy.fft" ? "_fft" : module == "numpy" ? "" : nullptr;
  const nb::object functions = !home ? nb::object() : *home ? nb::object(core.attr(home)) : nb::object(core);
  if (home && name[0] != '_' && nb::hasattr(functions, name.c_str()))
    return functions.attr(name.c_str())(*nb::borrow<nb::tuple>(args), **nb::borrow<nb::kwargs>(kwargs));
  return nb::borrow(Py_NotImplemented);
}

nb::dict cuda_interface(const Array& x) {
  if (x.device().dlpack_type() != 2) throw nb::attribute_error(("__cuda_array_interface__: the array is on " + x.device().str()).c_str());
  void* first;
  {
    const GilReleased release;
    first = x.data();
  }
  x.buffer()->is_shared = true;
  nb::dict result;
  result["shape"] = tuple_from(x.shape());
  result["typestr"] = numpy_dtype(x.dtype()).attr("str");
  result["data"] = nb::make_tuple(reinterpret_cast<uintptr_t>(first), x.is_read_only());
  result["strides"] = x.is_contiguous() ? nb::none() : nb::object(tuple_from(x.strides()));
  result["version"] = 3;
  const uintptr_t stream = x.device().current_stream().handle();
  result["stream"] = stream ? nb::object(nb::int_(stream)) : nb::object(nb::int_(1));
  return result;
}

/// Without a copy where the device is one of ours.
Array from_dlpack(nb::handle object, nb::handle copy_data) {
  const Array result = array_of_dlpack(object);
  return !copy_data.is_none() && nb::cast<bool>(copy_data) ? copy(result) : result;
}

nb::object dlpack(nb::object self, nb::kwargs kwargs) {
  Array x = nb::cast<Array&>(self);
  const auto given = [&](const char* name) { return kwargs.contains(name) ? nb::object(kwargs[name]) : nb::none(); };
  const nb::object wanted = given("dl_device"), copies = given("copy"), stream = given("stream");
  if (x.device().is_host()) return numpy_view(x).attr("__dlpack__")(**kwargs);
  if (!wanted.is_none() && !wanted.equal(self.attr("__dlpack_device__")())) {
    if (!wanted.equal(nb::make_tuple(1, 0)) || (!copies.is_none() && !nb::cast<bool>(copies)))
      throw nb::buffer_error("__dlpack__: the array cannot be shown on that device without a copy");
    return to_numpy(x).attr("__dlpack__")();
  }
  if (!copies.is_none() && nb::cast<bool>(copies)) x = copy(x);
  give_to(x, stream.is_none() ? std::nullopt : std::optional(nb::cast<int64_t>(stream)));
  void* const first = x.address();
  auto* keep = new std::shared_ptr<Buffer>(x.buffer());
  (*keep)->is_shared = true;
  nb::capsule owner(keep, [](void* p) noexcept { delete static_cast<std::shared_ptr<Buffer>*>(p); });
  std::vector<size_t> shape(x.shape().begin(), x.shape().end());
  std::vector<int64_t> strides;
  for (int64_t stride : x.strides()) strides.push_back(stride / static_cast<int64_t>(x.itemsize()));
  const DtypeInfo& row = info(x.dtype());
  using Code = nb::dlpack::dtype_code;
  nb::dlpack::dtype type{};
  type.code = static_cast<uint8_t>(row.kind == DtypeKind::boolean ? Code::Bool : row.kind == DtypeKind::signed_ ? Code::Int : row.kind == DtypeKind::unsigned_ ? Code::UInt
                                   : row.kind == DtypeKind::complex_ ? Code::Complex : x.dtype() == Dtype::bfloat16 ? Code::Bfloat : Code::Float);
  type.bits = static_cast<uint8_t>(8 * row.size);
  type.lanes = 1;
  nb::object made = nb::cast(nb::ndarray<>(first, shape.size(), shape.data(), owner, strides.data(), type, nb::device::cuda::value, x.device().index));
  return nb::hasattr(made, "__dlpack__") ? made.attr("__dlpack__")() : made;  // a capsule already, or what gives one
}

}  // namespace

void bind_interop(nb::module_& m) {
  nb::object cls = m.attr("Array");
  add_method(cls, "__array__", &as_host, "dtype"_a = nb::none(), "copy"_a = nb::none());
  add_method(cls, "__array_ufunc__", &array_ufunc);
  add_method(cls, "__array_function__", &array_function);
  add_method(cls, "__array_namespace__", [](nb::handle, nb::handle) { return nb::module_::import_("kasoku"); }, "api_version"_a = nb::none());
  add_method(cls, "__dlpack__", &dlpack);
  add_method(cls, "__dlpack_device__", [](const Array& x) {
    return nb::make_tuple(x.device().dlpack_type(), x.device().index);
  });
  nb::object property = nb::module_::import_("builtins").attr("property");
  cls.attr("__cuda_array_interface__") = property(nb::cpp_function(&cuda_interface));
  add_method(cls, "__reduce__", [](const Array& x) {
    nb::object rebuild = nb::module_::import_("kasoku._array").attr("rebuild");
    return nb::make_tuple(rebuild, nb::make_tuple(to_numpy(x), numpy_dtype(x.dtype()), nb::str(x.device().str().c_str())));
  });
  // Of arrays of several libraries Dask asks the one with the highest; NumPy's have 0.
  cls.attr("__array_priority__") = 1;
  // As NumPy's: whoever moves objects between processes asks how much there is to move.
  add_method(cls, "__sizeof__", [](const Array& x) { return sizeof(Array) + x.nbytes(); });
  m.def("from_dlpack", &from_dlpack, "x"_a, "copy"_a = nb::none(), "An array that shows what another library's array shows.");
  m.def("_array_of_interface", &array_of_interface, "x"_a, "An array that shows what an object's __cuda_array_interface__ shows; None if it has none.");
  m.def("asnumpy", [](nb::handle x) -> nb::object {
    return nb::isinstance<Array>(x) ? to_numpy(nb::cast<Array&>(x)) : nb::object(numpy().attr("asarray")(x));
  }, "x"_a.none(), "The values in a NumPy array; whatever is no array goes to numpy.asarray.");
  m.def("_numpy_view", &numpy_view, "x"_a, "A NumPy array that shows the same memory.");
}

}  // namespace kasoku
