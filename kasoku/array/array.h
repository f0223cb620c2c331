/// \file kasoku/array/array.h
/// An n-dimensional array on a device; a value type that shares its memory, as
/// NumPy's views do.
///
/// An Array is a view of a Node (array/graph.h): computed, or pending until
/// something asks for memory. Any thread may use any Array at any time; writing
/// the same elements from two threads is the caller's race, as in NumPy.
#pragma once

#include "kasoku/array/graph.h"
#include "kasoku/base/dtype.h"
#include "kasoku/device/buffer.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace kasoku {

class Array {
 public:
  Array() = default;

  /// New memory, C order, contents not defined. `element_size` only for Dtype::opaque.
  static Array empty(const Shape& shape, Dtype dtype, Device& device, size_t element_size = 0);
  static Array zeros(const Shape& shape, Dtype dtype, Device& device, size_t element_size = 0);
  /// A view of `buffer`; `offset` bytes in.
  static Array view(std::shared_ptr<Buffer> buffer, int64_t offset, const Shape& shape,
                    const Strides& strides, Dtype dtype, size_t element_size = 0);
  /// All of a storage's memory, in C order.
  static Array of(std::shared_ptr<Storage> storage, const Shape& shape, Dtype dtype, size_t itemsize);
  /// All of a node.
  static Array of(NodePtr node);
  static Array of(NodePtr node, const View& view, Dtype dtype, size_t itemsize, bool is_read_only);
  /// A read-only array of no axes: what an element that was read is. It has no node before somebody asks for one.
  static Array of(const Scalar& number, Dtype dtype, Device& device);

  /// Makes an element that was read another number of that dtype. False, and nothing done, where this is none of it, or
  /// somebody else has it: another Array, or the graph.
  bool become(const Scalar& number, Dtype dtype, const Device& device) const;

  bool is_null() const { return !state_; }
  const Shape& shape() const;
  int ndim() const { return static_cast<int>(shape().size()); }
  int64_t size() const;       ///< number of elements
  Dtype dtype() const;
  size_t itemsize() const;    ///< bytes of an element
  size_t nbytes() const { return static_cast<size_t>(size()) * itemsize(); }
  Device& device() const;

  bool is_pending() const;
  /// Whether it is pending and reads memory that others can write.
  bool waits_on_shared() const;
  /// The first element. Runs what is pending, also whatever still reads this
  /// memory, so that the caller may write it in the order of its thread's stream.
  void* data() const;
  /// data() for a caller that orders its work itself, by Buffer::use_on().
  void* address() const;
  /// data() for a caller that only reads; not while the thread records, for it may read at once.
  const void* data_for_read() const;
  /// data_for_read() for a library that works in the stream's order and can be recorded (call_library() of replay.h).
  const void* data_for_call() const;
  /// Runs what is pending.
  std::shared_ptr<Buffer> buffer() const;
  /// The memory of an array that is computed; null while it is pending.
  std::shared_ptr<Buffer> buffer_if_computed() const;

  const Strides& strides() const;
  int64_t offset() const;     ///< bytes from the start of the buffer to the first element
  bool is_contiguous() const; ///< C order
  bool is_read_only() const;

  /// The number that all elements are, where that is known before anything runs.
  std::optional<Scalar> number() const;
  /// The only element; waits until it is computed. One that is pending elsewhere than in the host's memory takes no memory there.
  Scalar item() const;
  /// This array's node and view, as an input of an expression.
  Input input() const;
  /// Another view of the same memory (same dtype).
  Array with_view(const View& view) const;
  Array read_only() const;
  /// Replaces the value: lazily where nobody else shows this memory, else by
  /// writing through the view. `value` has this shape and dtype.
  void assign(const Array& value) const { store(value, false); }
  /// assign() of a value that nobody else holds. It is computed right into this array, unless it reads other elements
  /// of it.
  void assign(Array&& value) const { store(value, value.state_.use_count() == 1); }

  struct State;  ///< array/state.h
  const State& state() const { return *state_; }

 private:
  void store(const Array& value, bool is_only_here) const;
  explicit Array(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

void must_be_writable(const Array& array);

/// `input`, or a copy of it where the elements that it is to be stored in, `written`, lie in the same memory.
Input read_first(Input input, const Array& written);

/// C-order strides in bytes.
Strides contiguous_strides(const Shape& shape, size_t itemsize);
bool is_contiguous(const View& view, size_t itemsize);

/// Unless both lie on one device, an error that says so; `what`: "matmul", or what else reads both.
void must_be_together(std::string_view what, const Device& a, const Device& b);

/// "(3, 4)", as Python writes it.
std::string str(const Shape& shape);

}  // namespace kasoku
