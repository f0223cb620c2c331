#include "kasoku/array/direct.h"

#include "kasoku/array/direct_kernels.h"
#include "kasoku/array/numbers.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/elements.h"
#include "kasoku/base/trace.h"
#include "kasoku/compile/stats.h"
#include "kasoku/device/replay.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace kasoku {

std::atomic<bool> few_at_once{true};

bool runs_at_once(const Device& device) {
  return device.is_host() && !takes_gpu_form(device) && few_at_once.load(std::memory_order_relaxed) && !Recorder::current();
}

bool runs_without_group() { return !keeps_groups && !KernelsThatAreThere::stand() && !is_traced(Station::plan); }

namespace {

/// How an operand comes to an operation: as long as the result, or a number.
enum class Form : uint8_t { unit, number };
constexpr size_t n_forms = 2;

/// The kernel of one operation. `result` is looked at: a row could give two for one dtype.
struct Kernel {
  std::atomic<Function*> function{nullptr};
  std::atomic<Dtype> result{};
};
Kernel kernels[n_ops][at_once::n_dtypes][n_forms * n_forms * n_forms];

Fused one_operation(Op op, const OpTypes& types, std::span<const Form> forms, Device& device) {
  Group group;
  Instruction result{.kind = Instruction::apply, .op = op, .dtype = types.result, .compute = types.compute};
  for (size_t i = 0; i < forms.size(); ++i) {
    const Dtype dtype = operand_dtype(op, i, types.compute);
    const bool is_number = forms[i] == Form::number;
    const size_t index = is_number ? group.scalars.size() : group.loads.size();
    if (is_number) group.scalars.push_back({dtype});
    else group.loads.push_back(dtype);
    group.values.push_back({.kind = is_number ? Instruction::scalar : Instruction::load, .dtype = dtype, .index = static_cast<uint16_t>(index)});
    result.in[i] = static_cast<uint16_t>(i);
  }
  group.values.push_back(result);
  return at_once::on_a_row(std::move(group), types.result, device);
}

/// What numbers among the operands adapt as, as digits of a number; 0 is an array.
constexpr size_t n_weak = 3;

/// By such a number: one more than the dtype in which an operation on arrays of one dtype (and numbers) is computed, as apply()
/// found when it ran one; 0: it has not.
std::atomic<uint8_t> alike[n_ops][at_once::n_dtypes][n_weak * n_weak];

size_t weak_of(const Plain& x) { return x.array ? 0 : x.number.kind == DtypeKind::floating ? 2 : 1; }

std::optional<Dtype> computed_in(Op op, Dtype dtype, size_t weak) {
  const uint8_t known = alike[static_cast<size_t>(op)][static_cast<size_t>(dtype)][weak].load(std::memory_order_relaxed);
  return known ? std::optional(static_cast<Dtype>(known - 1)) : std::nullopt;
}

/// An operation of one or two operands, arrays of one dtype (and numbers), whose kernel is known. While it lives it holds their memory.
class Known {
 public:
  Known(Op op, std::span<const Plain> operands) {
    if (!find_kernel(op, operands)) return;
    const Array::State& x = *model_;
    if (compute_ != x.dtype) at_once::cast_function(x.dtype, compute_, *x.device);
    for (size_t i = 0; i < operands.size(); ++i) {
      if (!states_[i]) continue;
      const Held& held = i > 0 && states_[i] == states_[0] ? *held_[0] : held_[i].emplace(*operands[i].array);
      if (!held) return;
      const char* const memory = held.memory();
      if (!is_number(i)) {
        sources_[i] = is_whole_[i] && states_[i]->is_contiguous && compute_ == x.dtype ? memory : taken(*states_[i], is_whole_[i], memory, apart_[i]);
        if (!sources_[i]) return;
      } else {
        if (compute_ != x.dtype) return;
        store_rounded(Scalar::load(compute_, memory), compute_, &numbers_[i]);
      }
    }
    count_ = operands.size();
  }
  explicit operator bool() const { return count_ > 0; }

