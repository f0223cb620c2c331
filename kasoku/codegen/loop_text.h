/// \file kasoku/codegen/loop_text.h
/// A loop over an iteration space as kernel text. Whoever writes a kernel gives the operands and
/// the text of one element; where elements are and who computes which stands in loop_text.cpp,
/// once for all devices and for all of them: array expressions, users' kernels and the array
/// statements of compiled functions.
#pragma once

#include "kasoku/codegen/loop.h"
#include "kasoku/device/module.h"

#include <functional>
#include <string>
#include <vector>

namespace kasoku {

/// Which threads compute which elements.
enum class Schedule : uint8_t {
  chunks,  ///< a block is one thread that walks many elements: the compiler makes vectors of its loop
  fours,   ///< a thread takes four neighbours, 16 bytes at a time where addresses allow it
  eights,  ///< a thread takes four neighbours twice, a block's threads first all of the first: of many instructions' elements, and of few bytes'
  apart,   ///< a thread takes four of which each is a warp's neighbour: of so many bytes that four neighbours are two trips to memory
  rows,    ///< a thread an element, a block within one row: where rows are long, no thread divides
  each,    ///< a thread an element
  range,   ///< one thread, from `_at` to `_end`, which the text around gives: rows, of a single axis elements
};

/// Whether elements pass through registers four at a time, as `ks_four`.
constexpr bool has_fours(Schedule schedule) { return schedule == Schedule::fours || schedule == Schedule::eights || schedule == Schedule::apart; }

/// What is known of the text of one element, and what that allows the loop to do.
struct BodyTraits {
  bool is_straight = true;  ///< no jumps: one statement after the other
  bool is_vector = true;    ///< and a compiler makes vectors of it: no loops, nothing of threads
  bool assigns_first = true;  ///< no output is looked at before it has a value
  bool is_in_loop = false;  ///< it leaves or continues the loop around it, or has parts around that
  bool sees_axes = false;   ///< it asks where it is along each axis
  bool is_long = false;     ///< an element is many instructions, and reads memory
  bool is_alone = true;     ///< elements have no random numbers in common, and none reads at a place that it computes
};

/// Operands of so many bytes together are in no cache of a CPU any more when somebody reads them.
inline constexpr int64_t bytes_past_caches = int64_t{64} << 20;

/// `is_simt`: threads are cheap and run side by side, as a GPU's.
Schedule choose_schedule(const IterationSpace& space, const BodyTraits& body, bool is_simt);

/// How many blocks, and a number that the text needs besides (0: none).
std::pair<int64_t, int64_t> blocks_of(const IterationSpace& space, Schedule schedule, int64_t block, int turns);

/// One operand of the text; `type` is that of its elements in memory.
struct LoopOperand {
  std::string name;
  std::string type;
  Inner inner;
  Walk::Kind kind = Walk::memory;
  bool is_output = false;
  bool in_elements = false;  ///< the strides of memory are, and not in bytes
  bool is_gathered = false;  ///< read or written at distances that are computed: never several neighbours at once
};

struct Loop {
  std::vector<LoopOperand> operands;  ///< as the space has its walks
  int rank = 1;
  int inner = 0;                  ///< the innermost loop's axis
  bool is_reduction = false;
  Schedule schedule = Schedule::each;
  bool has_vectors_of_any_stride = false;  ///< not of neighbours alone; its text has the helper ks_stride
};

/// Which element: text of the steps along the innermost axis, and which of four it is, if they
/// were drawn or loaded together.
struct Place {
  enum Held : uint8_t { nothing, neighbours, moving };

  std::string j, quarter;
  Held held = nothing;  ///< which operands lie in registers: none, those in a row, all that move

  Place(std::string j, std::string quarter, Held held) : j(std::move(j)), quarter(std::move(quarter)), held(held) {}
  Place(std::string j, int quarter = -1, bool is_loaded = false)
      : Place(std::move(j), quarter < 0 ? "" : std::to_string(quarter), is_loaded ? neighbours : nothing) {}
};

/// One element and what stands around the loop.
struct Body {
  std::function<std::string(const Place&, const std::string& indent)> element;
  std::string before, after;
  bool is_in_loop = false;    ///< see BodyTraits
  bool is_vector = true;      ///< chunks, range: a compiler may make vectors, and no output overlaps another operand
  bool assigns_first = false;  ///< see BodyTraits; of every output, and all of each is written
  /// It does nothing but give its outputs values: it may run for elements that are not there.
  bool is_pure = false;
  int abreast = 0;            ///< chunks, range: how many vectors of elements are computed abreast; 0: the compiler chooses
  int lanes = 0;              ///< chunks, range: how many elements a vector has; 0: the compiler chooses
  std::string unroll;         ///< each: a pragma, and a thread takes four elements
  std::string calls;          ///< fours: what four elements have in common
  std::string head_of_fours;  ///< chunks: of a loop over `fours` by `t` with such calls; else empty
};

/// The kernel's body: over `loop`, `body`.
std::string loop_text(const Loop& loop, const Body& body);
/// The helper that the loop itself calls, or nothing.
std::string_view helper_of(const Loop& loop, const Body& body);

/// The parameters behind those of the body, which has the memory, `_m_x`: first numbers, lengths,
/// strides; of a map the total, and what the schedule needs besides. Their values:
std::string loop_parameters(const Loop& loop);
template <class Add>
void add_numbers(const IterationSpace& space, Add&& add) {
  for (const Walk& walk : space.walks)
    if (walk.kind == Walk::numbers) add(walk.offset);
  if (space.lengths.size() > 1 || space.is_reduction())
    for (int64_t length : space.lengths) add(length);
  for (const Walk& walk : space.walks)
    for (size_t d = 0; d < space.lengths.size(); ++d)
      if (d != space.inner || walk.inner == Inner::strided) add(walk.strides[d]);
}
/// Of a map: the rest, and the blocks for it, of `block` threads that take `turns` elements each.
template <class Add>
LaunchShape add_launch(const IterationSpace& space, Schedule schedule, int64_t block, int turns, Add&& add) {
  add(space.size());
  const auto [blocks, part] = blocks_of(space, schedule, block, turns);
  if (part) add(part);
  LaunchShape shape;
  shape.grid[0] = static_cast<uint32_t>(blocks);
  shape.block[0] = schedule == Schedule::chunks ? 1 : static_cast<uint32_t>(block);
  return shape;
}

/// The length of a row.
std::string row_length(const Loop& loop);
/// Definitions of the positions of the rows with the number `_row`.
std::string row_positions(const Loop& loop, const std::string& indent);
/// Definitions of each operand's position at the linear number `at` over axes [first, last):
/// `_{from}_x` becomes `_{to}_x`, or the memory if `is_first`. Without `at` the numbers along the axes are there.
std::string positions(const Loop& loop, int first, int last, const std::string& at, bool is_first,
                      char from, char to, const std::string& indent);
/// The operand's element there; of a number, the number.
std::string value_at(const Loop& loop, const LoopOperand& operand, const Place& place);
/// Whether all that lie in a row may be read and written 16 bytes at a time at `_{from}_x` + start.
std::string is_aligned(const Loop& loop, char from, const std::string& start, bool of_outputs = false);
/// Definitions of `_f_x` for each operand that is read in a row: the elements from `_p_x` on, as many as the struct `few`
/// has ("ks_four" or "ks_neighbours").
std::string loads_of_few(const Loop& loop, std::string_view few, const std::string& indent);

}  // namespace kasoku
