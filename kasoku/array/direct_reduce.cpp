/// \file kasoku/array/direct_reduce.cpp
/// Reductions and scans of few elements, at once.
#include "kasoku/array/direct_kernels.h"

#include "kasoku/array/direct.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/rounding.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

namespace kasoku {

namespace {

/// How the reduced elements lie: all of them, rows of them, or columns.
enum class Way : uint8_t { whole, rows, columns };
constexpr size_t n_ways = 3;

Fused one_reduction(ReduceOp op, Dtype from, Dtype compute, Way way, Device& device) {
  Group group;
  group.loads.push_back(from);
  group.values.push_back({.kind = Instruction::load, .dtype = from});
  if (from != compute) group.values.push_back({.kind = Instruction::cast, .dtype = compute});
  group.is_reduce = true;
  group.reduce_op = op;
  group.accumulate = compute;
  group.kept_rank = way != Way::whole;
  group.reduced_rank = 1;
  if (way == Way::columns) group.form = ReduceForm::columns;
  return at_once::on_a_row(std::move(group), Dtype{}, device);
}

/// Of one row, or of rows one behind the other.
Fused one_scan(Op join, Dtype from, Dtype compute, bool has_rows, Device& device) {
  Group group;
  group.loads.push_back(from);
  group.values.push_back({.kind = Instruction::load, .dtype = from});
  if (from != compute) group.values.push_back({.kind = Instruction::cast, .dtype = compute});
  group.scan = ScanSpec{join, false};
  group.accumulate = compute;
  group.kept_rank = has_rows;
  group.reduced_rank = 1;
  return at_once::on_a_row(std::move(group), compute, device);
}

std::atomic<Function*> reductions[n_reductions][at_once::n_dtypes][at_once::n_dtypes][n_ways];

/// What all elements of a dtype are reduced in, and whether that is known. Where their truth is, they are made bools first.
struct WholeReduction {
  std::atomic<Dtype> compute{};
  std::atomic<bool> is_known{false};
};
WholeReduction whole_reductions[n_reductions][at_once::n_dtypes];

/// So many in C order are as good as few: one thread reduces them in any case, and there is nothing to put in order.
bool is_for_one_thread(const Array& array) {
  const Array::State& x = array.state();
  const int64_t n = product(x.view.shape);
  return x.is_contiguous && n > 0 && n <= most_alone && x.dtype != Dtype::opaque && runs_at_once(*x.device);
}

/// All elements of a row by two functions: of its chunks, and of what those give, one behind the other.
class Whole {
 public:
  /// Both functions, if they have been found before.
  Whole(ReduceOp op, Dtype from, Dtype compute) : op_(op), compute_(compute), chunk_(place(from).load(std::memory_order_acquire)), join_(place(compute).load(std::memory_order_acquire)) {}

  explicit operator bool() const { return chunk_ && join_; }

  void find(Dtype from, Device& device) {
    chunk_ = &at_once::found(place(from), device, [&] { return one_reduction(op_, from, compute_, Way::whole, device); });
    join_ = &at_once::found(place(compute_), device, [&] { return one_reduction(op_, compute_, compute_, Way::whole, device); });
  }

  void join(void* result, const void* values, int64_t n, Device& device) const { launch(*join_, result, static_cast<const char*>(values), n, 1, device); }

  /// What the elements give: a value, or of rows that keep one the position.
  void run(void* result, const char* memory, int64_t length, Device& device) {
    const int64_t chunks = divide_up(length, chunk_elements);
    if (chunks == 1) return launch(*chunk_, result, memory, length, 1, device);
    at_once::Number parts[most_chunks];
    int64_t positions[most_chunks], which;
    if (!info(op_).keeps_position()) {
      launch(*chunk_, parts, memory, length, chunks, device);
      return join(result, parts, chunks, device);
    }
    launch(*chunk_, positions, memory, length, chunks, device, parts);
    join(&which, parts, chunks, device);  // of equal ones the first chunk's
    std::memcpy(result, &positions[which], sizeof which);
  }

 private:
  static constexpr size_t most_chunks = most_alone / chunk_elements;