  /// Whose dtype the operands have.
  const Array::State& model() const { return *model_; }
  /// Of the result, to which those stretch that are no numbers.
  const Shape& shape() const { return *shape_; }
  int64_t length() const { return length_; }
  Dtype result() const { return kernel_->result.load(std::memory_order_relaxed); }
  /// What it holds of an operand with this state; null if none has it.
  const Held* held(const Array::State& state) const {
    for (size_t i = 0; i < count_; ++i)
      if (states_[i] == &state) return &*held_[i];
    return nullptr;
  }

  void run(void* y, Device& device) {
    at_once::Arguments arguments(y, length_);
    for (size_t i = 0; i < count_; ++i)
      if (!is_number(i)) arguments.add(&sources_[i]);
    for (size_t i = 0; i < count_; ++i)
      if (is_number(i)) arguments.add(&numbers_[i]);
    arguments.launch(*function_, device);
  }

 private:
  /// The elements in C order, as many as the result's and computed in its dtype; null if they are not so and of another one.
  const char* taken(const Array::State& x, bool is_whole, const char* memory, char* apart) const {
    if (x.dtype != compute_) {
      if (!is_whole || !x.is_contiguous) return nullptr;
      at_once::cast(apart, memory, x.dtype, compute_, length_, *x.device);
      return apart;
    }
    const Elements elements{shape_->data(), shape_->size(), x.itemsize};
    const Strides steps = is_whole ? x.view.strides : stretched(x.view, *shape_).strides;
    elements.copy(apart, contiguous_strides(*shape_, x.itemsize).data(), memory, steps.data());
    return apart;
  }

  bool is_number(size_t i) const { return forms_[i] == Form::number; }

  bool find_kernel(Op op, std::span<const Plain> operands) {
    size_t weak = 0;
    for (size_t i = 0; i < operands.size(); ++i) {
      weak = weak * n_weak + weak_of(operands[i]);
      if (!operands[i].array) continue;
      const Array::State& x = operands[i].array->state();
      if (x.number) continue;
      states_[i] = &x;
      if (!model_) model_ = &x;
    }
    if (!model_) return false;
    const Array::State& x = *model_;
    const std::optional<Dtype> compute = computed_in(op, x.dtype, weak);
    if (!compute) return false;
    compute_ = *compute;
    shape_ = &x.view.shape;
    for (size_t i = 0; i < operands.size(); ++i) {
      const Plain& each = operands[i];
      if (each.array) {
        const Array::State& other = each.array->state();
        if (&other == model_) continue;
        if (other.dtype != x.dtype || other.device != x.device) return false;
        if (other.number) store_rounded(*other.number, compute_, &numbers_[i]);
        else if (other.view.shape != *shape_) shape_ = &stretched_.emplace(broadcast(*shape_, other.view.shape));
      } else {
        if (each.number.kind != DtypeKind::floating && !(fits(each.number, x.dtype) && fits(each.number, compute_))) return false;
        store_rounded(each.number, compute_, &numbers_[i]);
      }
    }
    length_ = product(*shape_);
    const bool has_axes_or_memory = !shape_->empty() || !x.is_read_only;  // else it gives a value
    if (!has_axes_or_memory || !at_once::is_for_now(length_, compute_, *x.device)) return false;
    size_t which = 0;
    for (size_t i = 0; i < operands.size(); ++i) {
      forms_[i] = Form::number;
      if (states_[i]) {
        const Shape& own = states_[i]->view.shape;
        is_whole_[i] = !stretched_ || own == *shape_;
        if (is_whole_[i] || product(own) != 1) forms_[i] = Form::unit;
        if (!is_whole_[i] && !is_number(i) && length_ > at_once::few_to_spread) return false;
      }
      which = which * n_forms + static_cast<size_t>(forms_[i]);
    }
    kernel_ = &kernels[static_cast<size_t>(op)][static_cast<size_t>(compute_)][which];
    function_ = kernel_->function.load(std::memory_order_acquire);
    return function_;
  }

