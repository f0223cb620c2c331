/// \file texture.cpp
/// ks.Texture: numbers that a kernel reads by coordinates, or writes as a surface.
#include "bindings.h"
#include "convert.h"
#include "kasoku/array/creation.h"
#include "kasoku/base/error.h"
#include "kasoku/device/device.h"
#include "to_python.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace kasoku {
namespace {

uint8_t choice(const char* what, const std::string& value, std::initializer_list<std::string_view> all) {
  uint8_t number = 0;
  for (const std::string_view name : all) {
    if (name == value) return number;
    ++number;
  }
  std::string names;
  for (const std::string_view name : all) names += (names.empty() ? "" : ", ") + std::string(name);
  throw Error(ErrorKind::value, std::string(what) + "='" + value + "' is not known").fix(names);
}

/// What an array of that dtype and shape, whose last axis is the channels where there are several, is to a texture.
TextureDescription described(nb::handle dtype, std::vector<int64_t> shape, int channels) {
  TextureDescription view;
  const auto kind = nb::cast<std::string>(dtype.attr("kind"));
  const int bytes = nb::cast<int>(dtype.attr("itemsize"));
  if (kind.find_first_of("iuf") == std::string::npos || bytes > 4)
    throw Error(ErrorKind::type, "a texture cannot hold " + nb::cast<std::string>(nb::str(dtype)))
        .fix("integers of up to 32 bits, float16 and float32");
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
  for (size_t i = 0; i < shape.size(); ++i) view.extent[i] = static_cast<int32_t>(shape[i]);
  view.axes = static_cast<uint8_t>(shape.size());
  view.kind = static_cast<uint8_t>(kind[0]);
  view.bytes = static_cast<uint8_t>(bytes);
  view.channels = static_cast<uint8_t>(channels);
  return view;
}

/// Memory of a GPU for textures and surfaces, which copies alone read and write from outside of kernels.
class PyTextureMemory {
 public:
  PyTextureMemory(const Shape& shape, Dtype dtype, int channels, Device& device)
      : shape(shape), dtype(dtype), description(described(numpy_dtype(dtype), {shape.begin(), shape.end()}, channels)), device(device), memory(device.make_texture_memory(description)) {
    if (!memory) throw Error(ErrorKind::value, "textures on " + device.str() + " are of its usual memory").fix("ks.Texture(array)");
  }
  void copy_from(const Array& array) { of(array); memory->copy_from(array.data_for_read(), device.current_stream()); }
  void copy_to(const Array& array) { of(array); memory->copy_to(array.data(), device.current_stream()); }

  const Shape shape;
  const Dtype dtype;
  const TextureDescription description;
  Device& device;
  const std::shared_ptr<TextureMemory> memory;

 private:
  void of(const Array& array) const {
    if (array.shape() != shape || array.dtype() != dtype || &array.device() != &device || !array.is_contiguous())
      throw Error(ErrorKind::value, "a texture's elements are copied from and to an array of its shape, dtype and device, in C order");
  }
};

class Texture {
 public:
  Texture(nb::handle array, int channels, const std::string& address, const std::string& filter,
          bool is_normalized, bool is_unit, bool copies) {
    if (nb::isinstance<PyTextureMemory>(array)) {
      own_ = nb::borrow(array);
      on_gpu_ = &nb::cast<PyTextureMemory&>(array);
      view_ = on_gpu_->description;
    } else if (Array* const ours = nb::isinstance<Array>(array) ? &nb::cast<Array&>(array) : nullptr; ours && !ours->device().is_host()) {
      place_on_gpu(*ours, channels, copies);
    } else {
      own_ = copies ? numpy().attr("array")(array, nb::arg("order") = "C", nb::arg("copy") = true) : numpy().attr("asarray")(array);
      view_ = described(own_.attr("dtype"), nb::cast<std::vector<int64_t>>(nb::list(own_.attr("shape"))), channels);
      place_rows(nb::cast<std::vector<int64_t>>(nb::list(own_.attr("strides"))));
      view_.data = reinterpret_cast<char*>(nb::cast<uintptr_t>(own_.attr("ctypes").attr("data")));
    }
    view_.is_normalized = is_normalized;
    view_.is_unit = is_unit;
    view_.is_linear = choice("filter", filter, {"point", "linear"});
    const auto mode = choice("address", address, {"wrap", "clamp", "mirror", "border"});
    if (!is_normalized && (mode == TextureDescription::wrap || mode == TextureDescription::mirror))
      throw Error(ErrorKind::value, "address='" + address + "' needs normalized=True");
    for (uint8_t& axis : view_.address) axis = mode;
    if (view_.is_linear && view_.kind != 'f' && !is_unit)
      throw Error(ErrorKind::value, "integers cannot be filtered").fix("unit=True reads them as numbers up to 1");
    if (device_ || on_gpu_) object_ = (device_ ? *device_ : on_gpu_->device).make_texture(view_, on_gpu_ ? on_gpu_->memory : nullptr);
  }
  Texture(const Texture&) = delete;

