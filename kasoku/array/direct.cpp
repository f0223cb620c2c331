#include "kasoku/array/direct.h"

#include "kasoku/array/elements.h"
#include "kasoku/array/numbers.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/run.h"
#include "kasoku/array/shape.h"
#include "kasoku/array/state.h"
#include "kasoku/base/blocking.h"
#include "kasoku/base/rounding.h"
#include "kasoku/base/trace.h"
#include "kasoku/codegen/scan_text.h"
#include "kasoku/compile/stats.h"
#include "kasoku/device/module.h"
#include "kasoku/device/replay.h"
#include "kasoku/device/stream.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <numeric>

namespace kasoku {

std::atomic<bool> few_at_once{true};

bool runs_at_once(const Device& device) {
  return device.is_host() && !takes_gpu_form(device) && few_at_once.load(std::memory_order_relaxed) && !Recorder::current();
}

namespace {

/// How an operand comes to an operation: as long as the result, or a number.
enum class Form : uint8_t { unit, number };
constexpr size_t n_forms = 2, most_operands = 3;
constexpr size_t n_dtypes = std::size(dtype_table);

/// The kernel of one operation. `result` is looked at: a row could give two for one dtype.
struct Kernel {
  std::atomic<Function*> function{nullptr};
  std::atomic<Dtype> result{};
};
Kernel kernels[n_ops][n_dtypes][n_forms * n_forms * n_forms];

Fused on_a_row(Group group, Dtype store, Device& device) {
  Fused fused;
  group.store_dtype = store;
  group.is_simt = takes_gpu_form(device);
  fused.group = std::move(group);
  fused.space.lengths = {few_elements};
  fused.group.inner.assign(fused.group.loads.size() + !fused.group.is_reduce, Inner::unit);
  return fused;
}

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
  return on_a_row(std::move(group), types.result, device);
}

Fused one_cast(Dtype from, Dtype to, Device& device) {
  Group group;
  group.loads.push_back(from);
  group.values.push_back({.kind = Instruction::load, .dtype = from});
  group.values.push_back({.kind = Instruction::cast, .dtype = to});
  return on_a_row(std::move(group), to, device);
}

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
  return on_a_row(std::move(group), Dtype{}, device);
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
  return on_a_row(std::move(group), compute, device);
}

/// The function in `place`, which is found once.
template <class Make>
Function& found(std::atomic<Function*>& place, Device& device, Make&& make) {
  if (Function* function = place.load(std::memory_order_acquire)) return *function;
  const Blocking others_go_on;
  Function& function = group_kernel(make(), device);
  place.store(&function, std::memory_order_release);
  return function;
}

/// The parameters of codegen/group.h: y (and positions), loads, numbers; then total and chunk, or lengths, strides in
/// bytes but for the innermost axis, pairs, per_block, chunks, first_chunk, length, and of columns how many are taken at once.
class Arguments {
 public:
  Arguments(void*& y, int64_t& length) : length_(&length) { add(&y); }
  void add(void* value) { pointers_[count_++] = value; }
  void launch(Function& function, Device& device) {
    for (int64_t* each : {length_, length_}) add(each);
    function.launch_one(pointers_, device.current_stream());
  }
  void launch_reduction(Function& function, int64_t pairs, int64_t width, Device& device) {
    for (int64_t* each : {&pairs, &pairs, &one_, &zero_, length_, &width}) add(each);
    function.launch_one(pointers_, device.current_stream());
  }
  void launch_scan(Function& function, int64_t rows, int64_t chunk, void* before, Device& device) {
    for (int64_t* each : {&rows, &rows, &one_, length_, &chunk}) add(each);
    add(&before);
    function.launch_one(pointers_, device.current_stream());
  }

 private:
  static constexpr size_t most = 9 + 2 * most_operands;
  void* pointers_[most];
  size_t count_ = 0;
  int64_t* length_;
  int64_t one_ = 1, zero_ = 0;
};

/// To be found before memory is held, as cast() finds it: while it is compiled other threads go on, and may wait for what is held.
Function& cast_function(Dtype from, Dtype to, Device& device) {
  static std::atomic<Function*> casts[n_dtypes][n_dtypes];
  return found(casts[static_cast<size_t>(from)][static_cast<size_t>(to)], device, [&] { return one_cast(from, to, device); });
}

/// n elements in C order as another dtype.
void cast(void* y, const char* memory, Dtype from, Dtype to, int64_t n, Device& device) {
  Arguments arguments(y, n);
  arguments.add(&memory);
  arguments.launch(cast_function(from, to, device), device);
}

