/// \file array.cpp
/// ks.Array: what NumPy's ndarray has. Operators are bound in ops.cpp.
#include "convert.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/plan.h"
#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

#include <nanobind/stl/string.h>

namespace kasoku {

namespace {

Array make_array(nb::handle object, nb::handle dtype, nb::handle device, bool copy_data) {
  const std::optional<Dtype> wanted = optional_dtype(dtype);
  if (nb::isinstance<Array>(object)) {
    Array array = nb::cast<Array&>(object);
    if (!device.is_none()) {
      Device& to = device_from(device);
      nb::gil_scoped_release release;
      array = to_device(array, to);
    }
    if (wanted && *wanted != array.dtype()) return astype(array, *wanted);
    return copy_data ? copy(array) : array;
  }
  return import_host(object, wanted, device_from(device), copy_data);
}

nb::object as_host(const Array& array, nb::handle dtype, nb::handle copy) {
  const bool may_share = !copy.is_none() && !nb::cast<bool>(copy);
  nb::object host = may_share ? numpy_view(array) : to_numpy(array);
  return dtype.is_none() ? host : host.attr("astype")(dtype, nb::arg("copy") = false);
}

}  // namespace

void bind_array(nb::module_& m) {
  nb::class_<Array>(m, "Array", "An n-dimensional array on a device, with NumPy's semantics.")
      .def_prop_ro("shape", [](const Array& x) { return tuple_from(x.shape()); })
      .def_prop_ro("strides", [](const Array& x) { return tuple_from(x.strides()); })
      .def_prop_ro("ndim", &Array::ndim)
      .def_prop_ro("size", &Array::size)
      .def_prop_ro("itemsize", &Array::itemsize)
      .def_prop_ro("nbytes", &Array::nbytes)
      .def_prop_ro("dtype", [](const Array& x) { return numpy_dtype(x.dtype()); })
      .def_prop_ro("is_pending", &Array::is_pending, "Whether the values are still to be computed.")
      .def("numpy", &to_numpy, "The values in a new NumPy array.")
      .def("__array__", &as_host, nb::arg("dtype") = nb::none(), nb::arg("copy") = nb::none())
      .def("item", &item_of, "The only element, as a Python number.")
      .def("tolist", [](const Array& x) { return to_numpy(x).attr("tolist")(); })
      .def("__repr__",
           [](const Array& x) { return nb::str(nb::repr(to_numpy(x))); })
      .def("__str__", [](const Array& x) { return nb::str(to_numpy(x)); });
  m.def(
      "array",
      [](nb::handle x, nb::handle dtype, nb::handle device) {
        return make_array(x, dtype, device, true);
      },
      nb::arg("object"), nb::arg("dtype") = nb::none(), nb::arg("device") = nb::none(),
      "A new array with a copy of the values.");
  m.def(
      "asarray",
      [](nb::handle x, nb::handle dtype, nb::handle device) {
        return make_array(x, dtype, device, false);
      },
      nb::arg("object"), nb::arg("dtype") = nb::none(), nb::arg("device") = nb::none(),
      "An array of the values; on a cpu it shows a NumPy array's memory.");
}

}  // namespace kasoku
