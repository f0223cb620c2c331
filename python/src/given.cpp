#include "given.h"

#include "array_object.h"
#include "foreign.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

namespace kasoku {

namespace {

/// That of an array of ours, or of another library's that lies on a GPU; null for anything else.
Device* device_of(nb::handle object) {
  if (const Array* array = array_of(object)) return &array->device();
  const std::optional<Array> theirs = foreign_array(object);
  return theirs && !theirs->device().is_host() ? &theirs->device() : nullptr;
}

}  // namespace

Device& device_among(std::initializer_list<nb::handle> objects) {
  for (nb::handle object : objects) {
    if (Device* const device = device_of(object)) return *device;
    if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object))
      for (nb::handle one : nb::iter(object))
        if (Device* const device = device_of(one)) return *device;
  }
  return default_device();
}

Array given_array(nb::handle object) { return array_from(object, device_among({object})); }

nb::tuple tuple_of(std::vector<Array> arrays) {
  const nb::object all = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(arrays.size())));
  if (!all) throw nb::python_error();
  for (size_t i = 0; i < arrays.size(); ++i) PyTuple_SetItem(all.ptr(), static_cast<Py_ssize_t>(i), nb::cast(std::move(arrays[i])).release().ptr());
  return nb::borrow<nb::tuple>(all);
}

OutOfRange out_of_range_from(nb::handle mode) {
  const std::string name = nb::isinstance<nb::str>(mode) ? nb::cast<std::string>(mode) : "";
  if (name == "raise") return OutOfRange::raise;
  if (name == "wrap") return OutOfRange::wrap;
  if (name == "clip") return OutOfRange::clip;
  throw Error(ErrorKind::value, "clipmode must be one of 'clip', 'raise', or 'wrap' (got '" + nb::cast<std::string>(nb::str(mode)) + "')");
}

std::optional<Array> optional_array(nb::handle object, Device& device) {
  if (object.is_none()) return std::nullopt;
  return array_from(object, device);
}

}  // namespace kasoku
