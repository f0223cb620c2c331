#include "kasoku/array/first_sight.h"

#include "kasoku/array/array.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/run.h"
#include "kasoku/compile/backends.h"
#include "kasoku/compile/stats.h"

#include <algorithm>
#include <cstring>

namespace kasoku {

std::atomic<bool> at_first_sight{true};

namespace {

/// Operations on so many elements take less than a compiler, which takes 15 to 90 ms.
constexpr int64_t most_elements = 16384;
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

/// A group's values, one after the other, each an array over the group's space on the host. As in the group's text, 16-bit
/// floats are 32-bit ones that are rounded after each operation.
class Operations {
 public:
  explicit Operations(const Fused& fused) : fused_(fused), lengths_(fused.space.lengths), host_(device("cpu")) {}

  Array run() {
    for (const Instruction& x : group().values) values_.push_back(value(x));
    const Array& last = values_.back();
    if (!group().is_reduce) return converted(last, group().store_dtype);
    const Array result = reduced(last);
    return info(group().reduce_op).keeps_position() ? result : converted(result, group().accumulate);
  }

 private:
  const Group& group() const { return fused_.group; }
  const Walk& walk_of_load(size_t k) const { return fused_.space.walks[k + !group().is_reduce]; }
  const Walk& walk_of_arange(size_t k) const { return walk_of_load(group().loads.size() + k); }
  const Walk& walk_of_random(size_t k) const { return walk_of_arange(group().aranges.size() + k); }

  static Array converted(const Array& x, Dtype dtype) {
    if (x.dtype() == dtype) return x;
    const Array result = astype(x, dtype);
    result.data_for_read();
    return result;
  }
  static Array rounded(const Array& x, Dtype dtype) { return converted(converted(x, dtype), register_dtype(dtype)); }

  Array value(const Instruction& x) {
    const Dtype held = register_dtype(x.dtype);
    switch (x.kind) {
      case Instruction::load: return converted(loaded(x.index), held);
      case Instruction::scalar: {
        alignas(16) char number[16];
        store_rounded(fused_.scalars[x.index], x.dtype, number);
        return full({1}, Scalar::load(held, number), held, host_);
      }
      case Instruction::arange: {
        const Walk& walk = walk_of_arange(x.index);
        const Expression& leaf = *fused_.aranges[x.index];
        return rounded(drawn(arange(leaf.start, leaf.step, end_of(walk, lengths_), held, host_), walk), x.dtype);
      }
      case Instruction::random: {
        const Fused::Random& leaf = fused_.randoms[x.index];
        return drawn(Array::of(make_node({leaf.node->size()}, x.dtype, host_, *leaf.expression)), walk_of_random(x.index));
      }
      case Instruction::apply: return info(x.dtype).kind == DtypeKind::floating ? rounded(applied(x), x.dtype) : applied(x);
      default: return group().values[x.in[0]].dtype == x.dtype ? values_[x.in[0]] : rounded(converted(values_[x.in[0]], held), x.dtype);
    }
  }

  Array loaded(size_t k) const {
    const Node& node = *fused_.loads[k];
    return seen(static_cast<const char*>(node.storage->buffer->memory()), walk_of_load(k), node.dtype);
  }

  /// An array that is computed from its elements' numbers.
  Array drawn(const Array& leaf, Walk walk) const {
    const auto itemsize = static_cast<int64_t>(leaf.itemsize());
    walk.offset *= itemsize;
    for (int64_t& stride : walk.strides) stride *= itemsize;
    return seen(static_cast<const char*>(leaf.data_for_read()), walk, leaf.dtype());
  }

  /// What the walk meets, one element behind the other; a single one has the shape of a number.
  Array seen(const char* memory, const Walk& walk, Dtype dtype) const {
    const bool is_single = std::ranges::all_of(walk.strides, [](int64_t stride) { return stride == 0; });
    const Shape shape = is_single ? Shape{1} : lengths_;
    const Array result = Array::empty(shape, dtype, host_);
    copy_elements(shape, static_cast<char*>(result.data()), result.strides(), memory + walk.offset, is_single ? Extents{0} : walk.strides, result.itemsize());
    return result;
  }

  /// Numbers have the shape (1,), and so has what is computed of nothing else.
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
    if (std::optional<Array> result = apply_directly(x.op, types, {pointers, arity}, shape, host_)) return *result;
    Expression expression;
    expression.kind = Expression::elementwise;
    expression.op = x.op;
    expression.compute = types.compute;
    for (size_t i = 0; i < arity; ++i) {
      const Array& operand = *operands[i].array;  // a number is one for the kernel too
      expression.inputs.push_back(stretched_input(operand.shape() == shape ? operand : full({1}, Scalar::load(operand.dtype(), operand.data_for_read()), operand.dtype(), host_), shape));
    }
    return at_once(make_node(shape, types.result, host_, std::move(expression)));
  }

