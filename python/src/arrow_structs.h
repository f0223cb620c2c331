/// \file python/src/arrow_structs.h
/// Arrow's C data interface, of which arrow_import.cpp reads what others show and arrow_export.cpp shows our arrays.
#pragma once

#include "kasoku/base/dtype.h"

#include <cstdint>
#include <string_view>

/// Arrow's structs, as its C data interface lays them out.
extern "C" {
struct ArrowSchema {
  const char *format, *name, *metadata;
  int64_t flags, n_children;
  ArrowSchema **children, *dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  int64_t length, null_count, offset, n_buffers, n_children;
  const void** buffers;
  ArrowArray **children, *dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

namespace kasoku {

/// Arrow's letter for a dtype; empty if Arrow has none.
inline std::string_view letter_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::bool_: return "b";
    case Dtype::int8: return "c";
    case Dtype::uint8: return "C";
    case Dtype::int16: return "s";
    case Dtype::uint16: return "S";
    case Dtype::int32: return "i";
    case Dtype::uint32: return "I";
    case Dtype::int64: return "l";
    case Dtype::uint64: return "L";
    case Dtype::float16: return "e";
    case Dtype::float32: return "f";
    case Dtype::float64: return "g";
    default: return "";
  }
}

}  // namespace kasoku
