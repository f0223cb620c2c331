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
/// Blocks that hide each other's waiting.
constexpr int blocks_of_multiprocessor = 3;

struct SortForm {
  const char* rows;  ///< the macro that has its kernels
  int items;         ///< elements of a thread, which are in its registers
};

SortForm form_of(const RowsToSort& of, bool gives_positions) {
  if (of.length <= few) return {"KS_SHORT_ROWS", 1};
  if (of.length <= most_of_warp) return {"KS_WARP_ROWS", of.length <= 64 ? 2 : of.length <= 128 ? 4 : 8};
  if (of.length <= row_of_block) return {"KS_BLOCK_ROWS", of.length <= 4 * block ? 4 : 16};
  return {"KS_LONG_ROWS", info(of.dtype).size < 8 && !has_wide_numbers(of) ? (gives_positions ? 16 : 24) : gives_positions ? 12 : 16};
}

Program program(const RowsToSort& of, bool gives_positions, const SortForm& form, const Device& device) {
  return row_program(of, {"sort.cu", sort_text, gives_positions, form.items, fmt::format("#define {}\n#define KS_BLOCKS {}\n", form.rows, blocks_of_multiprocessor)}, device);
}

/// sort.cu's ks_side.
struct Side {
  void *keys, *said, *tickets;
};

/// What is sorted, and what becomes of it.
class Sort {
 public:
  Sort(const RowsToSort& of, const Array& from, bool is_own, bool gives_positions)
      : of_(of), from_(from), is_own_(is_own), gives_positions_(gives_positions), device_(from.device()), stream_(device_.current_stream()),
        form_(form_of(of, gives_positions)), module_(compile(program(of, gives_positions, form_, device_), device_)) {}

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

  /// Keys go to `even`, then to `odd`, then to `even` ... Rows are taken so many at a time that what is needed for their counts stays
  /// little beside them.
  void make_passes(const Array& even, const Array& odd, void* positions, void* result) {
    constexpr int64_t tiles_at_once = 16384;
    const int64_t tiles = divide_up(of_.length, block * form_.items), at_once = std::max<int64_t>(1, tiles_at_once / tiles);
    const void* const original = from_.data_for_read();
    const auto keys = [](const Array& array) { return array.is_null() ? nullptr : array.data(); };
    void *const even_keys = keys(even), *const odd_keys = keys(odd);
    for (int64_t row = 0; row < of_.rows; row += at_once) {
      const auto from_row = [&](auto* memory, size_t size) { return memory ? decltype(memory)((char*)memory + row * of_.length * static_cast<int64_t>(size)) : nullptr; };
      const size_t size = info(of_.dtype).size;
      make_passes(std::min(at_once, of_.rows - row), tiles, from_row(original, size), from_row(even_keys, size), from_row(odd_keys, size), from_row(positions, info(number_dtype()).size),
                  from_row(result, sizeof(int64_t)));
    }
  }

  void make_passes(int64_t rows, int64_t tiles, const void* original, void* even_keys, void* odd_keys, void* positions, void* result) {
    const Dtype number = number_dtype();
    const auto zeros = [&](int64_t n, Dtype dtype) { return Array::zeros({rows * n}, dtype, device_); };
    const Array begins = zeros(256 * passes_, number), made = Array::empty({rows * passes_}, Dtype::int32, device_), said = zeros(256 * tiles, number),
                said_next = Array::empty(said.shape(), number, device_), tickets = zeros(1, Dtype::uint32), tickets_next = Array::empty(tickets.shape(), Dtype::uint32, device_);
    RowsToSort some = of_;
    some.rows = rows;
    const RowParts cut = cut_rows(some, block * form_.items, 8 * multiprocessors());
    const long long length = of_.length, of_part = cut.tiles;
    void *const starts = begins.data(), *const which = made.data();
    const Side even{even_keys, said.data(), tickets.data()}, odd{odd_keys, said_next.data(), tickets_next.data()};
    launch_rows(module_->function("ks_count"), rows * cut.parts, stream_, original, starts, length, static_cast<int>(cut.parts), of_part);
    launch_rows(module_->function("ks_begin"), rows, stream_, starts, which, length);
    for (int pass = 0; pass < passes_; ++pass)
      launch_rows(module_->function("ks_move"), rows * tiles, stream_, original, even, odd, positions, result, starts, which, length, static_cast<int>(tiles), pass);
  }

  Dtype number_dtype() const { return has_wide_numbers(of_) ? Dtype::uint64 : Dtype::uint32; }

  Array long_rows() {
    const Array even = like(of_.dtype), odd = passes_ == 1 ? Array() : is_own_ ? from_ : like(of_.dtype);
    make_passes(even, odd, nullptr, nullptr);
    return passes_ == 1 ? even : odd;
  }

  Array positions_of_long_rows() {
    const Array result = like(Dtype::int64);
    const bool has_one = passes_ == 1;
    const Array even = has_one ? Array() : like(of_.dtype), odd = has_one ? Array() : is_own_ ? from_ : like(of_.dtype), positions = has_one ? Array() : like(number_dtype());
    make_passes(even, odd, has_one ? nullptr : positions.data(), result.data());
    return result;
  }

  const RowsToSort of_;
  const Array from_;
  const bool is_own_, gives_positions_;
  Device& device_;
  Stream& stream_;
  const SortForm form_;
  const std::shared_ptr<Module> module_;
  const int passes_ = static_cast<int>(info(of_.dtype).size);  ///< digits of a key; as many passes are made, or fewer by an even number
};

}  // namespace

Array sort_by_kernels(const RowsToSort& of, const Array& from, bool is_own) { return Sort(of, from, is_own, false).run(); }
Array argsort_by_kernels(const RowsToSort& of, const Array& from, bool is_own) { return Sort(of, from, is_own, true).run(); }

}  // namespace kasoku