  Array reduced(const Array& elements) const {
    std::vector<uint8_t> is_reduced(lengths_.size());
    std::fill(is_reduced.begin() + group().kept_rank, is_reduced.end(), uint8_t{1});
    Shape kept(static_cast<size_t>(group().kept_rank));
    std::copy_n(lengths_.begin(), kept.size(), kept.begin());
    const Input input = stretched_input(elements, lengths_);
    const Array whole = Array::of(input.node, input.view, elements.dtype(), elements.itemsize(), true);
    const Dtype compute = register_dtype(group().accumulate);
    if (std::optional<Array> result = reduce_directly(group().reduce_op, compute, whole, is_reduced, kept)) return *result;
    Expression expression;
    expression.kind = Expression::reduce;
    expression.reduce_op = group().reduce_op;
    expression.is_reduced = std::move(is_reduced);
    expression.compute = compute;
    expression.inputs.push_back(whole.input());
    return at_once(make_node(kept, info(group().reduce_op).keeps_position() ? Dtype::int64 : compute, host_, std::move(expression)));
  }

  static Input stretched_input(const Array& array, const Shape& shape) {
    Input input = array.input();
    input.view = stretched(input.view, shape);
    return input;
  }

  static Array at_once(const NodePtr& node) {
    evaluate(node);
    return Array::of(node);
  }

  const Fused& fused_;
  const Extents& lengths_;
  Device& host_;
  std::vector<Array> values_;
};

/// `value`, stretched, to where `target` lies in memory of the host.
void write(const Array& value, const View& target, char* to) {
  const auto* from = static_cast<const char*>(value.data_for_read());
  if (value.shape() == target.shape && is_contiguous(target, value.itemsize())) std::memcpy(to + target.offset, from, value.nbytes());
  else copy_elements(target.shape, to + target.offset, target.strides, from, stretched({value.shape(), value.strides()}, target.shape).strides, value.itemsize());
}

thread_local bool runs_operations = false;  ///< their own groups wait for their kernels

}  // namespace

const char* needs_kernel(const Fused& fused, Device& device) {
  const Group& group = fused.group;
  const Extents& lengths = fused.space.lengths;
  if (fused.space.size() > most_elements) return "it has many elements";
  if (!at_first_sight.load(std::memory_order_relaxed) || !few_at_once.load(std::memory_order_relaxed)) return "a test wants it";
  if (!device.is_host() || takes_gpu_form(device)) return "its elements do not lie in memory of the host";
  if (group.scan) return "it is a scan";
  if (group.has_indices) return "it joins parts of a reduction";
  int operations = group.is_reduce;
  for (const Instruction& x : group.values) {
    operations += x.kind == Instruction::apply || (x.kind == Instruction::cast && x.dtype != group.values[x.in[0]].dtype);
    if (x.kind == Instruction::gather) return "it reads elements at indices";
    if (!is_carried(x.dtype) || (x.kind == Instruction::apply && !is_carried(x.compute))) return "the library brings no operations of its dtypes along";
  }
  if (operations < 2) return "it is a single operation";
  const Walk* walk = fused.space.walks.data() + !group.is_reduce + group.loads.size();
  for (size_t k = 0; k < group.aranges.size(); ++k)
    if (const int64_t end = end_of(*walk++, lengths); end < 0 || end > most_elements) return "a range of numbers is long";
  for (const Fused::Random& leaf : fused.randoms)
    if (leaf.node->size() > most_elements) return "an array of random numbers is long";
  return nullptr;
}

bool is_for_operations(const Fused& fused, Device& device) {
  return !runs_operations && !needs_kernel(fused, device) && does_without_kernel(fused, device);
}

void run_by_operations(const Fused& fused, Buffer& to) {
  stats().groups_by_operations.fetch_add(1, std::memory_order_relaxed);
  const Array result = [&] {
    struct Scope {
      Scope() { runs_operations = true; }
      ~Scope() { runs_operations = false; }
    } const scope;
    return Operations(fused).run();
  }();
  View target{result.shape(), contiguous_strides(result.shape(), result.itemsize()), 0};
  if (!fused.group.is_reduce) target = {fused.space.lengths, fused.space.walks[0].strides, fused.space.walks[0].offset};
  write(result, target, static_cast<char*>(to.memory()));
}

}  // namespace kasoku
