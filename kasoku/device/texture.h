/// \file kasoku/device/texture.h
/// What the handle of a texture or surface object leads to on a CPU.
#pragma once

#include <cstdint>

namespace kasoku {

/// The same as `ks_texture` of the prelude (texture.h there).
struct TextureDescription {
  enum Address : uint8_t { wrap, clamp, mirror, border };

  char* data = nullptr;
  int64_t pitch = 0, slice = 0;  ///< bytes from row to row, from layer to layer
  int32_t extent[3] = {1, 1, 1};
  uint8_t kind = 'f', bytes = 4;  ///< of a channel: 'i', 'u' or 'f', and its size
  uint8_t is_linear = 0, is_normalized = 0, is_unit = 0;
  uint8_t address[3] = {clamp, clamp, clamp};
  uint8_t channels = 1;
};
static_assert(sizeof(TextureDescription) == 48);

}  // namespace kasoku
