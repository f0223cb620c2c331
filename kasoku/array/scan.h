/// \file kasoku/array/scan.h
/// Scans along an axis by the fixed chunks of codegen/scan_text.cpp: the same bits with any number of threads, on every device.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/codegen/scans.h"

#include <optional>

namespace kasoku {

/// Element i is what the elements up to i along the axis give; of no axis, those of the ravelled array. `dtype`: that of the
/// result, which is computed in it.
Array scan(ScanOp op, const Array& array, std::optional<int64_t> axis = std::nullopt, std::optional<Dtype> dtype = std::nullopt);

}  // namespace kasoku
