/// \file kasoku/codegen/scans.h
/// The table of scans, see scans.def, and what they compute in.
#pragma once

#include "kasoku/codegen/reductions.h"

namespace kasoku {

enum class ScanOp : uint8_t {
#define SCAN(name, ...) name,
#include "kasoku/codegen/scans.def"
#undef SCAN
};

struct ScanInfo {
  std::string_view name;
  Op join;
  ReductionInfo::Result result;
  ReductionInfo::Takes takes;
  const char* doc;
  const char* call = "";   ///< an example
  const char* shown = "";  ///< what Python shows of it
};

inline constexpr ScanInfo scan_table[] = {
#define SCAN(name, join, result, takes, doc, ...) \
  {#name, Op::join, ReductionInfo::result, ReductionInfo::takes, doc __VA_OPT__(, ) __VA_ARGS__},
#include "kasoku/codegen/scans.def"
#undef SCAN
};

inline constexpr size_t n_scans = std::size(scan_table);

constexpr const ScanInfo& info(ScanOp op) { return scan_table[static_cast<size_t>(op)]; }

/// A row of up to scan_row elements is joined one element after the other. A longer one is chunks of scan_chunk; what is before each of
/// them is joined in groups of scan_group, see scan_text.cpp. It defines what a scan of floats is.
inline constexpr int64_t scan_row = 1024, scan_chunk = 128, scan_group = 32;
constexpr int64_t chunk_of_scan(int64_t length) { return length <= scan_row ? scan_row : scan_chunk; }

/// The dtype in which a scan joins its elements, and that of its result; `wanted` is the dtype that the caller asks
/// for, if any. Throws ErrorKind::type where the scan does not take the dtype.
OpTypes scan_types(ScanOp op, Dtype dtype, std::optional<Dtype> wanted = std::nullopt);

}  // namespace kasoku
