/// \file kasoku/codegen/reduce_text.h
/// A reduction as kernel text: a loop over an iteration space (loop_text.h) whose end joins its elements by the fixed tree.
/// Whoever writes a kernel gives the operands, the text of one element, how two become one and where results go; the tree
/// and who computes which part of it stand in reduce_tree.cpp, once for all devices and for all of them: array expressions,
/// users' kernels and the array statements of compiled functions.
#pragma once

#include "kasoku/codegen/loop_text.h"

namespace kasoku {

/// Which threads reduce which elements; reduce_tree.cpp says when each form is taken.
enum class ReduceForm : uint8_t {
  rows,     ///< a block, one result after another
  columns,  ///< neighbours along the innermost kept axis, which the inner loop goes over
  warps,    ///< by threads: few elements for each result
  threads,  ///< by threads: very few
  short_columns,  ///< by threads: one thread, a column of at most `short_column` elements, all of which it asks memory for at once
  wide_columns,  ///< by threads: columns, of which a thread has four neighbours
  split_columns,  ///< the same, and a block has one of `lanes_apart` parts of a chunk's lanes, whose results are joined afterwards
  few_rows,  ///< scans by threads of rows that are one chunk: a warp has a whole row in shared memory, where there are too few to give each thread one
  one_trip,  ///< scans of one row by threads: a block has a tile in shared memory, and blocks tell each other their totals
  any_order,  ///< by threads: one result, whose elements may be joined in any order: a block's threads go through its chunks before they join
  tiles,    ///< a block, several chunks, brought into a core's cache in the order that memory likes
};

constexpr bool has_four_columns(ReduceForm form) { return form == ReduceForm::wide_columns || form == ReduceForm::split_columns; }
constexpr bool is_by_columns(ReduceForm form) { return form == ReduceForm::columns || has_four_columns(form); }

/// The longest rows that a warp and a thread reduce, how many results a block of 256 threads then has, and the threads
/// of one that reduces columns.
inline constexpr int64_t warp_row = 256, thread_row = 16, short_column = 32, warps_of_block = 8, threads_of_block = 256;
constexpr int64_t threads_of_columns(ReduceForm form) { return form == ReduceForm::split_columns ? 512 : 1024; }

/// Lanes of one part are so far apart: the tree's last steps, over as many parts, are those of a row of as many elements.
inline constexpr int64_t lanes_apart = 16;
constexpr int64_t parts_of_chunk(ReduceForm form) { return form == ReduceForm::split_columns ? lanes_apart : 1; }

/// Parts and so many chunks are one row, in which parts of a chunk are as far apart as there are chunks: its tree is theirs, one after the other.
constexpr int64_t most_chunks_of_parts = 64;
constexpr bool are_parts_and_chunks_one_row(int64_t chunks) { return (chunks & (chunks - 1)) == 0 && chunks <= most_chunks_of_parts; }

/// The forms that the text of the element allows.
struct ReduceTraits {
  bool may_be_columns = true, may_be_wide = false, may_be_split = false, may_be_tiles = false, may_be_in_any_order = false;
};
/// A reduction's form; where it is by columns or tiles, the innermost loop of `space` goes along them.
ReduceForm choose_reduce_form(IterationSpace& space, bool by_threads, const ReduceTraits& traits);

/// Where neighbours in memory lie along the first reduced axis, and a few of its elements with all behind them are whole chunks, the
/// chunks become columns: what is along that axis counts as kept, and memory is read in rows. How many of them make a result then; 1
/// where all stays as it is.
int64_t chunks_as_columns(IterationSpace& space);

/// The most columns that a reduction by columns takes at once, of values of so many bytes: a block of threads has one in each of
/// its warps for each, and else the vectors of them that wait stay in a core's first cache.
int64_t columns_at_once(size_t value_bytes, ReduceForm form, bool by_threads);

/// The common part of reductions and scans: a loop whose elements are joined two by two.
struct JoinedLoop {
  using Join = std::function<std::string(const std::string& a, const std::string& b)>;

