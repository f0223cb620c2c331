#include "kasoku/array/array.h"

#include "kasoku/array/checked_bytes.h"
#include "kasoku/array/direct.h"
#include "kasoku/array/in_place.h"
#include "kasoku/array/plan.h"
#include "kasoku/array/record.h"
#include "kasoku/array/state.h"
#include "kasoku/base/error.h"
#include "kasoku/base/recycled.h"
#include "kasoku/device/replay.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace kasoku {

namespace {

size_t size_of_element(Dtype dtype, size_t element_size) {
  return dtype == Dtype::opaque ? element_size : info(dtype).size;
}

/// Whether two views share bytes, or bytes between those: of one buffer, or of two over the same memory of others.
bool may_overlap(const View& a, const Buffer& a_buffer, size_t a_size, const View& b, const Buffer& b_buffer, size_t b_size) {
  const auto bytes = [](const View& view, const Buffer& buffer, size_t itemsize) {
    const char* first = static_cast<const char*>(buffer.memory()) + view.offset;
    const char* last = first + itemsize;
    for (size_t d = 0; d < view.shape.size(); ++d) (view.strides[d] < 0 ? first : last) += (view.shape[d] - 1) * view.strides[d];
    return std::pair(first, last);
  };
  const auto [a_first, a_last] = bytes(a, a_buffer, a_size);
  const auto [b_first, b_last] = bytes(b, b_buffer, b_size);
  return a_first < b_last && b_first < a_last;
}

/// Whether no two elements have bytes in common: from the shortest step on, each passes all that the ones before it reach.
bool are_apart(const View& view, size_t itemsize) {
  std::vector<std::pair<int64_t, int64_t>> axes;  // steps, and how many
  for (size_t d = 0; d < view.shape.size(); ++d)
    if (view.shape[d] > 1) axes.emplace_back(std::abs(view.strides[d]), view.shape[d] - 1);
  std::ranges::sort(axes);
  auto reached = static_cast<int64_t>(itemsize);
  return std::ranges::all_of(axes, [&](const auto& axis) {
    const bool passes = axis.first >= reached;
    reached += axis.first * axis.second;
    return passes;
  });
}

/// What a value that is not computed yet reads of the memory that it is to be stored in.
enum class Reads : uint8_t { nothing, elsewhere, own_elements, others };

/// Looks at the nodes on the way, which `users` share: each of them must be part of this value alone if it reads there, and at most
/// `left` are looked at.
class PlaceOfValue {
 public:
  PlaceOfValue(const View& view, const Buffer& buffer, size_t itemsize) : view_(view), buffer_(buffer), itemsize_(itemsize) {}

  Reads reads(const Input& input, long users) {
    const Node& node = *input.node;
    if (node.is_done()) {
      const Buffer& read = *node.storage->buffer;
      if (!may_overlap(input.view, read, node.itemsize, view_, buffer_, itemsize_)) return &read == &buffer_ ? Reads::elsewhere : Reads::nothing;
      return &read == &buffer_ && input.view == view_ && node.itemsize == itemsize_ ? Reads::own_elements : Reads::others;
    }
    const auto expression = node.expression.load();
    if (!expression || --left_ < 0) return Reads::others;
    Reads all = Reads::nothing;
    for (const Input& x : expression->inputs) all = std::max(all, reads(x, 1));
    if (all == Reads::nothing || all == Reads::others) return all;
    const bool is_element_by_element = expression->kind == Expression::elementwise || expression->kind == Expression::cast;
    const bool is_whole = input.view == View{node.shape, contiguous_strides(node.shape, node.itemsize), 0};
    if (!is_element_by_element || (all == Reads::own_elements && !is_whole) || input.node.use_count() != users) return Reads::others;
    on_the_way_.push_back(&node);
    return all;
  }
  bool has_on_the_way(const NodePtr& node) const { return std::ranges::find(on_the_way_, node.get()) != on_the_way_.end(); }