/// More are put in order or stretched by a graph's kernel, which reads them where they are.
constexpr int64_t few_to_spread = 1024;

/// An operand's elements, of the dtype that the operation takes and one behind the other.
struct Source {
  std::shared_ptr<Buffer> keep;  ///< another thread may give the array another buffer
  const char* memory = nullptr;
  bool is_constant = false;  ///< the same number everywhere, which needs no memory of its own
  alignas(16) char number[16];

  /// False: it is pending, or many elements would have to be put in order first for `shape`. One number everywhere takes no
  /// kernel to be there.
  bool find(const Array& array, const Shape& shape) {
    if (array.dtype() == Dtype::opaque) return false;
    keep = array.buffer_if_computed();
    if (!keep) {
      const std::optional<Scalar> everywhere = array.number();
      is_constant = everywhere.has_value();
      if (is_constant) everywhere->store(array.dtype(), number);
      memory = number;
      return is_constant;
    }
    memory = static_cast<const char*>(keep->memory()) + array.offset();
    return array.size() == 1 || product(shape) <= few_to_spread || (array.is_contiguous() && array.shape() == shape);
  }

  /// In C order, stretched to `shape`.
  void spread(const Array& array, const Shape& shape, Device& device) {
    if (!is_constant && array.is_contiguous() && array.shape() == shape) return;
    auto apart = Buffer::allocate(device, static_cast<size_t>(product(shape)) * array.itemsize());
    spread_into(apart->memory(), array, shape);
    take(std::move(apart));
  }

  void spread_into(void* y, const Array& array, const Shape& shape) const {
    const Strides to = contiguous_strides(shape, array.itemsize());
    const Strides from = is_constant ? Strides(shape.size(), 0) : stretched(array.state().view, shape).strides;
    Elements{shape.data(), shape.size(), array.itemsize()}.copy(static_cast<char*>(y), to.data(), memory, from.data());
  }

  void convert(Dtype from, Dtype to, int64_t n, Device& device) {
    if (from == to) return;
    auto apart = Buffer::allocate(device, static_cast<size_t>(n) * info(to).size);
    convert_into(apart->memory(), from, to, n, device);
    take(std::move(apart));
  }

  void convert_into(void* y, Dtype from, Dtype to, int64_t n, Device& device) { cast(y, memory, from, to, n, device); }

 private:
  void take(std::shared_ptr<Buffer> apart) {
    keep = std::move(apart);
    memory = static_cast<const char*>(keep->memory());
  }
};

/// Whether operations on arrays of so many elements of that dtype run at once there.
bool is_for_now(int64_t n, Dtype dtype, const Device& device) {
  return n > 0 && n <= few_elements && static_cast<size_t>(n) * info(dtype).size <= few_bytes && runs_at_once(device);
}

struct alignas(16) Number {
  uint64_t words[2];
};

/// What numbers among the operands adapt as, as digits of a number; 0 is an array.
constexpr size_t n_weak = 3;

/// By such a number: one more than the dtype in which an operation on arrays of one dtype (and numbers) is computed, as apply()
/// found when it ran one; 0: it has not.
std::atomic<uint8_t> alike[n_ops][n_dtypes][n_weak * n_weak];

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
    if (compute_ != x.dtype) cast_function(x.dtype, compute_, *x.device);
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
    Arguments arguments(y, length_);
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
      cast(apart, memory, x.dtype, compute_, length_, *x.device);
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
    if (!has_axes_or_memory || !is_for_now(length_, compute_, *x.device)) return false;
    size_t which = 0;
    for (size_t i = 0; i < operands.size(); ++i) {
      forms_[i] = Form::number;
      if (states_[i]) {
        const Shape& own = states_[i]->view.shape;
        is_whole_[i] = !stretched_ || own == *shape_;
        if (is_whole_[i] || product(own) != 1) forms_[i] = Form::unit;
        if (!is_whole_[i] && !is_number(i) && length_ > few_to_spread) return false;
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
  Number numbers_[most];
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
  if (!is_for_now(1, dtype, device) || (operands.back().array && !simplify_power(op, operands))) return false;
  size_t which = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].array && operand_dtype(op, i, dtype) != dtype) return false;
    which = which * n_forms + static_cast<size_t>(operands[i].array ? Form::unit : Form::number);
  }
  const Kernel& kernel = kernels[static_cast<size_t>(op)][static_cast<size_t>(dtype)][which];
  Function* const function = kernel.function.load(std::memory_order_acquire);
  if (!function) return false;
  Number stored[2], result;
  void *sources[] = {&stored[0], &stored[1]}, *to = &result;
  int64_t length = 1;
  Arguments arguments(to, length);
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
  if (!is_for_now(n, types.compute, device)) return std::nullopt;
  Source sources[most_operands];
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i]->array && !sources[i].find(*operands[i]->array, shape)) return std::nullopt;
  Form forms[most_operands];
  Number numbers[most_operands];
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
  Function& function = found(kernel.function, device, [&] {
    kernel.result.store(types.result);
    return one_operation(op, types, {forms, operands.size()}, device);
  });
  if (kernel.result.load(std::memory_order_relaxed) != types.result) return std::nullopt;
  const size_t itemsize = info(types.result).size;
  auto result = Storage::allocate(device, static_cast<size_t>(n) * itemsize);
  void* y = result->buffer->memory();
  int64_t length = n;
  Arguments arguments(y, length);
  for (size_t i = 0; i < operands.size(); ++i)
    if (forms[i] != Form::number) arguments.add(&sources[i].memory);
  for (size_t i = 0; i < operands.size(); ++i)
    if (forms[i] == Form::number) arguments.add(&numbers[i]);
  arguments.launch(function, device);
  return Array::of(std::move(result), shape, types.result, itemsize);
}

