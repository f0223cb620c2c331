// Read this first. evaluate(node):
//   1. fuse      the node's expression as one Group (fuse.cpp): cuts where storing
//                is better than computing again, composes views, collapses axes
//   2. emit      the group's kernel text, if its structure is new (codegen/emit.cpp)
//   3. run       compiled kernel by structural hash, parameters, launch (run.cpp); few elements of a
//                new group operation by operation, without a compiler (first_sight.cpp)
// A reduction is one launch over chunks and one more over the chunks' results.
#include "kasoku/array/plan.h"

#include "kasoku/array/algorithms/run_text.h"
#include "kasoku/array/creation.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/first_sight.h"
#include "kasoku/array/fuse.h"
#include "kasoku/array/in_place.h"
#include "kasoku/array/record.h"
#include "kasoku/array/reduce.h"
#include "kasoku/array/run.h"
#include "kasoku/base/blocking.h"
#include "kasoku/base/error.h"
#include "kasoku/base/interrupt.h"
#include "kasoku/base/rounding.h"
#include "kasoku/codegen/emit.h"
#include "kasoku/codegen/scans.h"
#include "kasoku/device/counters.h"
#include "kasoku/device/replay.h"
#include "kasoku/device/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace kasoku {

namespace {

/// Partial results that one launch may leave behind: 10^12 elements need no memory.
constexpr int64_t max_partials = 1 << 17;

std::shared_ptr<Buffer> allocate(const Node& node, int64_t n, size_t itemsize) {
  return Buffer::allocate(*node.device, static_cast<size_t>(n) * itemsize);
}

NodePtr leaf_of(const std::shared_ptr<Buffer>& buffer, int64_t n, Dtype dtype) {
  return make_leaf(Storage::of(buffer), {n}, dtype, info(dtype).size);
}

/// Writes one value everywhere without a kernel, which may have to be compiled. False: its bits
/// are not those of a few bytes again and again.
bool fill(const Node& node, const Scalar& value, Buffer& buffer) {
  if (Recorder::current()) return false;
  uint64_t bits[2] = {0, 0};
  if (node.itemsize > sizeof bits || node.dtype == Dtype::opaque) return false;
  value.store(node.dtype, bits);
  if (node.itemsize > 8 && bits[0] != bits[1]) return false;
  const size_t size = std::min<size_t>(node.itemsize, 8);
  node.device->fill(buffer.memory(), bits[0], size, static_cast<size_t>(node.size()) * (node.itemsize / size),
                    node.device->current_stream());
  return true;
}

/// Where the node's only element lies in memory already; null if it has to be computed.
const void* element_in_memory(const Node& node, const Expression& expression) {
  if (expression.kind != Expression::cast || node.size() != 1) return nullptr;
  const auto& [source, view] = expression.inputs[0];
  if (!source->is_done() || source->dtype != node.dtype) return nullptr;
  Buffer& memory = *source->storage->buffer;
  memory.use_here();
  return static_cast<const char*>(memory.memory()) + view.offset;
}

/// An element of memory becomes an array of its own: its bytes, without a kernel.
bool copy_element(const Node& node, const Expression& expression, Buffer& to) {
  const void* const from = element_in_memory(node, expression);
  if (!from) return false;
  const CopyScope reason(CopyReason::element);
  node.device->copy(to.memory(), from, node.itemsize, node.device->current_stream());
  return true;
}

void compute(const Fused& fused, Buffer& to) {
  if (!is_for_operations(fused, to.device()) || !run_by_operations(fused, to)) run_map(fused, to);
}

Fused fuse_whole(const NodePtr& node) {
  const View whole{node->shape, contiguous_strides(node->shape, node->itemsize), 0};
  return fuse_map({node, whole}, whole, node->dtype, true);
}

std::shared_ptr<Buffer> compute_map(const NodePtr& node, const std::shared_ptr<const Expression>& shared) {
  const Expression& expression = *shared;
  if (const InputThatEnds input = input_that_ends(expression, *node); input.node) {
    const Fused fused = fuse_whole(node);
    auto buffer = take_memory(node, shared, input, fused);
    if (!buffer) buffer = allocate(*node, node->size(), node->itemsize);
    compute(fused, *buffer);
    return buffer;
  }
  auto buffer = allocate(*node, node->size(), node->itemsize);
  if (node->size() == 0) return buffer;
  if (expression.kind == Expression::constant && fill(*node, expression.start, *buffer)) return buffer;
  if (copy_element(*node, expression, *buffer)) return buffer;
  if (compute_alone(expression, *node, *buffer)) return buffer;
  compute(fuse_whole(node), *buffer);
  return buffer;
}

struct Partials {
  std::shared_ptr<Buffer> values, positions;
};

/// All outputs of a reducing group: chunk by chunk, then the chunks' results. A single result lies in `element`, if that is given.
Partials reduce_chunks(const Node& node, const Expression& expression, const Fused& fused, const std::shared_ptr<Buffer>& element = nullptr) {
  const bool is_arg = info(expression.reduce_op).keeps_position();
  const int numbers = info(expression.reduce_op).n_numbers();
  const size_t itemsize = lane_bytes(expression.reduce_op, expression.compute);
  const int64_t rows = outputs(fused) / fused.parts, length = reduced_length(fused);
  const int64_t chunks_of_part = divide_up(length, chunk_elements), chunks = fused.parts * chunks_of_part;
  const auto make = [&](int64_t n) {
    const auto result = n == 1 ? element : nullptr;
    if (!is_arg) return Partials{result ? result : allocate(node, n, itemsize), nullptr};
    return Partials{allocate(node, n, itemsize), result ? result : allocate(node, n, sizeof(int64_t))};
  };
  const auto launch = [&](const Chunks& part, const Partials& to, int64_t at) {
    run_reduce(fused, part, static_cast<char*>(to.values->memory()) + at * static_cast<int64_t>(itemsize),
               is_arg ? static_cast<char*>(to.positions->memory()) + 8 * at : nullptr, *node.device);
  };
  const auto joined = [&](const Partials& partials, int64_t results, int64_t n, PartialsOrder order) {
    const NodePtr values = leaf_of(partials.values, results * n * numbers, expression.compute);
    const NodePtr positions = is_arg ? leaf_of(partials.positions, results * n, Dtype::int64) : nullptr;
    return reduce_chunks(node, expression, fuse_partials(expression, values, positions, results, n, order), element);
  };
  const auto again = [&](const Partials& partials, int64_t n) { return joined(partials, rows, n, PartialsOrder::of_a_result); };
  if (fused.group.form == ReduceForm::any_order) {
    const int64_t blocks = blocks_in_any_order(chunks, node.device->properties().multiprocessors);
    const Partials partials = make(blocks);
    launch({0, chunks}, partials, 0);
    return blocks == 1 ? partials : again(partials, blocks);
  }
  if (rows > 1 || fused.parts > 1 || chunks <= max_partials) {
    const int64_t parts = parts_of_chunk(fused.group.form);
    Partials partials = make(rows * chunks * parts);
    launch({0, chunks_of_part}, partials, 0);
    if (parts > 1) {
      const auto of_a_part = PartialsOrder::of_a_part;
      if (are_parts_and_chunks_one_row(chunks)) return joined(partials, rows, parts * chunks, of_a_part);
      return joined(joined(partials, rows * chunks, parts, of_a_part), rows, chunks, of_a_part);
    }
    if (chunks == 1) return partials;
    if (rows == 1)
      if (const Partials one = make(1); join_directly(expression.reduce_op, expression.compute, *partials.values, chunks, *one.values)) return one;
    return again(partials, chunks);
  }
  // Too many chunks to keep: whole chunks of chunks at a time.
  InterruptCheck interrupt;
  const int64_t n_above = divide_up(chunks, chunk_elements);
  Partials above = make(n_above), partials = make(max_partials);
  for (int64_t c = 0; c < chunks; c += max_partials) {
    interrupt.look();
    const int64_t n = std::min(max_partials, chunks - c);
    launch({c, n}, partials, 0);
    const NodePtr values = leaf_of(partials.values, n * numbers, expression.compute);
    const NodePtr positions = is_arg ? leaf_of(partials.positions, n, Dtype::int64) : nullptr;
    const Fused next = fuse_partials(expression, values, positions, 1, n, PartialsOrder::of_a_result);
    const int64_t at = c / chunk_elements;
    run_reduce(next, {0, divide_up(n, chunk_elements)},
               static_cast<char*>(above.values->memory()) + at * static_cast<int64_t>(itemsize),
               is_arg ? static_cast<char*>(above.positions->memory()) + 8 * at : nullptr, *node.device);
  }
  return n_above == 1 ? above : again(above, n_above);
}

std::shared_ptr<Buffer> compute_reduce(const NodePtr& node, const Expression& expression) {
  const bool is_arg = info(expression.reduce_op).keeps_position();
  if (node->size() == 0) return allocate(*node, 0, node->itemsize);
  if (product(expression.inputs[0].view.shape) == 0) return full(node->shape, identity(expression.reduce_op, node->dtype), node->dtype, *node->device).buffer();
  const Fused fused = fuse_reduce(expression);
  if (is_for_operations(fused, *node->device)) {
    auto buffer = allocate(*node, node->size(), node->itemsize);
    if (run_by_operations(fused, *buffer)) return buffer;
  }
  const Partials result = reduce_chunks(*node, expression, fused);
  return is_arg ? result.positions : result.values;
}

/// Of chunks' totals, what is before each.
void add_up_totals(const Scan& scan, const Buffer& before, const Buffer& totals, int64_t rows, int64_t chunks, Device& device) {
  const std::string text = fmt::format("extern \"C\" __global__ void ks_algorithm({}) {{\n{}}}\n", befores_parameters(scan.type), befores_text(scan.type, scan.join));
  const LaunchShape shape = befores_launch(rows, chunks, scan.by_threads, device.properties().multiprocessors);
  const int64_t groups = groups_above(chunks);
  const auto of_groups = Buffer::allocate(device, static_cast<size_t>(rows * groups) * scan.value_bytes);
  const TextParameter parameters[] = {before.memory(), totals.memory(), of_groups->memory(), rows, chunks, groups};
  run_text(text, device, shape.grid[0], shape.block[0], parameters);
}

/// Totals of chunks, what is before each, then all elements; rows of one chunk need only that, and threads do all of it for a single row in one trip.
void scan_into(const Expression& expression, const Node& node, Buffer& to) {
  const Fused fused = fuse_scan(expression, node, false);
  const int64_t rows = outputs(fused), length = reduced_length(fused), chunks = divide_up(length, chunk_of_scan(length));
  if (chunks == 1) return run_scan(fused, to, nullptr);
  if (fused.group.form == ReduceForm::one_trip) {
    const int64_t words = words_of_trip(length);
    const auto told = allocate(node, words, sizeof(uint64_t));
    Stream& stream = node.device->current_stream();
    if (Recorder::current() || stream.is_graphed())  // it has one number for all its runs
      node.device->fill(told->memory(), 0, sizeof(uint64_t), static_cast<size_t>(words), stream);
    return run_scan(fused, to, told.get());
  }
  const Fused of_totals = fuse_scan(expression, node, true);
  const size_t size = info(expression.compute).size;
  const auto totals = allocate(node, rows * chunks, size), before = allocate(node, rows * chunks, size);
  run_scan(of_totals, *totals, nullptr);
  add_up_totals(codegen::scan_of(of_totals.group), *before, *totals, rows, chunks, *node.device);
  run_scan(fused, to, before.get());
}

std::shared_ptr<Buffer> compute_scan(const NodePtr& node, const Expression& expression) {
  auto buffer = allocate(*node, node->size(), node->itemsize);
  if (node->size() > 0) scan_into(expression, *node, *buffer);
  return buffer;
}

/// Computes the node's only element into memory that holds it.
void compute_element_into(const NodePtr& node, const Expression& expression, const std::shared_ptr<Buffer>& to) {
  if (expression.kind != Expression::reduce) return compute(fuse_whole(node), *to);
  const Fused fused = fuse_reduce(expression);
  if (!is_for_operations(fused, *node->device) || !run_by_operations(fused, *to)) reduce_chunks(*node, expression, fused, to);
}

void finish(Node& node) {
  node.expression.store(nullptr);
  node.is_pending.store(false, std::memory_order_release);
}

}  // namespace

