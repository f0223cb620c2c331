/// \file kasoku/codegen/reduce_lanes.h
/// What the texts of all forms of a reduction (reduce_tree.cpp) are made of: lanes, their joins, where pairs of a result and a
/// chunk lie, and where results go. reduce_tree.cpp has the legend of the names in the text.
#pragma once

#include "kasoku/codegen/reduce_text.h"
#include "kasoku/codegen/reductions.h"

namespace kasoku::tree {

inline constexpr const char* unrolled = "#pragma unroll\n";

/// The most chunks that a block brings into its memory at once: lines of memory then serve as many lines as they have values.
int64_t chunks_of_tile(size_t value_bytes);

/// One of two values; of several numbers part by part: of two structs an address would be chosen, and a vector's lanes have one copy of
/// what has an address.
std::string choice(const Reduction& r, const std::string& condition, const std::string& first, const std::string& second);

/// A block of threads keeps positions within its chunk, which take half the room.
bool has_short_positions(const Reduction& r);
std::string identity(const Reduction& r);
bool joins_all(const Reduction& r);
/// Whether an element of a lane comes after all that the lane has: then its position needs no comparison.
bool has_numbers(const Reduction& r);

/// Statements that make the element there a ks_lane, `_value`; `number` is its position, unless it brings one along.
std::string lane_of(const Reduction& r, const Place& place, const std::string& number, const std::string& position, const std::string& indent);
std::string lane_of(const Reduction& r, const Place& place, const std::string& number, const std::string& indent);
/// Of `n` lanes that get their values later, for types that hold nothing else.
std::string starts(const Reduction& r, int64_t n);

std::string join(const std::string& a, const std::string& b, const std::string& indent);
std::string set(const std::string& a, const std::string& b, const std::string& indent);
/// A join where lanes may have no elements: `number` is the second one's.
std::string join_below(const Reduction& r, const std::string& number, const std::string& a, const std::string& b, const std::string& indent);
/// A join of a lane in memory, which has `n` elements, with the next one.
std::string take(const Reduction& r, const std::string& lane, const std::string& n, const std::string& indent);

inline constexpr const char* pairs_of_range = "  for (long long _pair = _at; _pair < _end; ++_pair) {\n";
/// Which of all results' chunks a pair is.
std::string number_of_pair(const Reduction& r);
std::string pair_numbers(const Reduction& r);
std::string output_positions(const Reduction& r);
std::string reduced_positions(const Reduction& r, const std::string& number, const std::string& indent);

std::string store(const Reduction& r, const std::string& at, const std::string& lane, const std::string& indent);
bool is_row_of_memory(const LoopOperand& x);
std::string store_column(const Reduction& r, const std::string& lane, const std::string& indent);

// The bodies of kernels, by forms: in reduce_serial.cpp those of blocks that are one thread, in reduce_threads.cpp those of threads.
std::string serial_rows(const Reduction& r);
std::string serial_tiles(const Reduction& r);
std::string serial_columns(const Reduction& r);
std::string rows_of_threads(const Reduction& r);
std::string rows_of_warps(const Reduction& r);
std::string rows_of_blocks(const Reduction& r);
std::string columns_of_threads(const Reduction& r);
std::string columns_of_one_thread(const Reduction& r);

}  // namespace kasoku::tree