namespace {

/// So many elements are not worth a second thread.
constexpr int64_t most_alone = 32768;

}  // namespace

bool compute_alone(const Expression& expression, const Node& node, Buffer& to) {
  const size_t count = expression.inputs.size();
  const int64_t n = node.size();
  Device& device = *node.device;
  const bool is_for_here = expression.kind == Expression::elementwise && count <= most_operands && n <= most_alone && runs_at_once(device) && !keeps_groups &&
                           !KernelsThatAreThere::stand() && !is_traced(Station::plan);
  if (!is_for_here) return false;
  const void* sources[most_operands];
  Form forms[most_operands];
  Number numbers[most_operands];
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
  Function& function = found(kernel.function, device, [&] {
    kernel.result.store(node.dtype);
    return one_operation(expression.op, {expression.compute, node.dtype}, {forms, count}, device);
  });
  if (kernel.result.load(std::memory_order_relaxed) != node.dtype) return false;
  void* y = to.memory();
  int64_t length = n;
  Arguments arguments(y, length);
  for (size_t i = 0; i < count; ++i)
    if (forms[i] == Form::unit) arguments.add(&sources[i]);
  for (size_t i = 0; i < count; ++i)
    if (forms[i] == Form::number) arguments.add(&numbers[i]);
  stats().groups_by_kernel.fetch_add(1, std::memory_order_relaxed);
  arguments.launch(function, device);
  return true;
}

std::optional<Array> count_directly(const Shape& shape, const Scalar& start, const Scalar& step, Dtype dtype, Device& device) {
  const int64_t n = product(shape);
  const bool is_constant = step == Scalar::of(0);
  if (dtype == Dtype::opaque || !is_for_now(n, dtype, device) || !(is_constant || dtype == Dtype::int64 || dtype == Dtype::float64)) return std::nullopt;
  const size_t itemsize = info(dtype).size;
  auto result = Storage::allocate(device, static_cast<size_t>(n) * itemsize);
  char* const y = static_cast<char*>(result->buffer->memory());
  const auto count = [&](auto* to, auto first, auto by) {  // as emit.cpp has it
    for (int64_t i = 0; i < n; ++i) to[i] = first + static_cast<decltype(first)>(i) * by;
  };
  alignas(16) char number[16];
  if (is_constant) start.store(dtype, number);
  if (is_constant) Elements{&n, 1, itemsize}.copy(y, std::array{static_cast<int64_t>(itemsize)}.data(), number, nullptr);
  else if (dtype == Dtype::float64) count(reinterpret_cast<double*>(y), start.as_double(), step.as_double());
  else count(reinterpret_cast<uint64_t*>(y), static_cast<uint64_t>(start.as_int()), static_cast<uint64_t>(step.as_int()));
  return Array::of(std::move(result), shape, dtype, itemsize);
}

std::optional<Array> convert_directly(const Array& array, Dtype dtype) {
  Device& device = array.device();
  const int64_t n = array.size();
  if (!is_for_now(n, array.dtype(), device)) return std::nullopt;
  const size_t itemsize = info(dtype).size, bytes = static_cast<size_t>(n) * itemsize;
  std::optional<Held> held;
  if (dtype == array.dtype() && array.is_contiguous() && held.emplace(array)) {
    auto result = Storage::allocate(device, bytes);
    std::memcpy(result->buffer->memory(), held->memory(), bytes);
    return Array::of(std::move(result), array.shape(), dtype, itemsize);
  }
  held.reset();
  Source source;
  if (!source.find(array, array.shape())) return std::nullopt;
  if (dtype != array.dtype()) source.spread(array, array.shape(), device);
  auto result = Storage::allocate(device, bytes);
  if (dtype == array.dtype()) source.spread_into(result->buffer->memory(), array, array.shape());
  else source.convert_into(result->buffer->memory(), array.dtype(), dtype, n, device);
  return Array::of(std::move(result), array.shape(), dtype, itemsize);
}

