#include "kasoku/jit/offload.h"
#include "kasoku/jit/algorithms.h"

#include "kasoku/array/creation.h"
#include "kasoku/array/elementwise.h"
#include "kasoku/array/indexing.h"
#include "kasoku/array/matmul.h"
#include "kasoku/array/reduce.h"
#include "kasoku/base/error.h"
#include "kasoku/device/cpu/runtime.h"
#include "kasoku/device/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <optional>
#include <vector>

namespace kasoku::jit {

namespace {

/// ks_call as kernels see it.
struct DeviceRecord {
  int status, function, line, reserved;
  const char* name;
  int64_t a, b, c;
  uint64_t* words;
  uint64_t key, draw;
  char text[160];
};

/// Threads of a block: ks_loop_lanes of ks_jit.h.
constexpr uint32_t lanes = 256;

}  // namespace

DeviceFailure::DeviceFailure(Device& device, Stream& stream, std::span<const uint64_t> words)
    : device_(device), stream_(stream), buffer_(Buffer::allocate(device, sizeof(DeviceRecord) + words.size_bytes())) {
  DeviceRecord first{};
  first.words = reinterpret_cast<uint64_t*>(static_cast<char*>(address()) + sizeof first);
  device.copy(address(), &first, sizeof first, stream);
  if (!words.empty()) device.copy(first.words, words.data(), words.size_bytes(), stream);
}

void DeviceFailure::read(CallRecord& record) const {
  DeviceRecord copy;
  device_.copy(&copy, address(), sizeof copy, stream_);
  if (!copy.status) return;
  record.function = copy.function, record.line = copy.line;
  record.a = copy.a, record.b = copy.b, record.c = copy.c;
  record.key = copy.key, record.draw = copy.draw;
  std::memcpy(record.device_name, copy.text, sizeof record.device_name);
  record.name = record.device_name;
  record.status = copy.status;
}

struct OffloadCall::State {
  CallRecord& record;
  Device& device;
  Stream& stream;
  std::span<kasoku::Function* const> kernels;
  size_t n_words;
  State* outer;
  std::optional<DeviceFailure> failure = {};
  bool is_unread = false;                 ///< a kernel may have failed since it was read
  std::vector<Array> nodes = {};
  int function = 0, line = 0;             ///< of the array expression that is being made

  void* on_device() {
    if (!failure) failure.emplace(device, stream, std::span(record.words, n_words));
    return failure->address();
  }

  bool failed() const { return __atomic_load_n(&record.status, __ATOMIC_RELAXED) != 0; }

  /// Looks whether a kernel failed. False if so.
  bool settle() {
    if (is_unread && !failed()) {
      is_unread = false;
      failure->read(record);
    }
    return !failed();
  }

  void give_up() {
    if (!record.interruption) record.interruption = std::current_exception();
    if (!failed()) record.status = 100;
  }
  /// In a handler: an error of an array expression gets its line on the way.
  void give_up_here() {
    record.function = function, record.line = line;
    try {
      throw;
    } catch (const Error& error) {
      record.is_placed_error = true;
    } catch (...) {
    }
    give_up();
  }

