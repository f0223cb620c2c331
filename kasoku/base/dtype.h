/// \file kasoku/base/dtype.h
/// Element types: what dtype.def lists, and what can be asked of them.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace kasoku {

/// float16 and bfloat16 are stored on the host as their bits.
struct half_bits {
  uint16_t bits;
};
struct bfloat16_bits {
  uint16_t bits;
};

enum class Dtype : uint8_t {
#define DTYPE(name, ...) name,
#include "kasoku/base/dtype.def"
#undef DTYPE
  /// Records and anything else that only has a size; the size is kept beside it.
  opaque,
};

enum class DtypeKind : uint8_t { boolean, signed_, unsigned_, floating, complex_, opaque };

struct DtypeInfo {
  std::string_view name;  ///< NumPy's name ("bool", "float32")
  std::string_view text;  ///< its name in kernel text
  std::string_view code;  ///< NumPy's one-letter code; empty if NumPy has none
  DtypeKind kind;
  size_t size;  ///< bytes; 0 for opaque
};

namespace detail {
constexpr std::string_view numpy_name(std::string_view name) {
  return name.back() == '_' ? name.substr(0, name.size() - 1) : name;
}
}  // namespace detail

inline constexpr DtypeInfo dtype_table[] = {
#define DTYPE(name, type, text, code, kind) \
  {detail::numpy_name(#name), text, code, DtypeKind::kind, sizeof(type)},
#include "kasoku/base/dtype.def"
#undef DTYPE
    {"opaque", "", "V", DtypeKind::opaque, 0},
};

constexpr const DtypeInfo& info(Dtype dtype) { return dtype_table[static_cast<size_t>(dtype)]; }

constexpr bool is_floating(Dtype dtype) { return info(dtype).kind == DtypeKind::floating; }
constexpr bool is_complex(Dtype dtype) { return info(dtype).kind == DtypeKind::complex_; }
/// Signed or unsigned, not bool.
constexpr bool is_integer(Dtype dtype) { return info(dtype).kind == DtypeKind::signed_ || info(dtype).kind == DtypeKind::unsigned_; }

/// The dtype with NumPy's name ("float32"), or nothing.
constexpr std::optional<Dtype> dtype_from_name(std::string_view name) {
  for (size_t i = 0; i < std::size(dtype_table); ++i)
    if (dtype_table[i].name == name) return static_cast<Dtype>(i);
  return std::nullopt;
}

template <class T>
struct dtype_of;
#define DTYPE(name, type, ...)                       \
  template <>                                        \
  struct dtype_of<type> {                            \
    static constexpr Dtype value = Dtype::name;      \
  };
#include "kasoku/base/dtype.def"
#undef DTYPE

}  // namespace kasoku