  static constexpr size_t most = 2;
  const Array::State* model_ = nullptr;
  const Array::State* states_[most] = {};  ///< null of numbers
  std::optional<Held> held_[most];         ///< of what has another state than the first
  const char* sources_[most];
  at_once::Number numbers_[most];
  Form forms_[most];
  bool is_whole_[most];  ///< as long as the result, in all axes
  Dtype compute_{};
  size_t count_ = 0;
  const Shape* shape_;
  std::optional<Shape> stretched_;  ///< where no operand has the result's
  int64_t length_;
  const Kernel* kernel_;
  Function* function_;
  alignas(64) char apart_[most][few_bytes];  ///< operands that do not lie in C order, stretch, or are of another dtype
};

/// Whether no element is negative, if it can be told at once.
bool is_nowhere_negative(const Array& array) {
  if (const std::optional<Scalar>& number = array.state().number) return number->as_int() >= 0;
  alignas(16) char least[16];
  Dtype dtype;
  return reduce_again(ReduceOp::min, array, least, dtype) && Scalar::load(dtype, least).as_int() >= 0;
}

/// A power by a number may be a simpler operation, of one operand. False for what apply() alone knows: of another dtype than its
/// operand's, or refused.
bool simplify_power(Op& op, std::span<const Plain>& operands) {
  if (op != Op::power) [[likely]] return true;
  const Array *const base = operands[0].array, *const exponent = operands[1].array;
  if (exponent) return !base || !is_integer(base->dtype()) || is_nowhere_negative(*exponent);
  const Dtype dtype = base->dtype();
  const Scalar& by = operands[1].number;
  if (by.imaginary == 0 && (is_floating(dtype) || by.kind != DtypeKind::floating)) op = power_by(by.as_double(), dtype);
  if (op == Op::power) return true;
  operands = operands.first(1);
  return computed_in(op, dtype, 0) == dtype;  // a bool's square is an int8, its power is not
}

/// The one element of an array of no axes that is at hand.
[[gnu::noinline]] bool read_number(const Array& array, Scalar& number) {
  const Array::State& x = array.state();
  const Held held(array);
  if (!held || x.dtype == Dtype::opaque || Recorder::current()) return false;
  number = Scalar::load(x.dtype, held.memory());
  return true;
}

/// By the kernel of arrays; false if no such operands have needed it yet.
bool compute_by_kernel(Op op, Dtype dtype, std::span<const Plain> operands, const Scalar* const* numbers, Device& device, Value& y) {
  if (!at_once::is_for_now(1, dtype, device) || (operands.back().array && !simplify_power(op, operands))) return false;
  size_t which = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].array && operand_dtype(op, i, dtype) != dtype) return false;
    which = which * n_forms + static_cast<size_t>(operands[i].array ? Form::unit : Form::number);
  }
  const Kernel& kernel = kernels[static_cast<size_t>(op)][static_cast<size_t>(dtype)][which];
  Function* const function = kernel.function.load(std::memory_order_acquire);
  if (!function) return false;
  at_once::Number stored[2], result;
  void *sources[] = {&stored[0], &stored[1]}, *to = &result;
  int64_t length = 1;
  at_once::Arguments arguments(to, length);
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i].array) {
      numbers[i]->store(dtype, &stored[i]);
      arguments.add(&sources[i]);
    }
  for (size_t i = 0; i < operands.size(); ++i)
    if (!operands[i].array) {
      store_rounded(*numbers[i], operand_dtype(op, i, dtype), &stored[i]);
      arguments.add(&stored[i]);
    }
  arguments.launch(*function, device);
  y.dtype = kernel.result.load(std::memory_order_relaxed);
  y.number = Scalar::load(y.dtype, &result);
  return true;
}

}  // namespace

