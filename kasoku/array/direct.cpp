#include "kasoku/array/direct.h"

#include "kasoku/array/plan.h"
#include "kasoku/array/run.h"
#include "kasoku/base/blocking.h"
#include "kasoku/device/module.h"
#include "kasoku/device/stream.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace kasoku {

std::atomic<bool> few_at_once{true};

namespace {

/// How an operand comes to an operation: as long as the result, one element, or a number.
enum class Form : uint8_t { unit, one, number };
constexpr size_t n_forms = 3, most_operands = 3;
constexpr size_t n_dtypes = std::size(dtype_table);

/// The kernel of one operation. `result` is looked at: a row could give two for one dtype.
struct Kernel {
  std::atomic<Function*> function{nullptr};
  std::atomic<Dtype> result{};
};
Kernel kernels[n_ops][n_dtypes][n_forms * n_forms * n_forms];

Fused one_operation(Op op, const OpTypes& types, std::span<const Form> forms, Device& device) {
  Fused fused;
  Group& group = fused.group;
  Instruction result{.kind = Instruction::apply, .op = op, .dtype = types.result, .compute = types.compute};
  for (size_t i = 0; i < forms.size(); ++i) {
    const bool is_condition = i == 0 && info(op).result == ResultRule::conditional;
    const Dtype dtype = is_condition ? Dtype::bool_ : types.compute;
    const bool is_number = forms[i] == Form::number;
    const size_t index = is_number ? group.scalars.size() : group.loads.size();
    if (is_number) group.scalars.push_back({dtype});
    else group.loads.push_back({dtype, forms[i] == Form::unit ? Inner::unit : Inner::broadcast});
    group.values.push_back({.kind = is_number ? Instruction::scalar : Instruction::load, .dtype = dtype, .index = static_cast<uint16_t>(index)});
    result.in[i] = static_cast<uint16_t>(i);
  }
  group.values.push_back(result);
  group.store_dtype = types.result;
  group.for_cuda = takes_gpu_form(device);
  fused.lengths = {few_elements};
  return fused;
}

/// Elements of an array that is computed and lies as an operand must. Another thread may give the array another buffer.
struct Source {
  std::shared_ptr<Buffer> keep;
  const char* memory = nullptr;
};

std::optional<Form> form_of(const Array& array, Dtype dtype, const Shape& shape) {
  if (array.dtype() != dtype) return std::nullopt;
  if (array.is_contiguous() && array.shape() == shape) return Form::unit;
  return array.size() == 1 ? std::optional(Form::one) : std::nullopt;
}

}  // namespace

std::optional<Array> apply_directly(Op op, const OpTypes& types, std::span<const Operand> operands, const Shape& shape, Device& device) {
  const int64_t n = product(shape);
  if (n == 0 || n > few_elements || !device.is_host() || takes_gpu_form(device) || !few_at_once.load(std::memory_order_relaxed)) return std::nullopt;
  Form forms[most_operands];
  Source sources[most_operands];
  struct alignas(16) Number {
    uint64_t words[2];
  } numbers[most_operands];
  size_t n_loads = 0, n_numbers = 0, which = 0;
  for (size_t i = 0; i < operands.size(); ++i) {
    const Operand& x = operands[i];
    const bool is_condition = i == 0 && info(op).result == ResultRule::conditional;
    const Dtype dtype = is_condition ? Dtype::bool_ : types.compute;
    if (x.array) {
      const std::optional<Form> form = form_of(*x.array, dtype, shape);
      Source& source = sources[n_loads];
      if (!form || !(source.keep = x.array->buffer_if_computed())) return std::nullopt;
      source.memory = static_cast<const char*>(source.keep->memory()) + x.array->offset();
      forms[i] = *form;
      ++n_loads;
    } else {
      forms[i] = Form::number;
      store_rounded(x.scalar, dtype, &numbers[n_numbers++]);
    }
    which = which * n_forms + static_cast<size_t>(forms[i]);
  }
  Kernel& kernel = kernels[static_cast<size_t>(op)][static_cast<size_t>(types.compute)][which];
  Function* function = kernel.function.load(std::memory_order_acquire);
  if (!function) {
    const Blocking others_go_on;
    function = &group_kernel(one_operation(op, types, {forms, operands.size()}, device), device);
    kernel.result.store(types.result, std::memory_order_relaxed);
    kernel.function.store(function, std::memory_order_release);
  }
  if (kernel.result.load(std::memory_order_relaxed) != types.result) return std::nullopt;
  auto storage = std::make_shared<Storage>();
  storage->hold(Buffer::allocate(device, static_cast<size_t>(n) * info(types.result).size));
  // The parameters of codegen/group.h: y, loads, numbers, the length, strides of y and of the loads, total, chunk.
  int64_t length = n, one = 1, zero = 0;
  void* y = storage->buffer->memory();
  void* arguments[3 + 3 * most_operands + 2];
  size_t at = 0;
  arguments[at++] = &y;
  for (size_t k = 0; k < n_loads; ++k) arguments[at++] = &sources[k].memory;
  for (size_t k = 0; k < n_numbers; ++k) arguments[at++] = &numbers[k];
  arguments[at++] = &length;
  arguments[at++] = &one;
  for (size_t i = 0; i < operands.size(); ++i)
    if (forms[i] != Form::number) arguments[at++] = forms[i] == Form::unit ? &one : &zero;
  arguments[at++] = &length;
  arguments[at++] = &length;
  function->launch({}, arguments, device.current_stream());
  return Array::of(make_leaf(std::move(storage), shape, types.result, info(types.result).size));
}