  uintptr_t handle() const { return object_ ? object_->handle() : reinterpret_cast<uintptr_t>(&view_); }
  uintptr_t surface() {
    if (!object_) return handle();
    if (!on_gpu_) throw Error(ErrorKind::value, "a surface on a GPU is of memory of its own").fix("ks.Texture(array, copy=True)");
    if (!surface_) surface_ = on_gpu_->device.make_surface(on_gpu_->memory);
    return surface_->handle();
  }
  nb::object values() const {
    if (!on_gpu_) return object_ ? to_numpy(nb::cast<Array&>(own_)) : nb::object(own_.attr("copy")());
    const Array values = Array::empty(on_gpu_->shape, on_gpu_->dtype, on_gpu_->device);
    on_gpu_->copy_to(values);
    return to_numpy(values);
  }

 private:
  void place_on_gpu(const Array& array, int channels, bool copies) {
    if (copies) {
      own_ = nb::cast(new PyTextureMemory(array.shape(), array.dtype(), channels, array.device()), nb::rv_policy::take_ownership);
      on_gpu_ = &nb::cast<PyTextureMemory&>(own_);
      view_ = on_gpu_->description;
      return on_gpu_->copy_from(contiguous(array));
    }
    own_ = nb::cast(array);
    view_ = described(numpy_dtype(array.dtype()), {array.shape().begin(), array.shape().end()}, channels);
    if (view_.axes > 2) throw Error(ErrorKind::value, "a texture in place has one or two dimensions on a GPU").fix("copy=True");
    place_rows({array.strides().begin(), array.strides().end()});
    view_.data = static_cast<char*>(array.data());
    device_ = &array.device();
  }

  /// Rows may lie apart, as in pitched memory; the elements of a row do not.
  void place_rows(const std::vector<int64_t>& strides) {
    const size_t axes = view_.axes;
    const int64_t element = int64_t{view_.channels} * view_.bytes;
    if (strides.back() != view_.bytes || strides[axes - 1] != element)
      throw Error(ErrorKind::value, "the elements of a texture's row lie next to each other").fix("copy=True");
    view_.pitch = axes > 1 ? strides[axes - 2] : element * view_.extent[0];
    view_.slice = axes > 2 ? strides[axes - 3] : view_.pitch * view_.extent[1];
  }

  nb::object own_;  ///< the elements
  TextureDescription view_;
  PyTextureMemory* on_gpu_ = nullptr;  ///< what they are on a GPU, unless in place
  Device* device_ = nullptr;           ///< the GPU where they are in place
  std::unique_ptr<TextureObject> object_, surface_;
};

}  // namespace

void bind_texture(nb::module_& m) {
  nb::class_<PyTextureMemory>(m, "_TextureMemory")
      .def("__init__", [](PyTextureMemory* self, nb::handle shape, nb::handle dtype, int channels, nb::handle device) {
        new (self) PyTextureMemory(shape_from(shape), dtype_from(dtype), channels, device_from(device));
      }, nb::arg("shape"), nb::arg("dtype"), nb::arg("channels"), nb::arg("device"))
      .def_prop_ro("ptr", [](const PyTextureMemory& self) { return self.memory->handle(); })
      .def_prop_ro("shape", [](const PyTextureMemory& self) { return tuple_from(self.shape); })
      .def_prop_ro("dtype", [](const PyTextureMemory& self) { return numpy_dtype(self.dtype); })
      .def("copy_from", &PyTextureMemory::copy_from, nb::arg("array"))
      .def("copy_to", &PyTextureMemory::copy_to, nb::arg("array"));
  nb::class_<Texture>(m, "Texture",
                      R"(A copy of an array that kernels read by coordinates: tex1D, tex2D and tex3D by the number of its axes, or write as a surface.

Pass it where a kernel takes a cudaTextureObject_t, and its `surface` where one takes a cudaSurfaceObject_t; it must live as long as
kernels use it. It is on the array's device, on the CPU for NumPy's. copy=False reads and writes the array in place.

>>> import numpy as np
>>> image = ks.Texture(np.zeros((4, 4), "float32")))")
      .def(nb::init<nb::handle, int, const std::string&, const std::string&, bool, bool, bool>(), nb::arg("array"),
           nb::kw_only(), nb::arg("channels") = 1, nb::arg("address") = "clamp", nb::arg("filter") = "point",
           nb::arg("normalized") = false, nb::arg("unit") = false,
           nb::arg("copy") = true)
      .def("__int__", &Texture::handle)
      .def("__index__", &Texture::handle)
      .def_prop_ro("surface", &Texture::surface, "What a kernel takes as its cudaSurfaceObject_t.")
      .def("numpy", &Texture::values, "A copy of what it holds now.");
}

}  // namespace kasoku
