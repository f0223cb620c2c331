/// \file texture.cpp
/// ks.Texture: numbers that a kernel reads by coordinates, or writes as a surface.
#include "bindings.h"
#include "convert.h"
#include "kasoku/base/error.h"
#include "kasoku/device/texture.h"


#include <algorithm>
#include <string_view>
#include <vector>

namespace kasoku {
namespace {

class Texture {
 public:
  Texture(nb::handle array, int channels, const std::string& address, const std::string& filter,
          bool is_normalized, bool is_unit, bool copies) {
    own_ = copies ? numpy().attr("array")(array, nb::arg("order") = "C", nb::arg("copy") = true)
                  : numpy().attr("asarray")(array);
    const nb::object dtype = own_.attr("dtype");
    const auto kind = nb::cast<std::string>(dtype.attr("kind"));
    const int bytes = nb::cast<int>(dtype.attr("itemsize"));
    if (kind.find_first_of("iuf") == std::string::npos || bytes > 4)
      throw Error(ErrorKind::type, "a texture cannot hold " + nb::cast<std::string>(nb::str(dtype)))
          .fix("integers of up to 32 bits, float16 and float32");
    auto shape = nb::cast<std::vector<int64_t>>(nb::list(own_.attr("shape")));
    if (channels != 1 && channels != 2 && channels != 4)
      throw Error(ErrorKind::value, "a texture has 1, 2 or 4 channels");
    if (channels > 1) {
      if (shape.empty() || shape.back() != channels)
        throw Error(ErrorKind::value, "the array's last axis is not its channels").fix("channels=1");
      shape.pop_back();
    }
    if (shape.empty() || shape.size() > 3)
      throw Error(ErrorKind::value, "a texture has one, two or three dimensions");
    for (const int64_t n : shape)
      if (n < 1 || n > 0x7fffffff) throw Error(ErrorKind::value, "a texture needs an element along each axis");
    std::reverse(shape.begin(), shape.end());
    for (size_t i = 0; i < shape.size(); ++i) view_.extent[i] = static_cast<int32_t>(shape[i]);
    place_rows(shape.size(), channels, bytes);
    view_.data = reinterpret_cast<char*>(nb::cast<uintptr_t>(own_.attr("ctypes").attr("data")));
    view_.kind = static_cast<uint8_t>(kind[0]);
    view_.bytes = static_cast<uint8_t>(bytes);
    view_.channels = static_cast<uint8_t>(channels);
    view_.is_normalized = is_normalized;
    view_.is_unit = is_unit;
    view_.is_linear = choice("filter", filter, {"point", "linear"});
    const auto mode = choice("address", address, {"wrap", "clamp", "mirror", "border"});
    if (!is_normalized && (mode == TextureDescription::wrap || mode == TextureDescription::mirror))
      throw Error(ErrorKind::value, "address='" + address + "' needs normalized=True");
    for (uint8_t& axis : view_.address) axis = mode;
    if (view_.is_linear && kind != "f" && !is_unit)
      throw Error(ErrorKind::value, "integers cannot be filtered").fix("unit=True reads them as numbers up to 1");
  }
  Texture(const Texture&) = delete;

  uintptr_t handle() const { return reinterpret_cast<uintptr_t>(&view_); }
  nb::object values() const { return own_.attr("copy")(); }

 private:
  /// Rows may lie apart, as in pitched memory; the elements of a row do not.
  void place_rows(size_t axes, int channels, int bytes) {
    const auto strides = nb::cast<std::vector<int64_t>>(nb::list(own_.attr("strides")));
    const int64_t element = int64_t{channels} * bytes;
    if (strides.back() != bytes || strides[axes - 1] != element)
      throw Error(ErrorKind::value, "the elements of a texture's row lie next to each other").fix("copy=True");
    view_.pitch = axes > 1 ? strides[axes - 2] : element * view_.extent[0];
    view_.slice = axes > 2 ? strides[axes - 3] : view_.pitch * view_.extent[1];
  }

  static uint8_t choice(const char* what, const std::string& value, std::initializer_list<std::string_view> all) {
    uint8_t number = 0;
    for (const std::string_view name : all) {
      if (name == value) return number;
      ++number;
    }
    std::string names;
    for (const std::string_view name : all) names += (names.empty() ? "" : ", ") + std::string(name);
    throw Error(ErrorKind::value, std::string(what) + "='" + value + "' is not known").fix(names);
  }

  nb::object own_;  ///< the elements
  TextureDescription view_;
};

}  // namespace

void bind_texture(nb::module_& m) {
  nb::class_<Texture>(m, "Texture",
                      R"(A copy of an array that kernels on a CPU read by coordinates: tex1D, tex2D and tex3D by the number
of its axes, or write as a surface.

Pass it where a kernel takes a cudaTextureObject_t or cudaSurfaceObject_t; it must live as long as kernels use it.
copy=False reads and writes a NumPy array in place.

>>> import numpy as np
>>> image = ks.Texture(np.zeros((4, 4), "float32")))")
      .def(nb::init<nb::handle, int, const std::string&, const std::string&, bool, bool, bool>(), nb::arg("array"),
           nb::kw_only(), nb::arg("channels") = 1, nb::arg("address") = "clamp", nb::arg("filter") = "point",
           nb::arg("normalized") = false, nb::arg("unit") = false,
           nb::arg("copy") = true)
      .def("__int__", &Texture::handle)
      .def("__index__", &Texture::handle)
      .def("numpy", &Texture::values, "A copy of what it holds now.");
}

}  // namespace kasoku
