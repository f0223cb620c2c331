/// \file python/src/dlpack.h
/// DLPack's structs, as its specification lays them out, and our dtypes in its words.
#pragma once

#include "kasoku/base/dtype.h"

#include <cstdint>
#include <optional>

namespace kasoku::dlpack {

enum DeviceKind : int32_t { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };
enum Code : uint8_t { integer = 0, unsigned_ = 1, floating = 2, bfloat = 4, complex_ = 5, boolean = 6 };
enum Flag : uint64_t { read_only = 1, copied = 2 };

struct Version {
  uint32_t major, minor;
};

struct Place {
  int32_t kind, index;
};

struct Type {
  uint8_t code, bits;
  uint16_t lanes;
  bool operator==(const Type&) const = default;
};

struct Tensor {
  void* data;
  Place device;
  int32_t ndim;
  Type dtype;
  int64_t *shape, *strides;  ///< in elements; strides may be null: C order
  uint64_t byte_offset;
};

/// The content of a capsule "dltensor".
struct Managed {
  Tensor tensor;
  void* context;
  void (*deleter)(Managed*);
};

/// The content of a capsule "dltensor_versioned".
struct ManagedVersioned {
  Version version;
  void* context;
  void (*deleter)(ManagedVersioned*);
  uint64_t flags;
  Tensor tensor;
};

/// The version that we write and read.
inline constexpr Version version{1, 1};

inline Type type_of(Dtype dtype) {
  const DtypeInfo& row = info(dtype);
  const Code code = row.kind == DtypeKind::boolean     ? boolean
                    : row.kind == DtypeKind::signed_   ? integer
                    : row.kind == DtypeKind::unsigned_ ? unsigned_
                    : row.kind == DtypeKind::complex_  ? complex_
                    : dtype == Dtype::bfloat16         ? bfloat
                                                       : floating;
  return {code, static_cast<uint8_t>(8 * row.size), 1};
}

/// The dtype of ours for a DLPack type; nothing for one that no array of ours holds.
inline std::optional<Dtype> dtype_of(Type type) {
  for (size_t i = 0; i < std::size(dtype_table); ++i)
    if (dtype_table[i].kind != DtypeKind::opaque && type_of(static_cast<Dtype>(i)) == type)
      return static_cast<Dtype>(i);
  return std::nullopt;
}

}  // namespace kasoku::dlpack
