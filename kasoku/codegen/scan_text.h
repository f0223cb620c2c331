/// \file kasoku/codegen/scan_text.h
/// A scan as kernel text: a loop over an iteration space (loop_text.h) in which each element of a row is joined to those before it,
/// chunk by chunk. As in reduce_text.h, whoever writes a kernel gives the operands, the text of one element and how two become one.
#pragma once

#include "kasoku/codegen/reduce_text.h"
#include "kasoku/codegen/scans.h"

namespace kasoku {

inline constexpr int64_t threads_of_scan = 64;
/// Rows' chunks that a GPU's multiprocessors have at once, and a little more, are few.
inline constexpr int64_t few_scan_chunks = 16384;

/// Chunks of a row that is scanned in one trip: fewer are soon joined anyway, and of more there would be groups of groups.
inline constexpr int64_t least_of_trip = 64, most_of_trip = scan_chunk * scan_chunk;
/// The words of `_states` for a row of so many chunks, and the numbers of `_sums`.
constexpr int64_t sums_of_trip(int64_t chunks) { return chunks + (chunks + scan_chunk - 1) / scan_chunk; }

/// The scanned axis is the last one.
struct Scan : JoinedLoop {
  bool gives_totals = false;   ///< of chunks, one for each, to `y`; else elements, joined to what is before their chunk
  bool is_exclusive = false;   ///< rows: of elements, what is before each
  std::string start;           ///< rows: what an exclusive scan begins with
  std::function<std::string(const Place& place, const std::string& indent)> element;  ///< statements before `value`
  std::function<std::string(const Place& place, const std::string& value, const std::string& indent)> store;
};

std::string scan_text(const Scan& scan);

/// The parameters behind those of the body: the loop's, then scan_launch()'s numbers, then of elements the memory of what is before; in
/// one trip words that are zero, one more than sums_of_trip(), and memory of the sums.
std::string scan_parameters(const Scan& scan);
/// Of a space whose last axis is scanned.
ReduceLaunch scan_launch(const IterationSpace& space, ReduceForm form, bool by_threads, size_t value_bytes, int workers);

}  // namespace kasoku