namespace {

/// A copy of so few bytes costs less than the launch of a kernel.
constexpr size_t few_bytes = 16 * few_elements;

/// Elements of an axis and of those within it; no strides: all are the same one.
struct Elements {
  const int64_t* lengths;
  size_t rank, itemsize;

  size_t bytes() const {
    size_t n = itemsize;
    for (size_t d = 0; d < rank; ++d) n *= static_cast<size_t>(lengths[d]);
    return n;
  }

  void copy(char* to, const int64_t* to_strides, const char* from, const int64_t* from_strides, size_t d = 0) const {
    if (d == rank) {
      std::memcpy(to, from, itemsize);
      return;
    }
    const int64_t to_step = to_strides[d], from_step = from_strides ? from_strides[d] : 0;
    if (d + 1 == rank) return copy_row(to, to_step, from, from_step, lengths[d]);
    for (int64_t i = 0; i < lengths[d]; ++i) copy(to + i * to_step, to_strides, from + i * from_step, from_strides, d + 1);
  }

 private:
  void copy_row(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t n) const {
    if (to_step == static_cast<int64_t>(itemsize) && from_step == to_step) {
      std::memcpy(to, from, static_cast<size_t>(n) * itemsize);
      return;
    }
    const auto row = [&]<size_t size>() {
      for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * to_step, from + i * from_step, size);
    };
    switch (itemsize) {
      case 1: return row.template operator()<1>();
      case 2: return row.template operator()<2>();
      case 4: return row.template operator()<4>();
      case 8: return row.template operator()<8>();
      default: return row.template operator()<16>();
    }
  }
};

}  // namespace

bool write_directly(const View& to, Buffer& buffer, Dtype dtype, const Input& from) {
  if (!few_at_once.load(std::memory_order_relaxed) || !buffer.device().is_host() || dtype == Dtype::opaque || from.node->dtype != dtype) return false;
  const Elements elements{to.shape.data(), to.shape.size(), info(dtype).size};
  const size_t bytes = elements.bytes();
  if (bytes > few_bytes) return false;
  if (bytes == 0) return true;
  char* const memory = static_cast<char*>(buffer.memory()) + to.offset;
  const auto pending = from.node->expression.load();
  if (pending) {
    if (pending->kind != Expression::constant) return false;
    alignas(16) char number[16];
    pending->start.store(dtype, number);
    elements.copy(memory, to.strides.data(), number, nullptr);
    return true;
  }
  const Buffer& source = *from.node->storage->buffer;
  const char* first = static_cast<const char*>(source.memory()) + from.view.offset;
  if (&source.device() != &buffer.device()) return false;
  if (source.memory() != buffer.memory() && !source.is_shared && !buffer.is_shared) {
    elements.copy(memory, to.strides.data(), first, from.view.strides.data());
    return true;
  }
  char apart[few_bytes];  // the two may overlap
  int64_t steps[64];
  int64_t step = static_cast<int64_t>(elements.itemsize);
  if (elements.rank > std::size(steps)) return false;
  for (size_t d = elements.rank; d-- > 0; step *= to.shape[d]) steps[d] = step;
  elements.copy(apart, steps, first, from.view.strides.data());
  elements.copy(memory, to.strides.data(), apart, steps);
  return true;
}

}  // namespace kasoku
