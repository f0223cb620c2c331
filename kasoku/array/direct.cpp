#include "kasoku/array/direct.h"

#include "kasoku/array/plan.h"
#include "kasoku/array/run.h"
#include "kasoku/array/shape.h"
#include "kasoku/base/blocking.h"
#include "kasoku/base/rounding.h"
#include "kasoku/device/module.h"
#include "kasoku/device/stream.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <numeric>

namespace kasoku {

std::atomic<bool> few_at_once{true};

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
    function.launch({}, pointers_, device.current_stream());
  }
  void launch_reduction(Function& function, int64_t pairs, int64_t width, Device& device) {
    for (int64_t* each : {&pairs, &pairs, &one_, &zero_, length_, &width}) add(each);
    function.launch({}, pointers_, device.current_stream());
  }

 private:
  static constexpr size_t most = 8 + 2 * most_operands;
  void* pointers_[most];
  size_t count_ = 0;
  int64_t* length_;
  int64_t one_ = 1, zero_ = 0;
};

/// An operand's elements, of the dtype that the operation takes and one behind the other.
struct Source {
  std::shared_ptr<Buffer> keep;  ///< another thread may give the array another buffer
  const char* memory = nullptr;
  bool is_constant = false;  ///< the same number everywhere, which needs no memory of its own
  alignas(16) char number[16];

  /// False: it is pending. One number everywhere takes no kernel to be there.
  bool find(const Array& array) {
    if (array.dtype() == Dtype::opaque) return false;
    keep = array.buffer_if_computed();
    if (!keep) {
      const auto pending = array.input().node->expression.load();
      is_constant = pending && pending->kind == Expression::constant;
      if (is_constant) pending->start.store(array.dtype(), number);
      memory = number;
      return is_constant;
    }
    memory = static_cast<const char*>(keep->memory()) + array.offset();
    return true;
  }

  /// In C order, stretched to `shape`.
  void spread(const Array& array, const Shape& shape, Device& device) {
    if (!is_constant && array.is_contiguous() && array.shape() == shape) return;
    const Strides to = contiguous_strides(shape, array.itemsize());
    const Strides from = is_constant ? Strides(shape.size(), 0) : stretched({array.shape(), array.strides()}, shape).strides;
    const Elements elements{shape.data(), shape.size(), array.itemsize()};
    auto apart = Buffer::allocate(device, elements.bytes());
    elements.copy(static_cast<char*>(apart->memory()), to.data(), memory, from.data());
    take(std::move(apart));
  }

  void convert(Dtype from, Dtype to, int64_t n, Device& device) {
    if (from == to) return;
    static std::atomic<Function*> casts[n_dtypes][n_dtypes];
    Function& cast = found(casts[static_cast<size_t>(from)][static_cast<size_t>(to)], device, [&] { return one_cast(from, to, device); });
    auto apart = Buffer::allocate(device, static_cast<size_t>(n) * info(to).size);
    void* y = apart->memory();
    Arguments arguments(y, n);
    arguments.add(&memory);
    arguments.launch(cast, device);
    take(std::move(apart));
  }

 private:
  void take(std::shared_ptr<Buffer> apart) {
    keep = std::move(apart);
    memory = static_cast<const char*>(keep->memory());
  }
};

/// Whether operations on arrays of that shape run at once there.
bool is_for_now(const Shape& shape, const Device& device) {
  const int64_t n = product(shape);
  return n > 0 && n <= few_elements && device.is_host() && !takes_gpu_form(device) && few_at_once.load(std::memory_order_relaxed);
}

}  // namespace

std::optional<Array> apply_directly(Op op, const OpTypes& types, std::span<const Operand* const> operands, const Shape& shape, Device& device) {
  if (!is_for_now(shape, device)) return std::nullopt;
  const int64_t n = product(shape);
  Source sources[most_operands];
  for (size_t i = 0; i < operands.size(); ++i)
    if (operands[i]->array && !sources[i].find(*operands[i]->array)) return std::nullopt;
  Form forms[most_operands];
  struct alignas(16) Number {
    uint64_t words[2];
  } numbers[most_operands];
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

std::optional<Array> convert_directly(const Array& array, Dtype dtype) {
  Device& device = array.device();
  const int64_t n = array.size();
  Source source;
  if (!is_for_now(array.shape(), device) || !source.find(array)) return std::nullopt;
  source.spread(array, array.shape(), device);
  source.convert(array.dtype(), dtype, n, device);
  const size_t itemsize = info(dtype).size, bytes = static_cast<size_t>(n) * itemsize;
  auto result = Storage::allocate(device, bytes);
  std::memcpy(result->buffer->memory(), source.memory, bytes);
  return Array::of(std::move(result), array.shape(), dtype, itemsize);
}

std::optional<Array> reduce_directly(ReduceOp op, Dtype compute, const Array& array, std::span<const uint8_t> is_reduced, const Shape& shape) {
  static std::atomic<Function*> reductions[n_reductions][n_dtypes][n_dtypes][n_ways];
  Device& device = array.device();
  Source source;
  if (!is_for_now(array.shape(), device) || !source.find(array)) return std::nullopt;
  int64_t outputs = product(shape), length = array.size() / outputs;
  const bool are_last_kept = std::ranges::is_sorted(is_reduced, std::greater());
  const Way way = outputs == 1 ? Way::whole : are_last_kept && outputs >= 4 ? Way::columns : Way::rows;
  Extents order(is_reduced.size());  // the kept axes first
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [&](int64_t axis) { return is_reduced[static_cast<size_t>(axis)]; });
  const Array ordered = way == Way::rows && !std::ranges::is_sorted(order) ? transpose(array, order) : array;
  source.spread(ordered, ordered.shape(), device);
  const Dtype from = array.dtype();
  auto& place = reductions[static_cast<size_t>(op)][static_cast<size_t>(from)][static_cast<size_t>(compute)][static_cast<size_t>(way)];
  Function& function = found(place, device, [&] { return one_reduction(op, from, compute, way, device); });
  const bool gives_position = info(op).keeps_position();
  const Dtype dtype = gives_position ? Dtype::int64 : compute;
  const size_t itemsize = info(dtype).size;
  auto result = Storage::allocate(device, static_cast<size_t>(outputs) * itemsize);
  alignas(16) char values[few_bytes];
  void *position = result->buffer->memory(), *y = gives_position ? values : position;
  Arguments arguments(y, length);
  if (gives_position) arguments.add(&position);
  arguments.add(&source.memory);
  if (way != Way::whole) arguments.add(&outputs);
  arguments.add(&length);
  int64_t stride = (way == Way::rows ? length : outputs) * static_cast<int64_t>(array.itemsize());
  if (way != Way::whole) arguments.add(&stride);
  const int64_t width = way == Way::columns ? columns_at_once(compute, false) : 1;
  arguments.launch_reduction(function, divide_up(outputs, width), width, device);
  return Array::of(std::move(result), shape, dtype, itemsize);
}

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
  const Strides steps = contiguous_strides(to.shape, elements.itemsize);
  elements.copy(apart, steps.data(), first, from.view.strides.data());
  elements.copy(memory, to.strides.data(), apart, steps.data());
  return true;
}

}  // namespace kasoku
