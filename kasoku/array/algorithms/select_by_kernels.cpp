#include "kasoku/array/algorithms/row_kernels.h"
#include "kasoku/array/algorithms/sort.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/rounding.h"
#include "kasoku/compile/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kasoku {

namespace {

constexpr const char* select_text =
#include "select.inc"
    ;

/// So many elements more than wanted are sorted at the end, where that saves passes over all of them.
constexpr int64_t spare_candidates = 256;
static_assert(row_of_block / 8 + spare_candidates <= row_of_block);

/// Elements of a thread: its registers leave a multiprocessor full of threads.
constexpr int select_items = 8;
/// Of a row: ks_known.
constexpr int64_t words_of_state = 4;

/// What is known of the last of the first elements, and what is given: candidates, at least as many as are wanted, and their positions.
struct Candidates {
  Array elements, positions;
};

Candidates candidates_of(const RowsToSort& of, int64_t k, const Array& from) {
  Device& device = from.device();
  Stream& stream = device.current_stream();
  const int64_t size = static_cast<int64_t>(info(of.dtype).size), width = k + spare_candidates;
  const auto module = compile(row_program(of, {"select.cu", select_text, true, select_items, fmt::format("#define KS_SPARE {}\n", spare_candidates)}, device), device);
  const Candidates result = {Array::empty({of.rows, width}, of.dtype, device), Array::empty({of.rows, width}, Dtype::int64, device)};
  const int64_t multiprocessors = std::max<int64_t>(1, device.properties().multiprocessors);
  const RowParts cut = cut_rows(of, row_threads * select_items, 16 * multiprocessors);
  const long long length = of.length, wanted = k, of_row = width, tiles = cut.tiles;
  if (cut.parts == 1) {
    launch_rows(module->function("ks_select_rows"), std::min(of.rows, 64 * multiprocessors), stream, from.data_for_read(), result.elements.data(), result.positions.data(),
                static_cast<long long>(of.rows), length, wanted, of_row);
    return result;
  }
  const Dtype number = has_wide_numbers(of) ? Dtype::uint64 : Dtype::uint32;
  const auto numbers = [&](int64_t n) { return Array::empty({of.rows * n}, number, device); };
  const auto states = [&] { return Array::empty({of.rows * words_of_state}, Dtype::uint64, device); };
  const Array counts = numbers(256 * cut.parts), lower = numbers(cut.parts), same = numbers(cut.parts);
  Array known = states(), next = states(), totals = Array::zeros({of.rows * 256}, number, device), next_totals = numbers(256);
  const int parts = static_cast<int>(cut.parts), groups = static_cast<int>(divide_up(cut.parts, row_threads / 32));
  for (int64_t digit = 0; digit < size; ++digit) {
    const int is_first = digit == 0;
    launch_rows(module->function("ks_count"), of.rows * parts, stream, from.data_for_read(), known.data_for_read(), counts.data(), totals.data(), length, wanted, parts, tiles, is_first);
    launch_rows(module->function("ks_settle"), of.rows * groups, stream, known.data_for_read(), next.data(), counts.data_for_read(), totals.data_for_read(), next_totals.data(), lower.data(),
                same.data(), length, wanted, parts, groups, is_first);
    std::swap(known, next);
    std::swap(totals, next_totals);
  }
  launch_rows(module->function("ks_take"), of.rows * parts, stream, from.data_for_read(), known.data_for_read(), lower.data_for_read(), same.data_for_read(), result.elements.data(),
              result.positions.data(), length, wanted, of_row, parts, tiles);
  return result;
}

}  // namespace

Array first_by_kernels(const RowsToSort& of, int64_t k, const Array& from) {
  const Candidates candidates = candidates_of(of, k, from);
  const int64_t width = candidates.elements.shape().back();
  const Array order = argsort_by_kernels({of.rows, width, of.dtype, of.is_descending}, candidates.elements, true);
  const Array first = order.with_view({{of.rows, k}, order.strides(), order.input().view.offset});
  Shape shape = from.shape();
  shape.back() = k;
  return copy(reshape(take_along(candidates.positions, first, -1), shape));
}

}  // namespace kasoku