bool compute_again(Op op, std::span<const Plain> operands, Value& y) {
  for (const Plain& each : operands)
    if (each.array && !each.array->state().view.shape.empty()) return false;
  if (!operands.back().array && !simplify_power(op, operands)) return false;
  const Array::State* model = nullptr;
  bool are_alike = true;
  Typed typed[2];
  const Scalar* numbers[2];
  Scalar read[2];
  size_t weak = 0;
  bool is_element = true;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Plain& each = operands[i];
    weak = weak * n_weak + weak_of(each);
    numbers[i] = &each.number;
    if (!each.array) continue;
    const Array::State& x = each.array->state();
    if (model && model->device != x.device) return false;
    are_alike &= !model || model->dtype == x.dtype;
    typed[i] = {x.dtype};
    model = &x;
    if (x.number) [[likely]] {
      numbers[i] = &*x.number;
      continue;
    }
    if (!read_number(*each.array, read[i])) return false;
    numbers[i] = &read[i];
    is_element &= x.is_read_only;
  }
  const std::optional<Dtype> compute = are_alike ? computed_in(op, model->dtype, weak) : op_types(op, typed).compute;
  if (!compute || !few_at_once.load(std::memory_order_relaxed)) return false;
  const Dtype dtype = *compute;
  if (!are_alike && is_floating(dtype) && is_integer(typed[0].dtype) && is_integer(typed[1].dtype)) return false;  // compared by their signs
  const auto is_within = [&](const Scalar& x) { return static_cast<uint64_t>(x.i) < 128 || fits(x, dtype); };  // 127 fits into each
  if (weak % n_weak == 1 && !is_within(*numbers[operands.size() - 1])) return false;
  if (weak / n_weak == 1 && !is_within(*numbers[0])) return false;
  if (compute_number(op, dtype, numbers, y.number)) y.dtype = y.number.kind == DtypeKind::boolean ? Dtype::bool_ : dtype;
  else if (!are_alike || dtype != model->dtype || !compute_by_kernel(op, dtype, operands, numbers, *model->device, y)) return false;
  y.device = model->device;
  y.is_element = is_element;
  return true;
}

Array Value::array() const {
  if (is_element) return Array::of(number, dtype, *device);
  const size_t itemsize = info(dtype).size;
  auto storage = Storage::allocate(*device, itemsize);
  number.store(dtype, storage->buffer->memory());
  return Array::of(std::move(storage), {}, dtype, itemsize);
}

Array apply_again(Op op, std::span<const Plain> operands) {
  if (!simplify_power(op, operands)) return {};
  Known known(op, operands);
  if (!known) return {};
  const Array::State& x = known.model();
  const size_t itemsize = info(known.result()).size;
  auto result = Storage::allocate(*x.device, static_cast<size_t>(known.length()) * itemsize);
  known.run(result->buffer->memory(), *x.device);
  return Array::of(std::move(result), known.shape(), known.result(), itemsize);
}

bool apply_again_into(const Array& out, Op op, std::span<const Plain> operands) {
  if (!simplify_power(op, operands)) return false;
  const Array::State& x = out.state();
  Known known(op, operands);
  if (!known || known.result() != x.dtype || known.shape() != x.view.shape) return false;
  const Held* to = known.held(x);
  std::optional<Held> own;
  if (!to) to = &own.emplace(out);
  if (!to->may_be_written()) return false;
  alignas(64) char result[few_bytes];  // the operands may overlap
  known.run(result, *x.device);
  const Elements elements{x.view.shape.data(), x.view.shape.size(), x.itemsize};
  if (x.is_contiguous)
    std::memcpy(to->memory(), result, elements.bytes());
  else
    elements.copy(to->memory(), x.view.strides.data(), result, contiguous_strides(x.view.shape, x.itemsize).data());
  return true;
}

void expect_again(Op op, const OpTypes& types, std::span<const Operand* const> operands) {
  if (operands.size() > 2) return;
  std::optional<Dtype> dtype;
  size_t weak = 0;
  for (const Operand* x : operands) {
    if (x->array ? dtype.value_or(x->array->dtype()) != x->array->dtype() : x->weak == Weak::complex_) return;
    if (x->array) dtype = x->array->dtype();
    weak = weak * n_weak + (x->array ? 0 : x->weak == Weak::floating ? 2 : 1);
  }
  if (op == Op::power && weak) return;  // its numbers decide what it is
  alike[static_cast<size_t>(op)][static_cast<size_t>(*dtype)][weak].store(static_cast<uint8_t>(static_cast<size_t>(types.compute) + 1), std::memory_order_relaxed);
}

