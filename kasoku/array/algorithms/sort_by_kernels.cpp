#include "kasoku/array/algorithms/row_kernels.h"
#include "kasoku/base/rounding.h"
#include "kasoku/compile/compile.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

namespace {

constexpr const char* sort_text =
#include "sort.inc"
    ;

constexpr int64_t block = row_threads;
/// Rows of so many elements a warp sorts by counting, and of so many in its registers.
constexpr int64_t few = 32, most_of_warp = 256;

struct Form {
  const char* rows;  ///< the macro that has its kernels
  int items;         ///< elements of a thread: a tile's keys and positions fit into 48 KiB of shared memory
};

Form form_of(const RowsToSort& of) {
  if (of.length <= few) return {"KS_SHORT_ROWS", 1};
  if (of.length <= most_of_warp) return {"KS_WARP_ROWS", of.length <= 64 ? 2 : of.length <= 128 ? 4 : 8};
  if (of.length <= row_of_block) return {"KS_BLOCK_ROWS", of.length <= 4 * block ? 4 : 16};
  return {"KS_LONG_ROWS", info(of.dtype).size == 8 || has_wide_numbers(of) ? 8 : 16};
}

Program program(const RowsToSort& of, bool gives_positions, const Device& device) {
  const Form form = form_of(of);
  return row_program(of, {"sort.cu", sort_text, gives_positions, form.items, fmt::format("#define {}\n", form.rows)}, device);
}

/// What is sorted, and what becomes of it.
class Sort {
 public:
  Sort(const RowsToSort& of, const Array& from, bool is_own, bool gives_positions)
      : of_(of), from_(from), is_own_(is_own), gives_positions_(gives_positions), device_(from.device()), stream_(device_.current_stream()),
        module_(compile(program(of, gives_positions, device_), device_)) {}

  Array run() { return of_.length <= row_of_block ? short_rows() : gives_positions_ ? positions_of_long_rows() : long_rows(); }

 private:
  Array like(Dtype dtype) { return Array::empty(from_.shape(), dtype, device_); }
  int64_t multiprocessors() { return std::max<int64_t>(1, device_.properties().multiprocessors); }

  Array short_rows() {
    Array result = like(gives_positions_ ? Dtype::int64 : of_.dtype);
    void* const to = result.data();
    const bool are_few = of_.length <= few, has_warps = of_.length <= most_of_warp;
    const int64_t at_once = (are_few ? few / of_.length : 1) * (has_warps ? block / 32 : 1);
    const int64_t blocks = std::min(divide_up(of_.rows, at_once), 64 * multiprocessors());
    launch_rows(module_->function(are_few ? "ks_sort_few" : has_warps ? "ks_sort_warps" : "ks_sort_rows"), blocks, stream_, from_.data_for_read(), to, to, (long long)of_.rows, (int)of_.length);
    return result;
  }

  /// Digits and where they go are counted in memory that all passes share.
  void begin() {
    cut_ = cut_rows(of_, block * form_of(of_).items, 8 * multiprocessors());
    const Dtype number = has_wide_numbers(of_) ? Dtype::uint64 : Dtype::uint32;
    counts_ = Array::empty({of_.rows * 256 * cut_.parts}, number, device_);
    totals_ = Array::empty({of_.rows * 256}, number, device_);
  }

  void pass(int number, const void* from, const void* from_positions, void* to, void* to_positions, void* result) {
    const auto passes = static_cast<int>(info(of_.dtype).size);
    const int is_first = number == 0, is_last = number + 1 == passes;
    void *counts = counts_.data(), *totals = totals_.data();
    const long long length = of_.length, tiles = cut_.tiles;
    const auto parts = static_cast<int>(cut_.parts);
    launch_rows(module_->function("ks_count"), of_.rows * cut_.parts, stream_, from, counts, length, parts, tiles, number, is_first);
    launch_rows(module_->function("ks_start"), divide_up(of_.rows * 256, block / 32), stream_, counts, totals, (long long)of_.rows * 256, parts);
    launch_rows(module_->function("ks_move"), of_.rows * cut_.parts, stream_, from, from_positions, to, to_positions, result, counts, totals, length, parts, tiles, number, is_first, is_last);
  }

  Array long_rows() {
    begin();
    const auto passes = static_cast<int>(info(of_.dtype).size);
    Array from = from_, to = like(of_.dtype), other;
    for (int p = 0; p < passes; ++p) {
      pass(p, from.data_for_read(), nullptr, to.data(), nullptr, nullptr);
      if (p + 1 == passes) break;
      const bool may_have = p > 0 || is_own_;
      if (!may_have && other.is_null()) other = like(of_.dtype);
      std::swap(from, to);
      if (!may_have) to = other;
    }
    return to;
  }

  Array positions_of_long_rows() {
    begin();
    const auto passes = static_cast<int>(info(of_.dtype).size);
    const Dtype number = has_wide_numbers(of_) ? Dtype::uint64 : Dtype::uint32;
    Array result = like(Dtype::int64);
    // Passes alternate between two memories of keys and of positions; the result's holds every second pass's positions.
    Array keys[2], positions;
    if (passes > 1) {
      keys[0] = like(of_.dtype);
      positions = like(number);
    }
    if (passes > 2) keys[1] = is_own_ ? from_ : like(of_.dtype);
    for (int p = 0; p < passes; ++p) {
      const bool is_last = p + 1 == passes;
      const auto place = [&](int side) -> void* { return side ? result.data() : positions.data(); };
      pass(p, p == 0 ? from_.data_for_read() : keys[(p - 1) % 2].data_for_read(), p == 0 ? nullptr : place((p - 1) % 2),
           is_last ? nullptr : keys[p % 2].data(), is_last ? nullptr : place(p % 2), is_last ? result.data() : nullptr);
    }
    return result;
  }

  const RowsToSort of_;
  const Array from_;
  const bool is_own_, gives_positions_;
  Device& device_;
  Stream& stream_;
  const std::shared_ptr<Module> module_;
  Array counts_, totals_;
  RowParts cut_{};
};

}  // namespace

Array sort_by_kernels(const RowsToSort& of, const Array& from, bool is_own) { return Sort(of, from, is_own, false).run(); }
Array argsort_by_kernels(const RowsToSort& of, const Array& from, bool is_own) { return Sort(of, from, is_own, true).run(); }

}  // namespace kasoku
