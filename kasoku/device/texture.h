/// \file kasoku/device/texture.h
/// Textures and surfaces: what kernels read by coordinates.
#pragma once

#include <cstdint>

namespace kasoku {

class Stream;

/// What the handle of a texture or surface object leads to on a host, and what a GPU's is made of.
/// The same as `ks_texture` of the prelude (texture.h there), which ends before `axes`.
struct TextureDescription {
  enum Address : uint8_t { wrap, clamp, mirror, border };

  char* data = nullptr;
  int64_t pitch = 0, slice = 0;  ///< bytes from row to row, from layer to layer
  int32_t extent[3] = {1, 1, 1};
  uint8_t kind = 'f', bytes = 4;  ///< of a channel: 'i', 'u' or 'f', and its size
  uint8_t is_linear = 0, is_normalized = 0, is_unit = 0;
  uint8_t address[3] = {clamp, clamp, clamp};
  uint8_t channels = 1;
  uint8_t axes = 1;
};
static_assert(sizeof(TextureDescription) == 48);

/// Memory of a GPU whose elements lie in an order of its own; kernels read and write it through textures and surfaces alone.
class TextureMemory {
 public:
  virtual ~TextureMemory() = default;
  /// All elements from, or to, the device's memory, in C order, in the order of the stream.
  virtual void copy_from(const void* memory, Stream& stream) = 0;
  virtual void copy_to(void* memory, Stream& stream) = 0;
  /// CUarray as an integer.
  virtual uintptr_t handle() const = 0;
};

/// A texture, or a surface, of a GPU.
class TextureObject {
 public:
  virtual ~TextureObject() = default;
  virtual uint64_t handle() const = 0;
};

}  // namespace kasoku