std::optional<Array> apply_directly(Op op, const OpTypes& types, std::span<const Operand* const> operands,
                                    const Shape& shape, Device& device) {
  const int64_t n = product(shape);
  if (!at_once::is_for_now(n, types.compute, device)) return std::nullopt;
  at_once::Source sources[at_once::most_operands];
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i]->array && !sources[i].find(*operands[i]->array, shape)) return std::nullopt;
  Form forms[at_once::most_operands];
  at_once::Number numbers[at_once::most_operands];
  size_t which = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Dtype dtype = operand_dtype(op, i, types.compute);
    forms[i] = Form::number;
    if (!operands[i]->array) {
      store_rounded(operands[i]->scalar, dtype, &numbers[i]);
    } else if (const Array& x = *operands[i]->array; x.size() == 1 && x.shape() != shape) {
      sources[i].convert(x.dtype(), dtype, 1, device);
      store_rounded(Scalar::load(dtype, sources[i].memory), dtype, &numbers[i]);
    } else {
      sources[i].spread(x, shape, device);
      sources[i].convert(x.dtype(), dtype, n, device);
      forms[i] = Form::unit;
    }
    which = which * n_forms + static_cast<size_t>(forms[i]);
  }
  Kernel& kernel = kernels[static_cast<size_t>(op)][static_cast<size_t>(types.compute)][which];
  Function& function = at_once::found(kernel.function, device, [&] {
    kernel.result.store(types.result);
    return one_operation(op, types, {forms, operands.size()}, device);
  });
  if (kernel.result.load(std::memory_order_relaxed) != types.result) return std::nullopt;
  const size_t itemsize = info(types.result).size;
  auto result = Storage::allocate(device, static_cast<size_t>(n) * itemsize);
  void* y = result->buffer->memory();
  int64_t length = n;
  at_once::Arguments arguments(y, length);
  for (size_t i = 0; i < operands.size(); ++i)
    if (forms[i] != Form::number) arguments.add(&sources[i].memory);
  for (size_t i = 0; i < operands.size(); ++i)
    if (forms[i] == Form::number) arguments.add(&numbers[i]);
  arguments.launch(function, device);
  return Array::of(std::move(result), shape, types.result, itemsize);
}

bool compute_alone(const Expression& expression, const Node& node, Buffer& to) {
  const size_t count = expression.inputs.size();
  const int64_t n = node.size();
  Device& device = *node.device;
  const bool is_for_here = expression.kind == Expression::elementwise && count <= at_once::most_operands && n <= most_alone && runs_at_once(device) && runs_without_group();
  if (!is_for_here) return false;
  const void* sources[at_once::most_operands];
  Form forms[at_once::most_operands];
  at_once::Number numbers[at_once::most_operands];
  size_t which = 0;
  bool has_array = false;
  for (size_t i = 0; i < count; ++i) {
    const auto& [source, view] = expression.inputs[i];
    if (source->dtype != operand_dtype(expression.op, i, expression.compute)) return false;
    if (source->is_done()) {
      if (!is_contiguous(view, source->itemsize)) return false;
      sources[i] = static_cast<const char*>(source->storage->buffer->memory()) + view.offset;
      forms[i] = Form::unit;
      has_array = true;
    } else {
      const auto pending = source->expression.load();
      if (!pending || pending->kind != Expression::constant) return false;
      store_rounded(pending->start, source->dtype, &numbers[i]);
      forms[i] = Form::number;
    }
    which = which * n_forms + static_cast<size_t>(forms[i]);
  }
  if (!has_array) return false;
  Kernel& kernel = kernels[static_cast<size_t>(expression.op)][static_cast<size_t>(expression.compute)][which];
  Function& function = at_once::found(kernel.function, device, [&] {
    kernel.result.store(node.dtype);
    return one_operation(expression.op, {expression.compute, node.dtype}, {forms, count}, device);
  });
  if (kernel.result.load(std::memory_order_relaxed) != node.dtype) return false;
  void* y = to.memory();
  int64_t length = n;
  at_once::Arguments arguments(y, length);
  for (size_t i = 0; i < count; ++i)
    if (forms[i] == Form::unit) arguments.add(&sources[i]);
  for (size_t i = 0; i < count; ++i)
    if (forms[i] == Form::number) arguments.add(&numbers[i]);
  stats().groups_by_kernel.fetch_add(1, std::memory_order_relaxed);
  arguments.launch(function, device);
  return true;
}

}  // namespace kasoku