  int add(Array array) {
    nodes.push_back(std::move(array));
    return static_cast<int>(nodes.size()) - 1;
  }
  const Array& node(int number) const { return nodes.at(static_cast<size_t>(number)); }
};

namespace {

thread_local OffloadCall::State* current = nullptr;

/// Runs `make`, which gives an Array; -1 after a failure, and for nodes of one.
template <class F>
int made(const F& make) {
  OffloadCall::State& call = *current;
  if (!call.settle()) return -1;
  try {
    return call.add(make(call));
  } catch (...) {
    call.give_up_here();
    return -1;
  }
}

template <class F>
void attempt(const F& what) {
  OffloadCall::State& call = *current;
  if (!call.settle()) return;
  try {
    what(call);
  } catch (...) {
    call.give_up_here();
  }
}

Dtype dtype_of(int number) { return static_cast<Dtype>(number); }
Shape shape_of(int ndim, const int64_t* lengths) { return Shape(lengths, lengths + ndim); }
Array as(const Array& array, Dtype dtype) { return array.dtype() == dtype ? array : astype(array, dtype); }

Memory* allocate(OffloadCall::State& call, int64_t bytes, bool zeroed) {
  std::shared_ptr<Buffer> buffer = Buffer::allocate(call.device, static_cast<size_t>(bytes));
  if (zeroed && bytes) call.device.fill(buffer->memory(), 0, 1, static_cast<size_t>(bytes), call.stream);
  return hold(std::move(buffer));
}

extern "C" {

Memory* ks_jit_device_allocate(int64_t bytes, int zeroed) {
  try {
    return allocate(*current, bytes, zeroed);
  } catch (...) {
    return nullptr;
  }
}

void ks_jit_device_free(Memory* memory) { release_buffer(memory); }

void ks_jit_read(void* to, const void* from, int64_t bytes) {
  std::memset(to, 0, static_cast<size_t>(bytes));
  attempt([&](OffloadCall::State& call) { call.device.copy(to, from, static_cast<size_t>(bytes), call.stream); });
}

void ks_jit_write(void* to, const void* from, int64_t bytes) {
  attempt([&](OffloadCall::State& call) { call.device.copy(to, from, static_cast<size_t>(bytes), call.stream); });
}

void ks_jit_launch(CallRecord*, int kernel, int line, int uses_call, void* captures, int64_t bytes, void* results, int64_t result_bytes,
                   int64_t n, int64_t chunk) {
  if (n <= 0) return;
  OffloadCall::State& call = *current;
  call.line = line;
  attempt([&](OffloadCall::State&) {
    if (bytes > 4000)
      throw Error(ErrorKind::unsupported, "a parallel loop uses too many variables of its function for a kernel")
          .fix("put them into arrays, or part of the loop into a function of its own");
    kasoku::Function& function = *call.kernels[static_cast<size_t>(kernel)];
    void* record = uses_call ? call.on_device() : nullptr;
    std::shared_ptr<Buffer> out = result_bytes ? Buffer::allocate(call.device, static_cast<size_t>(result_bytes)) : nullptr;
    void* out_memory = out ? out->memory() : nullptr;
    LaunchShape shape;
    if (chunk >= 0) {
      const int64_t each = chunk ? chunk : lanes;
      shape.grid[0] = static_cast<uint32_t>(std::min<int64_t>((n + each - 1) / each, 0x7fffffff));
      shape.block[0] = lanes;
    }
    void* arguments[] = {captures, &record, &out_memory, &n, &chunk};
    function.launch(shape, arguments, call.stream);
    call.is_unread = uses_call != 0;  // attempt() has read what was before
    if (out && call.settle()) call.device.copy(results, out_memory, static_cast<size_t>(result_bytes), call.stream);
  });
}

int ks_jit_graph_at(int function, int line) {
  current->function = function, current->line = line;
  return static_cast<int>(current->nodes.size());
}

void ks_jit_graph_end(int mark) {
  current->nodes.erase(current->nodes.begin() + mark, current->nodes.end());
}

int ks_jit_leaf(Memory* memory, void* data, int dtype, int ndim, const int64_t* lengths, const int64_t* steps) {
  return made([&](OffloadCall::State& call) {
    const Shape shape = shape_of(ndim, lengths);
    if (!memory) return Array::empty(shape, dtype_of(dtype), call.device);  // nobody made it: no elements
    const std::shared_ptr<Buffer>& buffer = buffer_of(memory);
    Strides strides(steps, steps + ndim);
    for (int64_t& stride : strides) stride *= static_cast<int64_t>(info(dtype_of(dtype)).size);
    const int64_t offset = product(shape) ? static_cast<char*>(data) - static_cast<char*>(buffer->memory()) : 0;
    return Array::view(buffer, offset, shape, strides, dtype_of(dtype));
  });
}

int ks_jit_number(int dtype, const void* value) {
  return made([&](OffloadCall::State& call) {
    return full({}, Scalar::load(dtype_of(dtype), value), dtype_of(dtype), call.device);
  });
}

int ks_jit_full(int number, int dtype, int ndim, const int64_t* lengths) {
  return made([&](OffloadCall::State& call) {
    return broadcast_to(as(call.node(number), dtype_of(dtype)), shape_of(ndim, lengths));
  });
}

int ks_jit_apply(int op, int dtype, int a, int b, int c) {
  return made([&](OffloadCall::State& call) {
    std::vector<Operand> operands;
    for (int number : {a, b, c})
      if (number >= 0) operands.emplace_back(call.node(number));
    return as(kasoku::apply(static_cast<Op>(op), std::span<const Operand>(operands)), dtype_of(dtype));
  });
}

int ks_jit_cast(int a, int dtype) {
  return made([&](OffloadCall::State& call) { return as(call.node(a), dtype_of(dtype)); });
}

int ks_jit_reduce(int what, int a, int axis, int dtype, int mask) {
  return made([&](OffloadCall::State& call) {
    const ReduceOp op = static_cast<ReduceOp>(what);
    const Array x = call.node(a);
    Over over;
    if (axis >= 0) over.axes = {{axis}};
    if (mask >= 0) over.where = call.node(mask);
    if (mask >= 0 && !info(op).has_identity()) over.initial = identity(op, x.dtype());  // the mask was asked for elements
    return as(op == ReduceOp::var ? squares_about_mean(x, over) : reduce(op, x, over), dtype_of(dtype));
  });
}

/// Elements of the array, or along one axis of it.
int64_t ks_jit_length(int a, int axis) {
  if (a < 0) return 1;
  const Array& array = current->node(a);
  return axis < 0 ? array.size() : array.shape()[static_cast<size_t>(axis)];
}

int ks_jit_counted(int dtype, int64_t n) {
  return made([&](OffloadCall::State& call) {
    return arange(Scalar::of(0), Scalar::of(1), n, dtype_of(dtype), call.device);
  });
}

int ks_jit_random(int distribution, uint32_t key0, uint32_t key1, uint32_t draw, int64_t low, uint64_t range, int ndim,
                  const int64_t* lengths) {
  return made([&](OffloadCall::State& call) {
    // The key of ks_split stands for the generator's seed and stream as they are.
    Expression expression;
    expression.kind = Expression::random;
    expression.random_leaf = {static_cast<Distribution>(distribution), key0, key1, draw, low, range};
    const Dtype dtype = expression.random_leaf.distribution == Distribution::integers ? Dtype::int64 : Dtype::float64;
    return Array::of(make_node(shape_of(ndim, lengths), dtype, call.device, std::move(expression)));
  });
}

/// a[index]: a mask or integers.
int ks_jit_select(int a, int index) {
  return made([&](OffloadCall::State& call) {
    kasoku::Index at;
    at.kind = kasoku::Index::array;
    at.array_value = call.node(index);
    return get_item(call.node(a), {at});
  });
}

int ks_jit_matmul(int a, int b) {
  return made([&](OffloadCall::State& call) { return matmul(call.node(a), call.node(b)); });
}

void ks_jit_device_algorithm(CallRecord*, int function, int line, const char* name, const Given* given, int64_t n, const Made* made,
                             int64_t n_made) {
  current->function = function, current->line = line;
  attempt([&](OffloadCall::State& call) {
    run_algorithm(name, {given, static_cast<size_t>(n)}, {made, static_cast<size_t>(n_made)}, call.device);
  });
}

void ks_jit_value(int a, int dtype, void* to) {
  attempt([&](OffloadCall::State& call) {
    const Array result = as(call.node(a), dtype_of(dtype));
    call.device.copy(to, result.data_for_read(), info(dtype_of(dtype)).size, call.stream);
  });
}

void ks_jit_run(int a, int dtype, Memory** memory, void** data, int64_t* lengths) {
  attempt([&](OffloadCall::State& call) {
    Array result = as(call.node(a), dtype_of(dtype));
    // What exists is somebody's; the result is an array of its own.
    if (!result.is_pending() || !result.is_contiguous()) result = copy(result);
    std::copy(result.shape().begin(), result.shape().end(), lengths);
    const std::shared_ptr<Buffer> buffer = result.buffer();
    if (!result.is_contiguous() || result.offset() != 0)
      throw Error(ErrorKind::internal, "the result of an array expression does not lie in order");
    if (result.size()) *data = buffer->memory();
    *memory = hold(buffer);
  });
}

void ks_jit_assign(int to, int value) {
  attempt([&](OffloadCall::State& call) {
    kasoku::Index all;
    all.kind = kasoku::Index::ellipsis;
    const Array target = call.node(to);
    if (target.size()) set_item(target, {all}, as(call.node(value), target.dtype()));
  });
}

}  // extern "C"

}  // namespace

Memory* hold(std::shared_ptr<Buffer> buffer) {
  auto* memory = new Memory{1, static_cast<int64_t>(buffer->bytes()), buffer->memory(), nullptr};
  memory->buffer = new std::shared_ptr<Buffer>(std::move(buffer));
  return memory;
}

void release_buffer(Memory* memory) {
  delete static_cast<std::shared_ptr<Buffer>*>(memory->buffer);
  delete memory;
}

const std::shared_ptr<Buffer>& buffer_of(const Memory* memory) {
  return *static_cast<const std::shared_ptr<Buffer>*>(memory->buffer);
}

OffloadCall::OffloadCall(CallRecord& record, Device& device, std::span<kasoku::Function* const> kernels, int n_words)
    : state_(new State{record, device, device.current_stream(), kernels, static_cast<size_t>(n_words), current}) {
  current = state_.get();
}

OffloadCall::~OffloadCall() { current = state_->outer; }

void OffloadCall::finish() {
  try {
    state_->nodes.clear();
    state_->settle();
  } catch (...) {
    state_->give_up();
  }
}

void register_offload_functions() {
  static const bool done = [] {
    const std::pair<const char*, void*> functions[] = {
#define KS_ROW(name) {#name, reinterpret_cast<void*>(&name)}
        KS_ROW(ks_jit_device_allocate), KS_ROW(ks_jit_device_free), KS_ROW(ks_jit_read),  KS_ROW(ks_jit_write),
        KS_ROW(ks_jit_launch),          KS_ROW(ks_jit_graph_at),    KS_ROW(ks_jit_graph_end), KS_ROW(ks_jit_leaf),
        KS_ROW(ks_jit_number),          KS_ROW(ks_jit_full),        KS_ROW(ks_jit_apply), KS_ROW(ks_jit_cast),
        KS_ROW(ks_jit_reduce),          KS_ROW(ks_jit_length),      KS_ROW(ks_jit_counted), KS_ROW(ks_jit_random),
        KS_ROW(ks_jit_select),          KS_ROW(ks_jit_matmul),      KS_ROW(ks_jit_value), KS_ROW(ks_jit_run),
        KS_ROW(ks_jit_assign),          KS_ROW(ks_jit_device_algorithm),
#undef KS_ROW
    };
    for (const auto& [name, function] : functions) cpu::register_runtime_function(name, function);
    return true;
  }();
  (void)done;
}

}  // namespace kasoku::jit