bool fits_in_budget(const Node& node) {
  const uint64_t bytes = static_cast<uint64_t>(node.size()) * node.itemsize;
  return bytes <= (64 << 20) || bytes <= node.device->properties().total_memory / 8;
}

namespace {

/// Has `compute` compute the node, which no other thread does then; if that fails, it can be tried again. Nothing to do for one that
/// is computed.
template <class Compute>
void compute_once(const NodePtr& node, const Compute& compute) {
  if (node->is_done()) return;
  const Blocking others_go_on;  // before the mutex: its holder may not have to wait for the caller's lock
  std::lock_guard lock(node->mutex);
  const auto expression = node->expression.load();
  if (!expression) return;
  const Recording::Aside aside(*node);
  const auto stop = [&](bool is_interrupted) {
    node->has_failed = !is_interrupted;
    if (is_interrupted && has_taken_memory(*node)) finish(*node);  // in part, in its input's memory: it cannot begin again
    else node->expression.store(expression);
  };
  try {
    compute(expression);
  } catch (const Error& error) {
    stop(error.kind == ErrorKind::interrupted);
    throw;
  } catch (const std::bad_alloc&) {
    stop(false);
    throw;
  } catch (...) {  // the front end's interrupt
    stop(true);
    throw;
  }
}

/// Whether a kernel computes the element: other numbers are known without one, or take several.
bool has_kernel_for_element(const Expression& expression) {
  if (expression.kind == Expression::reduce) return product(expression.inputs[0].view.shape) > 0;
  return expression.kind == Expression::elementwise || expression.kind == Expression::cast || expression.kind == Expression::gather;
}

}  // namespace

