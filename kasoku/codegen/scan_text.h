/// \file kasoku/codegen/scan_text.h
/// A scan as kernel text: a loop over an iteration space (loop_text.h) in which each element of a row is joined to those before it,
/// chunk by chunk. As in reduce_text.h, whoever writes a kernel gives the operands, the text of one element and how two become one.
#pragma once

#include "kasoku/codegen/reduce_text.h"
#include "kasoku/codegen/scans.h"

namespace kasoku {

inline constexpr int64_t threads_of_scan = 64, threads_of_befores = 128;
/// Rows that a GPU's multiprocessors have at once, and a little more, are few.
inline constexpr int64_t few_scanned_rows = 16384;

/// A block's share of a row that is scanned in one trip, its threads, and the bytes of a value of which it still has memory for it.
inline constexpr int64_t tile_of_trip = scan_group * scan_chunk, threads_of_trip = 128;
inline constexpr size_t most_bytes_of_trip = 8;
/// Items of the levels above so many: their groups, those groups' groups and so on, until there is one.
constexpr int64_t groups_above(int64_t items) {
  int64_t all = 0;
  while (items > 1) all += items = (items + scan_group - 1) / scan_group;
  return all;
}
/// Numbers of 64 bits of `_told` for a row of such a length.
constexpr int64_t words_of_trip(int64_t length) {
  const int64_t tiles = (length + tile_of_trip - 1) / tile_of_trip;
  return 2 * (tiles + groups_above(tiles));
}

/// The scanned axis is the last one.
struct Scan : JoinedLoop {
  bool gives_totals = false;   ///< of chunks, one for each, to `y`; else elements, joined to what is before their chunk
  bool is_exclusive = false;   ///< rows: of elements, what is before each
  bool is_of_integers = false; ///< of few operations: brackets may be moved, and a sum costs less than to keep elements for it
  std::string start;           ///< rows: what an exclusive scan begins with
  std::function<std::string(const Place& place, const std::string& indent)> element;  ///< statements before `value`
  std::function<std::string(const Place& place, const std::string& value, const std::string& indent)> store;
};

std::string scan_text(const Scan& scan);

/// The parameters behind those of the body: the loop's, then scan_launch()'s numbers, then of elements the memory of what is before; in
/// one trip words_of_trip() that are zero.
std::string scan_parameters(const Scan& scan);
/// The launch of a scan along the last axis of a space.
ReduceLaunch scan_launch(const IterationSpace& space, ReduceForm form, bool by_threads, size_t value_bytes, int workers);

/// What is before each chunk, of the chunks' totals: the body of a kernel with befores_parameters(), which are the results, the totals,
/// memory of groups_above(chunks) values for each row, rows, chunks and how many groups' values a row has.
std::string befores_text(const std::string& type, const JoinedLoop::Join& join);
std::string befores_parameters(const std::string& type);
LaunchShape befores_launch(int64_t rows, int64_t chunks, bool by_threads, int workers);

}  // namespace kasoku