 private:
  const View& view_;
  const Buffer& buffer_;
  const size_t itemsize_;
  int left_ = 32;
  std::vector<const Node*> on_the_way_;
};

void check_shape(const Shape& shape) {
  for (int64_t length : shape)
    if (length < 0)
      throw Error(ErrorKind::value, "a shape has no negative lengths: " + str(shape));
}

}  // namespace

size_t checked_bytes(const Shape& shape, size_t itemsize) {
  check_shape(shape);
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  constexpr int address_bits = 47;  // a process's own, on x86-64; GPUs' memory is in the same space
  __int128 bytes = static_cast<__int128>(itemsize);
  for (int64_t length : shape) {
    bytes *= length;
    if (bytes > INT64_MAX)
      throw Error(ErrorKind::value, "an array of shape " + str(shape) + " is too large").why("64 bits do not count its bytes");
  }
  if (bytes > __int128{1} << address_bits)
    throw Error(ErrorKind::memory, "an array of shape " + str(shape) + " is too large")
        .why("its elements of " + std::to_string(itemsize) + " bytes are more than a process can address, 128 TiB");
  return static_cast<size_t>(bytes);
}

const View Array::State::of_numbers;

NodePtr Array::State::node_of_number() const {
  Expression constant;
  constant.kind = Expression::constant;
  constant.start = *number;
  constant.n_pending = 0;
  NodePtr made = make_node({}, dtype, *device, std::move(constant));
  made->n_arrays = 1;
  std::lock_guard guard(lock);
  if (!node) node = std::move(made);
  return node;
}

NodePtr Array::State::computed() const {
  NodePtr now = current();
  if (!now->is_done()) evaluate(now);
  return now;
}

Strides contiguous_strides(const Shape& shape, size_t itemsize) {
  Strides strides = shape;
  auto step = static_cast<int64_t>(itemsize);
  for (int64_t* each = strides.end(); each != strides.begin();) step *= std::exchange(*--each, step);
  return strides;
}

bool is_contiguous(const View& view, size_t itemsize) {
  int64_t step = static_cast<int64_t>(itemsize);
  for (size_t i = view.shape.size(); i-- > 0;) {
    if (view.shape[i] == 0) return true;
    if (view.shape[i] != 1 && view.strides[i] != step) return false;
    step *= view.shape[i];
  }
  return true;
}

void must_be_together(std::string_view what, const Device& a, const Device& b) {
  if (&a == &b) return;
  throw Error(ErrorKind::value, std::string(what) + " of arrays on " + a.str() + " and " + b.str()).fix("move one: x.to_device(\"" + a.str() + "\")");
}