void evaluate(const NodePtr& node) {
  compute_once(node, [&](const std::shared_ptr<const Expression>& expression) {
    Storage::hold(node->storage, expression->kind == Expression::reduce ? compute_reduce(node, *expression)
                                 : expression->kind == Expression::scan ? compute_scan(node, *expression)
                                                                        : compute_map(node, expression));
    finish(*node);
  });
}

std::optional<Scalar> compute_element(const NodePtr& node) {
  Device& device = *node->device;
  if (device.is_host() || node->size() != 1 || node->dtype == Dtype::opaque || Recorder::current()) return std::nullopt;
  std::optional<Scalar> value;
  compute_once(node, [&](const std::shared_ptr<const Expression>& expression) {
    alignas(16) char bytes[16];
    Stream& stream = device.current_stream();
    const auto compute = [&](void* memory) { compute_element_into(node, *expression, Buffer::adopt(device, memory, node->itemsize, nullptr, false)); };
    if (const void* const from = element_in_memory(*node, *expression)) device.read(bytes, from, node->itemsize, stream);
    else if (!has_kernel_for_element(*expression) || !device.read_computed(bytes, node->itemsize, stream, compute)) return;
    value = Scalar::load(node->dtype, bytes);
    Expression constant;
    constant.kind = Expression::constant;
    constant.start = *value;
    node->expression.store(std::make_shared<const Expression>(std::move(constant)));
  });
  return value;
}

void evaluate_into(const Input& value, Buffer& buffer, const View& target, Dtype dtype) {
  if (product(target.shape) == 0) return;
  const Blocking others_go_on;
  compute(fuse_map(value, target, dtype, false), buffer);
}

void scatter_into(const Input& value, const Placed& to, Buffer& buffer) {
  const Blocking others_go_on;
  run_scatter(fuse_scatter(value, to), to, buffer);
}

}  // namespace kasoku
