/// \file kasoku/device/cpu/helpers.cpp
#include "kasoku/device/cpu/helpers.h"

#include <cstdint>
#include <cstring>

// Of the compiler's own library. Only their addresses matter, so they are declared
// without types, under names that the compiler does not know.
#define KS_HELPERS(X)                                                                      \
  X(__udivti3) X(__umodti3) X(__divti3) X(__modti3) X(__udivmodti4) X(__fixsfti)           \
  X(__fixdfti) X(__fixunssfti) X(__fixunsdfti) X(__floattisf) X(__floattidf)               \
  X(__floatuntisf) X(__floatuntidf) X(__mulsc3) X(__muldc3) X(__divsc3) X(__divdc3)        \
  X(__powisf2) X(__powidf2) X(__popcountdi2) X(__extendhfsf2) X(__truncsfhf2) X(__truncdfhf2)

extern "C" {
#define X(name) void helper_##name() __asm__(#name);
KS_HELPERS(X)
#undef X
}

namespace kasoku::cpu {

namespace {

/// bfloat16 travels in the low half of a vector register, as _Float16 does.
_Float16 bits_in_register(uint16_t bits) {
  _Float16 value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// To nearest, ties to even; a NaN stays one.
uint16_t bfloat16_bits(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if ((bits & 0x7fffffff) > 0x7f800000) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

_Float16 truncate_float(float value) { return bits_in_register(bfloat16_bits(value)); }

_Float16 truncate_double(double value) {
  // Round to odd first, so that rounding twice gives what rounding once would.
  float narrow = static_cast<float>(value);
  uint32_t bits;
  std::memcpy(&bits, &narrow, sizeof bits);
  if (value == value && static_cast<double>(narrow) != value && !(bits & 1)) {
    const double magnitude = value < 0 ? -value : value;
    const double rounded = narrow < 0 ? -static_cast<double>(narrow) : static_cast<double>(narrow);
    bits += rounded > magnitude ? -1 : 1;
    std::memcpy(&narrow, &bits, sizeof narrow);
  }
  return bits_in_register(bfloat16_bits(narrow));
}

}  // namespace

std::vector<std::pair<const char*, void*>> compiler_helpers() {
  return {
#define X(name) {#name, reinterpret_cast<void*>(&helper_##name)},
      KS_HELPERS(X)
#undef X
      {"__truncsfbf2", reinterpret_cast<void*>(&truncate_float)},
      {"__truncdfbf2", reinterpret_cast<void*>(&truncate_double)},
  };
}

}  // namespace kasoku::cpu
