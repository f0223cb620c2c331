// The fixed tree of reductions. A chunk is chunk_elements (8192) in the logical order of
// the reduced axes. Lane l of chunk_lanes (1024) takes elements l, l + 1024, …, in order; then
// lane l takes lane l + s for s = 512, 256, … 1. Chunks' results are a sequence
// that is reduced in the same way, by the same kernel over that sequence. Lanes without
// elements change no value: the identity fills them, or nothing is joined with them.
//
// Legend of the text, beside that of loop_text.cpp.
//   ks_lane, ks_join(a, b)  what a lane holds, with its position where that is kept; two of them become one
//   _pair, _o, _c           a pair of an output (or strip of outputs) and one of its chunks
//   _begin, _count          the chunk's first element, and how many it has
//   _value                  an element's lane
#include "kasoku/codegen/reduce_lanes.h"

#include "kasoku/base/rounding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace kasoku {
namespace {

/// An axis along which neighbours share a line of memory that those along the last axis do not: elements along the last one are far
/// from one another. None where there is no such.
std::optional<size_t> axis_of_tiles(const IterationSpace& space) {
  constexpr int64_t line = 64, few = 4;
  const size_t last = space.lengths.size() - 1;
  for (size_t d = space.kept; d < last; ++d)
    if (space.lengths[d] >= few && std::ranges::any_of(space.walks, [&](const Walk& walk) {
          const int64_t near = std::abs(walk.strides[d]), far = std::abs(walk.strides[last]);
          return walk.kind == Walk::memory && near > 0 && near <= line / few && far >= line;
        }))
      return d;
  return std::nullopt;
}

}  // namespace

int64_t columns_at_once(size_t value_bytes, ReduceForm form, bool by_threads) {
  constexpr size_t waiting_bytes = 4096;
  return by_threads ? 32 * (has_four_columns(form) ? 4 : 1) : static_cast<int64_t>(waiting_bytes / value_bytes);
}

int64_t chunks_as_columns(IterationSpace& space) {
  constexpr int64_t most_side_by_side = 16, few_columns = 64, most_chunks = 1 << 17;
  const auto axis = axis_of_tiles(space);
  if (!axis || *axis != space.kept || space.size() / chunk_elements > most_chunks) return 1;
  const int64_t length = space.lengths[*axis];
  int64_t behind = 1;
  for (size_t d = *axis + 1; d < space.lengths.size(); ++d) behind *= space.lengths[d];
  const int64_t side_by_side = behind % chunk_elements == 0 ? 1 : chunk_elements % behind == 0 ? chunk_elements / behind : 0;
  if (side_by_side == 0 || side_by_side > most_side_by_side || length % side_by_side != 0 || length / side_by_side < few_columns) return 1;
  space.keep_outer(side_by_side);
  return length / side_by_side;
}

ReduceForm choose_reduce_form(IterationSpace& space, bool by_threads, const ReduceTraits& traits) {
  const size_t last = space.lengths.size() - 1;
  int64_t results = 1;
  for (size_t d = 0; d < space.kept; ++d) results *= space.lengths[d];
  const int64_t reduced = space.size() / std::max(results, int64_t{1});
  constexpr int64_t many_results = 4096, many_chunks = 1024;  // fewer threads than that leave a GPU idle
  if (space.kept > 0 && traits.may_be_columns) {
    const size_t column = space.kept - 1;
    const auto along = [&](size_t d) {
      return std::ranges::any_of(space.walks, [&](const Walk& walk) { return walk.kind == Walk::memory && walk.strides[d] == walk.unit; });
    };
    // Neighbours of a row whose memory lies apart cost a thread more than columns that all arrays have side by side, or share.
    constexpr int64_t many_columns = 32;
    const auto is_dense = [&](size_t d) {
      return std::ranges::all_of(space.walks, [&](const Walk& walk) { return walk.kind != Walk::memory || walk.strides[d] == walk.unit || walk.strides[d] == 0; });
    };
    const bool are_denser = !by_threads && space.lengths[column] >= many_columns && along(column) && is_dense(column) && !is_dense(last);
    // One thread meets short rows together as well, so that each pass over memory, strided or not, serves many of them.
    constexpr int64_t short_row = 32, many_rows = 64;
    const bool are_short_rows = !by_threads && reduced <= short_row && space.lengths[column] >= many_rows;
    if (are_short_rows || are_denser || (space.lengths[column] >= (by_threads ? 8 : 4) && along(column) && !along(last))) {
      if (by_threads && traits.may_be_wide && reduced <= short_column && results >= many_results) return ReduceForm::short_columns;
      space.go_along(column);
      // Fewer strips of four columns a thread would leave multiprocessors of a GPU without one.
      constexpr int64_t wide_strip = 128, many_strips = 256, many_elements = 1 << 24, long_column = 4096;
      const bool is_wide = by_threads && traits.may_be_wide && space.lengths[column] >= wide_strip &&
                           results / wide_strip * divide_up(reduced, chunk_elements) >= many_strips &&
                           std::ranges::all_of(space.walks, [](const Walk& walk) { return walk.kind != Walk::memory || walk.inner != Inner::strided; });
      if (is_wide && traits.may_be_split && reduced >= long_column && space.size() >= many_elements) return ReduceForm::split_columns;
      return is_wide ? ReduceForm::wide_columns : ReduceForm::columns;
    }
  }
  // What fits a core's cache may be walked in any order.
  constexpr int64_t large = 65536, few_elements = 1024;
  if (!by_threads && traits.may_be_tiles && space.size() >= large && reduced >= few_elements) {
    if (const auto axis = axis_of_tiles(space)) {
      space.go_along(*axis);
      return ReduceForm::tiles;
    }
  }
  if (!by_threads) return ReduceForm::rows;
  if (space.kept == 0 && traits.may_be_in_any_order && reduced >= many_chunks * chunk_elements) return ReduceForm::any_order;
  if (results <= 1 || reduced > warp_row) return ReduceForm::rows;
  return reduced <= thread_row && results >= many_results ? ReduceForm::threads : ReduceForm::warps;
}