bool convert_into(void* to, const Array& array, Dtype dtype) {
  const Array::State& x = array.state();
  const int64_t n = product(x.view.shape);
  if (!x.is_contiguous || x.dtype == Dtype::opaque || !is_for_now(n, x.dtype, *x.device)) return false;
  cast_function(x.dtype, dtype, *x.device);
  const Held held(array);
  if (held) cast(to, held.memory(), x.dtype, dtype, n, *x.device);
  return static_cast<bool>(held);
}

std::optional<Array> spread_directly(const Array& array, const View& view, const Shape& shape) {
  const Array::State& x = array.state();
  const Elements elements{view.shape.data(), view.shape.size(), x.itemsize};
  if (x.dtype == Dtype::opaque || !is_for_now(product(shape), x.dtype, *x.device)) return std::nullopt;
  const Held held(array);
  if (!held) return std::nullopt;
  auto result = Storage::allocate(*x.device, elements.bytes());
  elements.copy(static_cast<char*>(result->buffer->memory()), contiguous_strides(view.shape, x.itemsize).data(), static_cast<const char*>(held.buffer().memory()) + view.offset,
                view.strides.data());
  return Array::of(std::move(result), shape, x.dtype, x.itemsize);
}

namespace {

std::atomic<Function*> reductions[n_reductions][n_dtypes][n_dtypes][n_ways];

/// What all elements of a dtype are reduced in, and whether that is known. Where their truth is, they are made bools first.
struct WholeReduction {
  std::atomic<Dtype> compute{};
  std::atomic<bool> is_known{false};
};
WholeReduction whole_reductions[n_reductions][n_dtypes];

/// Elements that one tree joins are reduced by one thread in any case: of those in C order so many are as good as few.
bool is_tree_for_now(const Array& array) {
  const Array::State& x = array.state();
  const int64_t n = product(x.view.shape);
  return x.is_contiguous && n > 0 && n <= chunk_elements && x.dtype != Dtype::opaque && runs_at_once(*x.device);
}

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
  if (!known.is_known.load(std::memory_order_acquire) || !is_tree_for_now(array)) return false;
  const Dtype compute = known.compute.load(std::memory_order_relaxed);
  int64_t length = product(x.view.shape);
  const Dtype from = is_of_truth(op, compute) ? Dtype::bool_ : x.dtype;
  if (from != x.dtype) cast_function(x.dtype, from, *x.device);
  const Held held(array);
  const auto& place = reductions[static_cast<size_t>(op)][static_cast<size_t>(from)][static_cast<size_t>(compute)][static_cast<size_t>(Way::whole)];
  Function* const function = place.load(std::memory_order_acquire);
  if (!held || !function) return false;
  const bool gives_position = info(op).keeps_position();
  dtype = gives_position ? Dtype::int64 : compute;
  Number value;
  const char* memory = held.memory();
  char truths[chunk_elements];
  if (from != x.dtype) {
    cast(truths, memory, x.dtype, from, length, *x.device);
    memory = truths;
  }
  void* y = gives_position ? &value : result;
  Arguments arguments(y, length);
  if (gives_position) arguments.add(&result);
  arguments.add(&memory);
  arguments.add(&length);
  arguments.launch_reduction(*function, 1, 1, *x.device);
  return true;
}

Array reduce_again(ReduceOp op, const Array& array) {
  Number value;
  Dtype dtype;
  if (!reduce_again(op, array, &value, dtype)) return {};
  const size_t itemsize = info(dtype).size;
  auto result = Storage::allocate(array.device(), itemsize);
  std::memcpy(result->buffer->memory(), &value, itemsize);
  return Array::of(std::move(result), {}, dtype, itemsize);
}

