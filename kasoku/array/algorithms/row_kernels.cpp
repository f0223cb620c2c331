#include "kasoku/array/algorithms/row_kernels.h"

#include "kasoku/base/rounding.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

namespace {

constexpr const char* order_key_text =
#include "order_key.inc"
    ;
constexpr const char* row_keys_text =
#include "row_keys.inc"
    ;

}  // namespace

bool has_wide_numbers(const RowsToSort& of) { return of.length >> 30 != 0; }

Program row_program(const RowsToSort& of, const RowText& text, const Device& device) {
  const DtypeInfo& dtype = info(of.dtype);
  constexpr const char* bits[] = {"", "unsigned char", "unsigned short", "", "unsigned int", "", "", "", "unsigned long long"};
  const char* const kind = dtype.kind == DtypeKind::floating ? "ks_floating" : dtype.kind == DtypeKind::signed_ ? "ks_signed" : dtype.kind == DtypeKind::boolean ? "ks_truth" : "ks_unsigned";
  const char* const infinity = of.dtype == Dtype::float16    ? "0x7c00"
                               : of.dtype == Dtype::bfloat16 ? "0x7f80"
                               : of.dtype == Dtype::float32  ? "0x7f800000u"
                               : of.dtype == Dtype::float64  ? "0x7ff0000000000000ull"
                                                             : "0";
  Program result;
  result.text = fmt::format(
      "#define KS_BOTH __device__ __forceinline__\n#include \"order_key.h\"\n"
      "#define KS_BITS {}\n#define KS_KIND {}\n#define KS_INFINITY {}\n#define KS_DESCENDING {}\n#define KS_POSITIONS {:d}\n"
      "#define KS_NUMBER unsigned {}\n#define KS_ITEMS {}\n#define KS_THREADS {}\n#define KS_UNROLL {}\n{}#include \"row_keys.cuh\"\n{}",
      bits[dtype.size], kind, infinity, of.is_descending, text.gives_positions, has_wide_numbers(of) ? "long long" : "int", text.items,
      row_threads, device.is_simt() ? "_Pragma(\"unroll\")" : "", text.defines, text.text);
  result.file = text.file;
  result.headers = {{"order_key.h", order_key_text}, {"row_keys.cuh", row_keys_text}};
  result.is_generated = true;
  return result;
}

RowParts cut_rows(const RowsToSort& of, int64_t tile, int64_t at_once) {
  const int64_t all = divide_up(of.length, tile), tiles = divide_up(all, std::min(all, std::max<int64_t>(1, at_once / of.rows)));
  return {divide_up(all, tiles), tiles};
}

}  // namespace kasoku