  std::atomic<Function*>& place(Dtype from) const {
    return reductions[static_cast<size_t>(op_)][static_cast<size_t>(from)][static_cast<size_t>(compute_)][static_cast<size_t>(Way::whole)];
  }

  void launch(Function& function, void* result, const char* memory, int64_t length, int64_t chunks, Device& device, void* values = nullptr) const {
    at_once::Number value;
    const bool gives_position = info(op_).keeps_position();
    void* y = !gives_position ? result : values ? values : &value;
    at_once::Arguments arguments(y, length);
    if (gives_position) arguments.add(&result);
    arguments.add(&memory);
    arguments.add(&length);
    arguments.launch_reduction(function, chunks, 1, device);
  }

  ReduceOp op_;
  Dtype compute_;
  Function *chunk_, *join_;
};

}  // namespace

bool is_of_truth(ReduceOp op, Dtype compute) { return info(op).takes == ReductionInfo::truth && compute != Dtype::bool_; }

void expect_again(ReduceOp op, Dtype dtype, Dtype compute) {
  WholeReduction& known = whole_reductions[static_cast<size_t>(op)][static_cast<size_t>(dtype)];
  known.compute.store(compute, std::memory_order_relaxed);
  known.is_known.store(true, std::memory_order_release);
}

bool reduce_again(ReduceOp op, const Array& array, void* result, Dtype& dtype) {
  const Array::State& x = array.state();
  const WholeReduction& known = whole_reductions[static_cast<size_t>(op)][static_cast<size_t>(x.dtype)];
  if (!known.is_known.load(std::memory_order_acquire) || !is_for_one_thread(array)) return false;
  const Dtype compute = known.compute.load(std::memory_order_relaxed);
  const int64_t length = product(x.view.shape);
  const Dtype from = is_of_truth(op, compute) ? Dtype::bool_ : x.dtype;
  if (from != x.dtype) at_once::cast_function(x.dtype, from, *x.device);
  const Held held(array);
  Whole whole(op, from, compute);
  if (!held || !whole) return false;
  dtype = info(op).keeps_position() ? Dtype::int64 : compute;
  if (from == x.dtype) {
    whole.run(result, held.memory(), length, *x.device);
  } else {
    char truths[most_alone];
    at_once::cast(truths, held.memory(), x.dtype, from, length, *x.device);
    whole.run(result, truths, length, *x.device);
  }
  return true;
}

Array reduce_again(ReduceOp op, const Array& array) {
  at_once::Number value;
  Dtype dtype;
  if (!reduce_again(op, array, &value, dtype)) return {};
  const size_t itemsize = info(dtype).size;
  auto result = Storage::allocate(array.device(), itemsize);
  std::memcpy(result->buffer->memory(), &value, itemsize);
  return Array::of(std::move(result), {}, dtype, itemsize);
}

std::optional<Array> reduce_directly(ReduceOp op, Dtype compute, const Array& array, std::span<const uint8_t> is_reduced, const Shape& shape) {
  Device& device = array.device();
  at_once::Source source;
  const int numbers = info(op).n_numbers();
  int64_t outputs = product(shape) / numbers, length = outputs ? array.size() / outputs : 0;
  const bool are_last_kept = std::ranges::is_sorted(is_reduced, std::greater()), are_first_kept = std::ranges::is_sorted(is_reduced);
  const Way way = outputs == 1 ? Way::whole : are_last_kept && outputs >= 4 ? Way::columns : Way::rows;
  const Dtype wider = info(array.dtype()).size < info(compute).size ? compute : array.dtype();
  const bool is_in_order = way != Way::rows || are_first_kept;
  const bool is_for_here = is_in_order && (way == Way::whole ? numbers == 1 : length <= chunk_elements && outputs <= few_elements) && is_for_one_thread(array);
  if (!is_for_here && !at_once::is_for_now(array.size(), wider, device)) return std::nullopt;
  if (!source.find(array, array.shape())) return std::nullopt;
  const auto with_kept_first = [&] {
    Extents order(is_reduced.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int64_t axis) { return is_reduced[static_cast<size_t>(axis)]; });
    return transpose(array, order);
  };
  const Array ordered = is_in_order ? array : with_kept_first();
  source.spread(ordered, ordered.shape(), device);
  const Dtype from = array.dtype();
  const bool gives_position = info(op).keeps_position();
  const Dtype dtype = gives_position ? Dtype::int64 : compute;
  const size_t itemsize = info(dtype).size;
  if (way == Way::whole && numbers == 1) {
    Whole whole(op, from, compute);
    whole.find(from, device);
    auto result = Storage::allocate(device, itemsize);
    whole.run(result->buffer->memory(), source.memory, array.size(), device);
    return Array::of(std::move(result), shape, dtype, itemsize);
  }
  auto& place = reductions[static_cast<size_t>(op)][static_cast<size_t>(from)][static_cast<size_t>(compute)][static_cast<size_t>(way)];
  Function& function = at_once::found(place, device, [&] { return one_reduction(op, from, compute, way, device); });
  auto result = Storage::allocate(device, static_cast<size_t>(outputs * numbers) * itemsize);
  alignas(16) char values[few_elements * sizeof(at_once::Number)];
  void *position = result->buffer->memory(), *y = gives_position ? values : position;
  at_once::Arguments arguments(y, length);
  if (gives_position) arguments.add(&position);
  arguments.add(&source.memory);
  if (way != Way::whole) arguments.add(&outputs);
  arguments.add(&length);
  int64_t stride = (way == Way::rows ? length : outputs) * static_cast<int64_t>(array.itemsize());
  if (way != Way::whole) arguments.add(&stride);
  const int64_t width = way == Way::columns ? columns_at_once(lane_bytes(op, compute), ReduceForm::columns, false) : 1;
  arguments.launch_reduction(function, divide_up(outputs, width), width, device);
  return Array::of(std::move(result), shape, dtype, itemsize);
}