std::string str(const Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.size(); ++i) {
    if (i) text += ", ";
    text += std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

Array Array::empty(const Shape& shape, Dtype dtype, Device& device, size_t element_size) {
  const size_t itemsize = size_of_element(dtype, element_size);
  return of(Storage::allocate(device, checked_bytes(shape, itemsize)), shape, dtype, itemsize);
}

Array Array::of(std::shared_ptr<Storage> storage, const Shape& shape, Dtype dtype, size_t itemsize) {
  return of(make_leaf(std::move(storage), shape, dtype, itemsize));
}

Array Array::zeros(const Shape& shape, Dtype dtype, Device& device, size_t element_size) {
  Array array = empty(shape, dtype, device, element_size);
  const auto buffer = array.buffer();
  if (array.nbytes())
    device.fill(buffer->memory(), 0, 1, array.nbytes(), device.current_stream());
  buffer->history.zeroed = true;
  return array;
}

Array Array::view(std::shared_ptr<Buffer> buffer, int64_t offset, const Shape& shape,
                  const Strides& strides, Dtype dtype, size_t element_size) {
  check_shape(shape);
  const size_t itemsize = size_of_element(dtype, element_size);
  const bool is_read_only = buffer->is_read_only();
  NodePtr node = make_leaf(Storage::of(buffer), shape, dtype, itemsize);
  return of(std::move(node), {shape, strides, offset}, dtype, itemsize, is_read_only);
}

Array Array::of(NodePtr node) { return Array(std::allocate_shared<State::Shown>(Recycled<State::Shown>(), std::move(node))); }

Array Array::of(NodePtr node, const View& view, Dtype dtype, size_t itemsize, bool is_read_only) {
  const bool is_contiguous = kasoku::is_contiguous(view, itemsize);
  return Array(std::allocate_shared<State::Shown>(Recycled<State::Shown>(), std::move(node), view, dtype, itemsize, is_read_only, is_contiguous));
}

Array Array::of(const Scalar& number, Dtype dtype, Device& device) {
  return Array(std::allocate_shared<State>(Recycled<State>(), number, dtype, device));
}

bool Array::become(const Scalar& number, Dtype dtype, const Device& device) const {
  if (!state_->number || state_->node || state_.use_count() != 1 || state_->dtype != dtype || state_->device != &device) return false;
  state_->number.emplace(number);
  return true;
}

const Shape& Array::shape() const { return state_->view.shape; }
int64_t Array::size() const { return product(shape()); }
Dtype Array::dtype() const { return state_->dtype; }
size_t Array::itemsize() const { return state_->itemsize; }
Device& Array::device() const { return *state_->device; }
bool Array::is_pending() const {
  std::lock_guard guard(state_->lock);
  return !state_->node || !state_->node->is_done();
}
bool Array::waits_on_shared() const {
  if (!Node::any_reads_shared.load(std::memory_order_relaxed)) return false;
  std::lock_guard guard(state_->lock);
  return state_->node && !state_->node->is_done() && state_->node->reads_shared;
}
const Strides& Array::strides() const { return state_->view.strides; }
int64_t Array::offset() const { return state_->view.offset; }
bool Array::is_contiguous() const { return state_->is_contiguous; }
bool Array::is_read_only() const { return state_->is_read_only; }

std::shared_ptr<Buffer> Array::buffer() const { return Storage::buffer_of(state_->computed()->storage); }

std::shared_ptr<Buffer> Array::buffer_if_computed() const {
  std::lock_guard guard(state_->lock);
  return state_->node && state_->node->is_done() ? Storage::buffer_of(state_->node->storage) : nullptr;
}

std::optional<Scalar> Array::number() const {
  if (state_->number) return state_->number;
  const auto pending = state_->current()->expression.load();
  return pending && pending->kind == Expression::constant ? std::optional(pending->start) : std::nullopt;
}

Scalar Array::item() const {
  alignas(16) char bytes[16];
  if (const std::optional<Scalar> number = this->number()) {
    number->store(dtype(), bytes);
    return Scalar::load(dtype(), bytes);
  }
  if (const NodePtr node = state_->current(); !node->is_done() && node->dtype == dtype())
    if (const std::optional<Scalar> computed = compute_element(node)) return *computed;
  const void* from = data_for_read();
  if (device().is_host()) std::memcpy(bytes, from, itemsize());
  else device().read(bytes, from, itemsize(), device().current_stream());
  return Scalar::load(dtype(), bytes);
}

void* Array::data() const {
  void* const first = address();
  state_->computed()->storage->buffer->use_here();
  return first;
}

void* Array::address() const {
  const NodePtr node = state_->computed();
  for (const NodePtr& reader : node->storage->take_readers()) evaluate(reader);
  return static_cast<char*>(node->storage->buffer->memory()) + state_->view.offset;
}

const void* Array::data_for_read() const {
  refuse_to_record("reading an array's values");
  if (const Held held(*this); held) return held.memory();  // of a host, which has no streams to wait for
  return data_for_call();
}

/// A replay reads the memory of what was pending before the recording.
static void settle_for_replay(const NodePtr& node) {
  if (Recorder::current() && !node->is_done() && Recording::is_from_before(*node)) evaluate(node);
}

const void* Array::data_for_call() const {
  if (Recorder::current()) settle_for_replay(state_->current());
  else if (const Held held(*this); held) return held.memory();
  const NodePtr node = state_->computed();
  node->storage->buffer->use_here();
  return static_cast<const char*>(node->storage->buffer->memory()) + state_->view.offset;
}

Input Array::input() const {
  NodePtr node = state_->current();
  settle_for_replay(node);
  if (node->dtype != state_->dtype) {  // memory seen as another dtype
    if (!node->is_done()) evaluate(node);
    NodePtr leaf = make_leaf(node->storage, state_->view.shape, state_->dtype, state_->itemsize);
    node = std::move(leaf);
  }
  return {std::move(node), state_->view};
}

Array Array::with_view(const View& view) const {
  return of(state_->current(), view, state_->dtype, state_->itemsize,
            state_->is_read_only);
}

Array Array::read_only() const {
  return of(state_->current(), state_->view, state_->dtype, state_->itemsize, true);
}

void must_be_writable(const Array& array) {
  if (!array.is_read_only()) return;
  Error error(ErrorKind::value, "assignment destination is read-only");
  if (array.ndim() == 0) error.why("an element that was read is a value");
  throw error.fix(array.ndim() == 0 ? "write to the array: x[i] = value" : "write to a copy: x = x.copy()");
}

void Array::store(const Array& value, bool is_only_here) const {
  must_be_writable(*this);
  if (value.shape() != shape())
    throw Error(ErrorKind::value,
                "an array of shape " + str(shape()) + " does not take one of shape " + str(value.shape()));
  Input input = value.input();
  const bool value_is_own = input.node->is_of_one_array() && value.state_->is_contiguous &&
                            input.view.offset == 0 && value.dtype() == dtype() &&
                            input.node->size() == size() && input.node->device == &device();
  NodePtr old;
  if (value_is_own && is_contiguous() && offset() == 0 && value.shape() == shape()) {
    const auto is_private = [&] {
      if (Recorder::current()) return false;  // a replay writes where this did
      const Node& node = *state_->node;
      const bool is_whole = (node.is_of_one_array() || state_->node.use_count() == 1) && node.size() == size() && node.dtype == state_->dtype;
      return is_whole && (!node.is_done() || owns_memory(node));
    };
    const auto asked_first = [&] {
      std::lock_guard guard(state_->lock);
      return is_private();
    };
    if ((is_eager() || input.node->reads_shared) && asked_first()) evaluate(input.node);  // a statement by itself
    std::lock_guard guard(state_->lock);
    if (is_private()) {
      Node& node = *state_->node;
      input.node->n_arrays.fetch_add(1);
      if (std::exchange(state_->is_counted, true)) node.n_arrays.fetch_sub(1);
      old = std::exchange(state_->node, std::move(input.node));
      return;
    }
  }
  if (input.node == state_->current() && input.view == state_->view) return;  // x[1:] += y writes what is there already
  const NodePtr node = state_->computed();
  PlaceOfValue place(state_->view, *node->storage->buffer, itemsize());
  constexpr long value_and_input = 2;
  const Reads reads = is_only_here && !input.node->is_done() ? place.reads(input, value_and_input) : Reads::others;
  const bool is_in_place = reads == Reads::elsewhere || (reads == Reads::own_elements && (state_->is_contiguous || are_apart(state_->view, itemsize())));
  for (const NodePtr& reader : node->storage->take_readers())
    if (!is_in_place || !place.has_on_the_way(reader)) evaluate(reader);
  if (write_directly(state_->view, *node->storage->buffer, dtype(), input)) return;
  evaluate_into(read_first(std::move(input), *this), *node->storage->buffer, state_->view, dtype());
}

Input read_first(Input input, const Array& written) {
  const Buffer& buffer = *written.state().computed()->storage->buffer;
  if (!input.node->is_done() || !may_overlap(input.view, *input.node->storage->buffer, input.node->itemsize, written.state().view, buffer, written.itemsize())) return input;
  Expression copy;
  copy.kind = Expression::cast;
  copy.inputs.push_back(input);
  NodePtr apart = make_node(input.view.shape, input.node->dtype, *input.node->device, copy);
  evaluate(apart);
  return Array::of(apart).input();
}

}  // namespace kasoku