  Loop loop;                   ///< kept axes first
  int kept_rank = 0;
  ReduceForm form = ReduceForm::rows;
  bool by_threads = false;     ///< threads run side by side; else a block is one thread, whose loops become vectors
  bool has_narrow_pairs = false;  ///< threads: 32 bits count results and their chunks
  /// A quotient of 64 bits costs a GPU as much as the reduction of a few elements.
  const char* count_type() const { return has_narrow_pairs ? "unsigned int" : "long long"; }

  std::string type;            ///< of a value
  size_t value_bytes = 0;      ///< 0: not known
  Join join;                   ///< the text of two values that become one, `a` before `b`
  std::string value;           ///< of an element
};

struct Reduction : JoinedLoop {
  /// No kernel: one thread, which takes the pairs from `_at` to `_end` that the text around gives.
  bool is_range = false;
  bool walks_numbers = false;  ///< the last operand is the number of a result
  bool is_users = false;       ///< values of a size that is not known may be structs, which have nothing to begin with

  std::string identity;        ///< joins without a trace; empty: only what is there is joined
  std::string start;           ///< without an identity: what a lane holds before, and the result of no elements; may be empty
  bool counts_elements = false;  ///< of moments: how many elements a lane has is how many it was joined with
  std::string take = "ks_join";  ///< threads, rows: the function of a lane and an element that joins them
  bool keeps_position = false;  ///< then `join` is whether `a` comes before `b`
  std::string position;        ///< where elements bring theirs along

  /// Statements before `value` (and `position`, where elements bring theirs along) of an element; `number` counts it.
  std::function<std::string(const Place& place, const std::string& number, const std::string& indent)> element;
  /// Statements that store what the tree gives for number `at` of the results' chunks.
  std::function<std::string(const std::string& at, const std::string& value, const std::string& position, const std::string& indent)> store;

  int copies = 32;             ///< of an element's text that stay short, see copies_of_element()
  bool is_short = true;        ///< an element is a few instructions
  bool loads_fours = false;    ///< threads: neighbours in memory 16 bytes at a time, where addresses allow it
  /// Elements of four that share calls, by `t`, and of vectors the head of their loop; see Body.
  std::function<std::string(const std::string& t, const std::string& indent)> calls_for_four;
  std::string head_of_fours;
};

/// Before the kernel's name: its blocks' threads, where registers as the compiler takes them would not do for so many. Two blocks leave
/// 32 registers for each thread, which short texts do with.
std::string launch_bounds(bool by_threads, ReduceForm form, bool has_two_blocks);

/// The definitions of a lane and of the join (`ks_lane`, `ks_join`), which stand before the kernel; and the kernel's
/// body.
std::string lanes_text(const Reduction& reduction);
std::string reduce_text(const Reduction& reduction);

/// The parameters behind those of the body: the loop's, then what run_numbers() gives.
std::string reduce_parameters(const Reduction& reduction);

/// Chunks of each result that a launch reduces.
struct Chunks {
  int64_t first_chunk, chunks;
};
struct ReduceLaunch {
  LaunchShape shape;
  int64_t numbers[8];
  int count;  ///< of numbers
};
/// The launch of a reduction over a space with `kept` axes before the reduced ones; `workers` share it.
ReduceLaunch reduce_launch(const IterationSpace& space, size_t kept, ReduceForm form, bool by_threads, size_t value_bytes, const Chunks& part, int workers);

/// Blocks of the form `any_order`, each of which gives a result.
int64_t blocks_in_any_order(int64_t chunks, int workers);

/// Columns that a block without threads takes at once: at most `most`, and fewer where else not all workers had some of what is
/// much work.
int64_t strip_width(int64_t columns, int64_t rows, int64_t times, int64_t most, int workers);
/// Elements that such a block takes.
inline constexpr int64_t elements_per_block = 16384;

/// The strip of `_width` columns that `_o` counts, of which the last one may have fewer, `_n`: the first, `_start`, and positions.
std::string strip_of_columns(const JoinedLoop& of);

}  // namespace kasoku