bool join_directly(ReduceOp op, Dtype compute, const Buffer& values, int64_t n, Buffer& result) {
  Device& device = result.device();
  if (n > chunk_elements || info(op).keeps_position() || info(op).n_numbers() > 1 || !runs_at_once(device) || !runs_without_group()) return false;
  Whole whole(op, compute, compute);
  if (!whole) whole.find(compute, device);
  whole.join(result.memory(), values.memory(), n, device);
  return true;
}

std::optional<Array> scan_directly(Op join, const OpTypes& types, const Array& array, size_t axis) {
  static std::atomic<Function*> scans[n_ops][at_once::n_dtypes][at_once::n_dtypes][2];
  Device& device = array.device();
  const Shape& shape = array.shape();
  int64_t n = array.size(), length = shape.empty() ? 1 : shape[axis], rows = n / std::max(length, int64_t{1});
  at_once::Source source;
  const bool is_last = axis + 1 == shape.size();
  if (!is_last || length > scan_row || types.result != types.compute || !at_once::is_for_now(n, array.dtype(), device) || !source.find(array, shape)) return std::nullopt;
  source.spread(array, shape, device);
  const Dtype from = array.dtype();
  auto& place = scans[static_cast<size_t>(join)][static_cast<size_t>(from)][static_cast<size_t>(types.compute)][rows > 1];
  Function& function = at_once::found(place, device, [&] { return one_scan(join, from, types.compute, rows > 1, device); });
  const size_t itemsize = info(types.result).size;
  auto result = Storage::allocate(device, static_cast<size_t>(n) * itemsize);
  void *y = result->buffer->memory(), *before = nullptr;
  at_once::Arguments arguments(y, length);
  arguments.add(&source.memory);
  if (rows > 1) arguments.add(&rows);
  arguments.add(&length);
  int64_t strides[] = {length * static_cast<int64_t>(itemsize), length * static_cast<int64_t>(array.itemsize())};
  for (int64_t& stride : strides)
    if (rows > 1) arguments.add(&stride);
  int64_t chunk = chunk_of_scan(length);
  arguments.launch_scan(function, rows, chunk, before, device);
  return Array::of(std::move(result), shape, types.result, itemsize);
}

}  // namespace kasoku
