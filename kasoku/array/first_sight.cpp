#include "kasoku/array/first_sight.h"

#include "kasoku/array/array.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/run.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/stats.h"
#include "kasoku/device/replay.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <numeric>

namespace kasoku {

std::atomic<FirstSight> first_sight{FirstSight::without_kernel};

namespace {

/// Operations on so many elements take less than a compiler, which takes 15 to 90 ms.
constexpr int64_t most_elements = 16384, most_beside_host = 1 << 20;

/// Whether single operations run by the kernels that the library brings along, and their values are read here.
bool runs_on_host(const Device& device) { return device.is_host() && !takes_gpu_form(device); }

/// One more than the largest number that a walk meets; negative if it goes below 0.
int64_t end_of(const Walk& walk, const Extents& lengths) {
  int64_t first = walk.offset, end = walk.offset + 1;
  for (size_t d = 0; d < lengths.size(); ++d) {
    const int64_t far = walk.strides[d] * (lengths[d] - 1);
    (far < 0 ? first : end) += far;
  }
  return first < 0 ? -1 : end;
}

/// Elements of the host's memory that do not overlap, from where one view has them to where the other has.
void copy_elements(const Extents& lengths, char* to, const Extents& to_strides, const char* from, const Extents& from_strides, size_t itemsize, size_t d = 0) {
  if (d == lengths.size()) return void(std::memcpy(to, from, itemsize));
  if (const auto step = static_cast<int64_t>(itemsize); d + 1 == lengths.size() && to_strides[d] == step && from_strides[d] == step)
    return void(std::memcpy(to, from, static_cast<size_t>(lengths[d]) * itemsize));
  for (int64_t i = 0; i < lengths[d]; ++i) copy_elements(lengths, to + i * to_strides[d], to_strides, from + i * from_strides[d], from_strides, itemsize, d + 1);
}

bool is_carried(Dtype dtype) { return std::ranges::find(carried_dtypes, register_dtype(dtype)) != std::end(carried_dtypes); }

/// A group's values, one after the other, each an array over the group's space. As in the group's text, 16-bit floats are
/// 32-bit ones that are rounded after each operation. Numbers, and what is computed of nothing else, have the shape (1,).
class Operations {
 public:
  Operations(const Fused& fused, Device& device) : fused_(fused), lengths_(fused.space.lengths), device_(device), on_host_(runs_on_host(device)) {
    order_.resize(lengths_.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    // A reduction has the axes that stay first; its operands' values are computed in the order in which they lie.
    if (!group().is_reduce || group().loads.empty()) return;
    const Extents& strides = walk_of_load(0).strides;
    std::ranges::stable_sort(order_, [&](size_t a, size_t b) { return std::abs(strides[a]) > std::abs(strides[b]); });
    lengths_ = in_order(lengths_);
  }

  /// The last one may be pending.
  Array run() {
    for (const Instruction& x : group().values) values_.push_back(value(x));
    const Array& last = values_.back();
    if (!group().is_reduce) return last.dtype() == group().store_dtype ? last : astype(computed(last), group().store_dtype);
    const Array result = reduced(last);
    return info(group().reduce_op).keeps_position() ? result : converted(result, group().accumulate);
  }

 private:
  const Group& group() const { return fused_.group; }
  const Walk& walk_of_load(size_t k) const { return fused_.space.walks[k + group().walks_result()]; }
  const Walk& walk_of_arange(size_t k) const { return walk_of_load(group().loads.size() + k); }
  const Walk& walk_of_random(size_t k) const { return walk_of_arange(group().aranges.size() + k); }

  Extents in_order(const Extents& of_axes) const {
    Extents result = of_axes;
    for (size_t d = 0; d < order_.size(); ++d) result[d] = of_axes[order_[d]];
    return result;
  }

  static Array computed(Array x) {
    if (x.is_pending()) evaluate(x.input().node);
    return x;
  }
  static Array converted(const Array& x, Dtype dtype) { return x.dtype() == dtype ? x : computed(astype(computed(x), dtype)); }
  static Array rounded(const Array& x, Dtype dtype) { return converted(converted(x, dtype), register_dtype(dtype)); }

  /// Beside the host the last value goes right to where it belongs.
  bool stays_pending(const Instruction& x) const { return &x == &group().values.back() && !on_host_; }

  Array value(const Instruction& x) {
    const Dtype held = register_dtype(x.dtype);
    switch (x.kind) {
      case Instruction::load: return converted(seen(fused_.loads[x.index], walk_of_load(x.index)), held);
      case Instruction::scalar: {
        alignas(16) char number[16];
        store_rounded(fused_.scalars[x.index], x.dtype, number);
        const Array result = full({1}, Scalar::load(held, number), held, device_);
        return on_host_ ? computed(result) : result;  // a GPU's kernels are passed it
      }
      case Instruction::arange: {
        const Walk& walk = walk_of_arange(x.index);
        const Expression& leaf = *fused_.aranges[x.index];
        return rounded(drawn(arange(leaf.start, leaf.step, end_of(walk, fused_.space.lengths), held, device_), walk), x.dtype);
      }
      case Instruction::random: {
        const Fused::Random& leaf = fused_.randoms[x.index];
        return drawn(Array::of(make_node({leaf.node->size()}, x.dtype, device_, *leaf.expression)), walk_of_random(x.index));
      }
      case Instruction::apply: return info(x.dtype).kind == DtypeKind::floating ? rounded(applied(x), x.dtype) : applied(x);
      default: {
        const Array& from = values_[x.in[0]];
        if (group().values[x.in[0]].dtype == x.dtype) return from;
        return stays_pending(x) && held == x.dtype ? astype(computed(from), held) : rounded(from, x.dtype);
      }
    }
  }

  /// An array that is computed from its elements' numbers.
  Array drawn(const Array& leaf, Walk walk) const {
    const auto itemsize = static_cast<int64_t>(leaf.itemsize());
    walk.offset *= itemsize;
    for (int64_t& stride : walk.strides) stride *= itemsize;
    return seen(computed(leaf).input().node, walk);
  }

  /// What the walk meets; on the host, whose kernels have neighbours, one element behind the other.
  Array seen(const NodePtr& node, const Walk& walk) const {
    const bool is_single = std::ranges::all_of(walk.strides, [](int64_t stride) { return stride == 0; });
    const View view{is_single ? Shape{1} : lengths_, is_single ? Strides{0} : in_order(walk.strides), walk.offset};
    if (!on_host_) return Array::of(node, view, node->dtype, node->itemsize, true);
    const Array result = Array::empty(view.shape, node->dtype, device_);
    const auto* const memory = static_cast<const char*>(node->storage->buffer->memory());
    copy_elements(view.shape, static_cast<char*>(result.data()), result.strides(), memory + view.offset, view.strides, result.itemsize());
    return result;
  }

  Array applied(const Instruction& x) const {
    const auto arity = static_cast<size_t>(info(x.op).arity);
    Operand operands[3];
    const Operand* pointers[3];
    Shape shape{1};
    for (size_t i = 0; i < arity; ++i) {
      operands[i] = values_[x.in[i]];
      pointers[i] = &operands[i];
      if (operands[i].array->shape() != shape) shape = lengths_;
    }
    const OpTypes types{register_dtype(x.compute), register_dtype(x.dtype)};
    if (on_host_)
      if (std::optional<Array> result = apply_directly(x.op, types, {pointers, arity}, shape, device_)) return *std::move(result);
    Expression expression;
    expression.kind = Expression::elementwise;
    expression.op = x.op;
    expression.compute = types.compute;
    for (size_t i = 0; i < arity; ++i) {
      Array operand = *operands[i].array;  // a number is one for the kernel too
      if (on_host_ && operand.shape() != shape) operand = full({1}, Scalar::load(operand.dtype(), operand.data_for_read()), operand.dtype(), device_);
      expression.inputs.push_back(stretched_input(operand, shape));
      // An operand that is there twice would make a kernel of its own.
      NodePtr& node = expression.inputs.back().node;
      for (size_t before = 0; before < i; ++before)
        if (node == expression.inputs[before].node && node->is_done()) node = make_leaf(node->storage, node->shape, node->dtype, node->itemsize);
    }
    const Array result = Array::of(make_node(shape, types.result, device_, std::move(expression)));
    return stays_pending(x) ? result : computed(result);
  }

  Array reduced(const Array& elements) const {
    const Extents& lengths = fused_.space.lengths;
    std::vector<uint8_t> is_reduced(lengths.size());
    std::fill(is_reduced.begin() + group().kept_rank, is_reduced.end(), uint8_t{1});
    Shape kept(static_cast<size_t>(group().kept_rank));
    std::copy_n(lengths.begin(), kept.size(), kept.begin());
    if (const int numbers = info(group().reduce_op).n_numbers(); numbers > 1) kept.push_back(numbers);
    const Input input = stretched_input(computed(elements), lengths_);
    View view{lengths, Strides(lengths.size()), input.view.offset};
    for (size_t d = 0; d < order_.size(); ++d) view.strides[order_[d]] = input.view.strides[d];
    const Array whole = Array::of(input.node, view, elements.dtype(), elements.itemsize(), true);
    const Dtype compute = register_dtype(group().accumulate);
    if (on_host_)
      if (std::optional<Array> result = reduce_directly(group().reduce_op, compute, whole, is_reduced, kept)) return *std::move(result);
    Expression expression;
    expression.kind = Expression::reduce;
    expression.reduce_op = group().reduce_op;
    expression.is_reduced = std::move(is_reduced);
    expression.compute = compute;
    expression.inputs.push_back(whole.input());
    return computed(Array::of(make_node(kept, info(group().reduce_op).keeps_position() ? Dtype::int64 : compute, device_, std::move(expression))));
  }

  static Input stretched_input(const Array& array, const Shape& shape) {
    Input input = array.input();
    input.view = stretched(input.view, shape);
    return input;
  }

  const Fused& fused_;
  Extents lengths_;            ///< of values
  std::vector<size_t> order_;  ///< their axes in the group's space
  Device& device_;
  const bool on_host_;
  std::vector<Array> values_;
};

/// `value`, stretched, to where `target` lies in memory of the host.
void write(const Array& value, const View& target, char* to) {
  const auto* from = static_cast<const char*>(value.data_for_read());
  if (value.shape() == target.shape && is_contiguous(target, value.itemsize())) std::memcpy(to + target.offset, from, value.nbytes());
  else copy_elements(target.shape, to + target.offset, target.strides, from, stretched({value.shape(), value.strides()}, target.shape).strides, value.itemsize());
}

}  // namespace

bool are_few(int64_t elements, const Device& device) {
  return elements <= (runs_on_host(device) ? most_elements : most_beside_host) && first_sight.load(std::memory_order_relaxed) != FirstSight::never &&
         few_at_once.load(std::memory_order_relaxed);
}

const char* needs_kernel(const Fused& fused, Device& device) {
  const Group& group = fused.group;
  const Extents& lengths = fused.space.lengths;
  const bool on_host = runs_on_host(device);
  const int64_t most = on_host ? most_elements : most_beside_host;
  if (fused.space.size() > most) return "it has many elements";
  if (first_sight.load(std::memory_order_relaxed) == FirstSight::never || !few_at_once.load(std::memory_order_relaxed)) return "a test wants it";
  if (group.scan) return "it is a scan";
  if (fused.parts > 1) return "its parts are reduced side by side";
  if (group.joins_results) return "it joins parts of a reduction";
  int operations = group.is_reduce;
  for (const Instruction& x : group.values) {
    operations += x.kind == Instruction::apply || (x.kind == Instruction::cast && x.dtype != group.values[x.in[0]].dtype);
    if (x.kind == Instruction::gather) return "it reads elements at indices";
    if (on_host && (!is_carried(x.dtype) || (x.kind == Instruction::apply && !is_carried(x.compute)))) return "the library brings no operations of its dtypes along";
  }
  if (operations < 2) return "it is a single operation";
  const Walk* walk = fused.space.walks.data() + group.walks_result() + group.loads.size();
  for (size_t k = 0; k < group.aranges.size(); ++k)
    if (const int64_t end = end_of(*walk++, lengths); end < 0 || end > most) return "a range of numbers is long";
  for (const Fused::Random& leaf : fused.randoms)
    if (leaf.node->size() > most) return "an array of random numbers is long";
  return nullptr;
}

bool is_for_operations(const Fused& fused, Device& device) {
  if (Recorder::current() || KernelsThatAreThere::stand() || needs_kernel(fused, device)) return false;
  return first_sight.load(std::memory_order_relaxed) == FirstSight::always || does_without_kernel(fused, device);
}

bool run_by_operations(const Fused& fused, Buffer& to) {
  const KernelsThatAreThere kernels;  // also the groups of single operations do not come here again
  const Array result = Operations(fused, to.device()).run();
  View target{result.shape(), contiguous_strides(result.shape(), result.itemsize()), 0};
  if (!fused.group.is_reduce) target = {fused.space.lengths, fused.space.walks[0].strides, fused.space.walks[0].offset};
  if (fused.group.walks_numbers)
    for (size_t d = 0; d < fused.group.kept_rank; ++d)
      target.strides[d] = fused.space.walks.back().strides[d] * info(fused.group.reduce_op).n_numbers() * static_cast<int64_t>(result.itemsize());
  if (runs_on_host(to.device())) {
    result.buffer();
  } else if (fused.group.is_reduce && !fused.group.walks_numbers) {
    to.device().copy(to.memory(), result.buffer()->memory(), result.nbytes(), to.device().current_stream());
  } else {
    Input value = result.input();
    value.view = stretched(value.view, target.shape);
    evaluate_into(value, to, target, result.dtype());
  }
  if (!kernels.were_enough()) return false;
  if (runs_on_host(to.device())) write(result, target, static_cast<char*>(to.memory()));
  stats().groups_by_operations.fetch_add(1, std::memory_order_relaxed);
  return true;
}

}  // namespace kasoku
