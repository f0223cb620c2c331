/// \file interop.cpp
/// The protocols by which arrays go to and come from other libraries.
#include "arguments.h"
#include "foreign.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"
#include "kasoku/device/stream.h"
#include "to_python.h"

#include <string>

namespace kasoku {

namespace {

using namespace nb::literals;

/// As NumPy's protocol has it: the memory itself where NumPy can see it, unless a copy is asked for.
nb::object as_host(const Array& x, nb::handle dtype, nb::handle copy) {
  const bool is_visible = x.device().is_host() && !info(x.dtype()).code.empty();
  const bool must_copy = !copy.is_none() && nb::cast<bool>(copy), may_copy = copy.is_none() || must_copy;
  if (!is_visible && !may_copy)
    throw Error(ErrorKind::value, "NumPy cannot show an array of " + std::string(info(x.dtype()).name) + " on " +
                                      x.device().str() + " without a copy");
  nb::object host = is_visible && !must_copy ? numpy_view(x) : to_numpy(x);
  if (dtype.is_none() || nb::object(host.attr("dtype")).equal(numpy().attr("dtype")(dtype))) return host;
  if (!may_copy)
    throw Error(ErrorKind::value,
                "an array of " + std::string(info(x.dtype()).name) + " has another dtype only in a copy");
  return host.attr("astype")(dtype);
}

/// The address of the host's memory, for libraries that read it themselves.
nb::object array_interface(const Array& x) {
  if (!x.device().is_host())
    throw nb::attribute_error(("__array_interface__: the array is on " + x.device().str()).c_str());
  return numpy_view(x).attr("__array_interface__");
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

}  // namespace

void bind_interop(nb::module_& m) {
  nb::object cls = m.attr("Array");
  add_method(cls, "__array__", &as_host, "dtype"_a = nb::none(), "copy"_a = nb::none());
  add_method(cls, "__bytes__", [](const Array& x) { return nb::handle(reinterpret_cast<PyObject*>(&PyBytes_Type))(as_host(x, nb::none(), nb::none())); });
  add_method(cls, "__array_namespace__", [](nb::handle, nb::handle api_version) {
    const nb::object versions = nb::make_tuple("2021.12", "2022.12", "2023.12", "2024.12");
    if (!api_version.is_none() && PySequence_Contains(versions.ptr(), api_version.ptr()) != 1)
      throw Error(ErrorKind::value, "this is the array API of 2024.12 and before, not of " + std::string(nb::str(api_version).c_str()));
    return nb::module_::import_("kasoku");
  }, "api_version"_a = nb::none());
  nb::object property = nb::module_::import_("builtins").attr("property");
  cls.attr("__array_interface__") = property(nb::cpp_function(&array_interface));
  cls.attr("__cuda_array_interface__") = property(nb::cpp_function(&cuda_interface));
  add_method(cls, "__reduce__", [](const Array& x) {
    nb::object rebuild = nb::module_::import_("kasoku._array").attr("rebuild");
    return nb::make_tuple(rebuild, nb::make_tuple(to_numpy(x), numpy_dtype(x.dtype()), nb::str(x.device().str().c_str())));
  });
  // Of arrays of several libraries Dask asks the one with the highest; NumPy's have 0.
  cls.attr("__array_priority__") = 1;
  // As NumPy's: whoever moves objects between processes asks how much there is to move.
  add_method(cls, "__sizeof__", [](const Array& x) { return sizeof(Array) + x.nbytes(); });
  m.def("_array_of_interface", &array_of_interface, "x"_a, "An array that shows what an object's __cuda_array_interface__ shows; None if it has none.");
  m.def("asnumpy", [](nb::handle x) -> nb::object {
    return nb::isinstance<Array>(x) ? to_numpy(nb::cast<Array&>(x)) : nb::object(numpy().attr("asarray")(x));
  }, "x"_a.none(), R"(The values in a new NumPy array in the host's memory; whatever is no array of ours goes to numpy.asarray.

Returns a numpy.ndarray of the same shape and dtype. A pending array is computed before.

>>> ks.asnumpy(ks.arange(3))
array([0, 1, 2]))");
  m.def("_numpy_view", &numpy_view, "x"_a, "A NumPy array that shows the same memory.");
}

}  // namespace kasoku