std::string strip_of_columns(const JoinedLoop& of) {
  return fmt::format("    const {0} _strips = (({0})_n{1} + ({0})_width - 1) / ({0})_width, _strip = _o % _strips;\n"
                     "    const long long _start = (long long)(_o / _strips) * _n{1} + _strip * _width, _left = _n{1} - _strip * _width;\n"
                     "    const int _n = (int)(_left < _width ? _left : _width);\n", of.count_type(), of.kept_rank - 1) +
         positions(of.loop, 0, of.kept_rank, "(ks_index)_start", true, 0, 'b', "    ");
}

std::string launch_bounds(bool by_threads, ReduceForm form, bool has_two_blocks) {
  if (!by_threads || !is_by_columns(form)) return "";
  return fmt::format("__launch_bounds__({}{}) ", threads_of_columns(form), has_two_blocks || form == ReduceForm::split_columns ? ", 2" : "");
}

std::string reduce_text(const Reduction& r) {
  using namespace tree;
  switch (r.form) {
    case ReduceForm::columns:
    case ReduceForm::wide_columns:
    case ReduceForm::split_columns: return r.by_threads ? columns_of_threads(r) : serial_columns(r);
    case ReduceForm::warps: return rows_of_warps(r);
    case ReduceForm::threads: return rows_of_threads(r);
    case ReduceForm::short_columns: return columns_of_one_thread(r);
    case ReduceForm::tiles: return serial_tiles(r);
    default: return r.by_threads ? rows_of_blocks(r) : serial_rows(r);
  }
}

std::string reduce_parameters(const Reduction& r) {
  const std::string loop = loop_parameters(r.loop);
  return loop + (loop.empty() ? "" : ",\n    ") + "long long _pairs, long long _per_block, long long _chunks, long long _first_chunk, long long _length" +
         (is_by_columns(r.form) ? ", long long _width" : r.form == ReduceForm::tiles ? ", long long _inner, long long _together, long long _sets" : "");
}

int64_t strip_width(int64_t columns, int64_t rows, int64_t times, int64_t most, int workers) {
  constexpr int64_t least = 64, elements = 65536;
  const int64_t worth_it = std::max(int64_t{1}, columns * rows / elements);
  const int64_t blocks = std::min(divide_up(4 * int64_t{workers}, times), worth_it);
  return std::clamp(round_up(divide_up(columns, blocks), int64_t{16}), least, most);
}

int64_t blocks_in_any_order(int64_t chunks, int workers) { return std::min(chunks, int64_t{32} * workers); }

ReduceLaunch reduce_launch(const IterationSpace& space, size_t kept, ReduceForm form, bool by_threads, size_t value_bytes, const Chunks& part, int workers) {
  int64_t outputs = 1;
  for (size_t d = 0; d < kept; ++d) outputs *= space.lengths[d];
  const int64_t length = outputs ? space.size() / outputs : 0;
  int64_t pairs = outputs * part.chunks, elements = std::clamp(length, int64_t{1}, chunk_elements), width = 1, together = 1, sets = 1;
  if (is_by_columns(form)) {
    const int64_t columns = space.lengths[kept - 1];
    width = columns_at_once(value_bytes, form, by_threads);
    if (!by_threads) width = strip_width(columns, elements, pairs / columns, width, workers);
    pairs = pairs / columns * divide_up(columns, width) * parts_of_chunk(form);
    elements *= std::min(columns, width);
  }
  if (form == ReduceForm::tiles) {
    // `width` is that of a line. Fewer chunks are taken at once where else not all workers had some.
    for (size_t d = space.inner + 1; d < space.lengths.size(); ++d) width *= space.lengths[d];
    together = std::clamp(pairs / (4 * workers), std::min(int64_t{4}, pairs), tree::chunks_of_tile(value_bytes));
    const int64_t along = space.lengths[space.inner];
    sets = width <= chunk_elements ? divide_up(part.chunks, together) : length / (width * along) * divide_up(along, together) * (width / chunk_elements + 2);
    pairs = outputs * sets;
    elements *= together;
  }
  const int64_t per_block = std::max({int64_t{1}, elements_per_block / elements, divide_up(pairs, int64_t{1} << 30)});
  ReduceLaunch launch{{}, {pairs, per_block, part.chunks, part.first_chunk, length, width, together, sets}, form == ReduceForm::tiles ? 8 : is_by_columns(form) ? 6 : 5};
  if (by_threads) {
    const int64_t results = form == ReduceForm::warps ? warps_of_block : form == ReduceForm::threads || form == ReduceForm::short_columns ? threads_of_block : 1;
    // More blocks than run soon go on with the next results: what they computed ahead of the first need not be computed again. With
    // half as many an H200 summed 2^28 float32 at 4.46 TB/s and not at 4.60.
    constexpr int64_t blocks_of_multiprocessor = 128;
    const int64_t most = form == ReduceForm::split_columns ? pairs : form == ReduceForm::any_order ? blocks_in_any_order(pairs, workers) : blocks_of_multiprocessor * workers;
    launch.shape.grid[0] = static_cast<uint32_t>(std::min(divide_up(pairs, results), most));
    launch.shape.block[0] = static_cast<uint32_t>(is_by_columns(form) ? threads_of_columns(form) : threads_of_block);
  } else {
    launch.shape.grid[0] = static_cast<uint32_t>(divide_up(pairs, per_block));
  }
  return launch;
}

}  // namespace kasoku