std::optional<Array> reduce_directly(ReduceOp op, Dtype compute, const Array& array, std::span<const uint8_t> is_reduced, const Shape& shape) {
  Device& device = array.device();
  Source source;
  const Dtype wider = info(array.dtype()).size < info(compute).size ? compute : array.dtype();
  const bool is_whole = std::ranges::find(is_reduced, 0) == is_reduced.end();
  if (!(is_whole && is_tree_for_now(array)) && !is_for_now(array.size(), wider, device)) return std::nullopt;
  if (!source.find(array, array.shape())) return std::nullopt;
  const int numbers = info(op).n_numbers();
  int64_t outputs = product(shape) / numbers, length = array.size() / outputs;
  const bool are_last_kept = std::ranges::is_sorted(is_reduced, std::greater());
  const Way way = outputs == 1 ? Way::whole : are_last_kept && outputs >= 4 ? Way::columns : Way::rows;
  const auto with_kept_first = [&] {
    Extents order(is_reduced.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](int64_t axis) { return is_reduced[static_cast<size_t>(axis)]; });
    return transpose(array, order);
  };
  const Array ordered = way == Way::rows && !std::ranges::is_sorted(is_reduced) ? with_kept_first() : array;
  source.spread(ordered, ordered.shape(), device);
  const Dtype from = array.dtype();
  auto& place = reductions[static_cast<size_t>(op)][static_cast<size_t>(from)][static_cast<size_t>(compute)][static_cast<size_t>(way)];
  Function& function = found(place, device, [&] { return one_reduction(op, from, compute, way, device); });
  const bool gives_position = info(op).keeps_position();
  const Dtype dtype = gives_position ? Dtype::int64 : compute;
  const size_t itemsize = info(dtype).size;
  auto result = Storage::allocate(device, static_cast<size_t>(outputs * numbers) * itemsize);
  alignas(16) char values[few_bytes];
  void *position = result->buffer->memory(), *y = gives_position ? values : position;
  Arguments arguments(y, length);
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

std::optional<Array> scan_directly(Op join, const OpTypes& types, const Array& array, size_t axis) {
  static std::atomic<Function*> scans[n_ops][n_dtypes][n_dtypes][2];
  Device& device = array.device();
  const Shape& shape = array.shape();
  int64_t n = array.size(), length = shape.empty() ? 1 : shape[axis], rows = n / std::max(length, int64_t{1});
  Source source;
  const bool is_last = axis + 1 == shape.size();
  if (!is_last || length > scan_row || types.result != types.compute || !is_for_now(n, array.dtype(), device) || !source.find(array, shape)) return std::nullopt;
  source.spread(array, shape, device);
  const Dtype from = array.dtype();
  auto& place = scans[static_cast<size_t>(join)][static_cast<size_t>(from)][static_cast<size_t>(types.compute)][rows > 1];
  Function& function = found(place, device, [&] { return one_scan(join, from, types.compute, rows > 1, device); });
  const size_t itemsize = info(types.result).size;
  auto result = Storage::allocate(device, static_cast<size_t>(n) * itemsize);
  void *y = result->buffer->memory(), *before = nullptr;
  Arguments arguments(y, length);
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

bool write_directly(const View& to, Buffer& buffer, Dtype dtype, const Input& from) {
  if (!few_at_once.load(std::memory_order_relaxed) || Recorder::current() || !buffer.device().is_host() ||
      dtype == Dtype::opaque || from.node->dtype != dtype)
    return false;
  const Elements elements{to.shape.data(), to.shape.size(), info(dtype).size};
  const size_t bytes = elements.bytes();
  if (bytes > few_bytes) return false;
  if (bytes == 0) return true;
  char* const memory = static_cast<char*>(buffer.memory()) + to.offset;
  if (!from.node->is_done()) {
    const auto pending = from.node->expression.load();
    if (!pending || pending->kind != Expression::constant) return false;
    alignas(16) char number[16];
    pending->start.store(dtype, number);
    elements.copy(memory, to.strides.data(), number, nullptr);
    return true;
  }
  const Buffer& source = *from.node->storage->buffer;
  if (&source.device() != &buffer.device()) return false;
  copy_few(dtype, buffer, to, source, from.view);
  return true;
}

void copy_few(Dtype dtype, Buffer& buffer, const View& to, const Buffer& source, const View& from) {
  const Elements elements{to.shape.data(), to.shape.size(), info(dtype).size};
  char* const memory = static_cast<char*>(buffer.memory()) + to.offset;
  const char* const first = static_cast<const char*>(source.memory()) + from.offset;
  if (memory == first && to.strides == from.strides) return;  // x[1:] += y writes what is there already
  if (source.memory() != buffer.memory() && !source.is_shared && !buffer.is_shared)
    return elements.copy(memory, to.strides.data(), first, from.strides.data());
  char apart[few_bytes];  // the two may overlap
  const Strides steps = contiguous_strides(to.shape, elements.itemsize);
  elements.copy(apart, steps.data(), first, from.strides.data());
  elements.copy(memory, to.strides.data(), apart, steps.data());
}

}  // namespace kasoku
