#include "given.h"

#include "kasoku/base/error.h"
#include "kasoku/compile/backends.h"

namespace kasoku {

Device& device_among(std::initializer_list<nb::handle> objects) {
  for (nb::handle object : objects) {
    if (nb::isinstance<Array>(object)) return nb::cast<Array&>(object).device();
    if (nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object))
      for (nb::handle one : nb::iter(object))
        if (nb::isinstance<Array>(one)) return nb::cast<Array&>(one).device();
  }
  return default_device();
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
