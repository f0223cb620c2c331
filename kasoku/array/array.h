/// \file kasoku/array/array.h
/// An n-dimensional array on a device; a value type that shares its buffer, as
/// NumPy's views do.
///
/// An Array is either concrete (a buffer, shape and strides) or pending (a node
/// of the Graph); what asks for memory runs what is pending.
#pragma once

#include "kasoku/base/dtype.h"
#include "kasoku/device/buffer.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace kasoku {

using Shape = std::vector<int64_t>;
using Strides = std::vector<int64_t>;  ///< bytes, as NumPy's; may be negative or 0

struct Node;  // array/graph.h

class Array {
 public:
  Array() = default;

  /// New memory, C order, contents not defined. `element_size` only for Dtype::opaque.
  static Array empty(const Shape& shape, Dtype dtype, Device& device, size_t element_size = 0);
  static Array zeros(const Shape& shape, Dtype dtype, Device& device, size_t element_size = 0);
  /// A view of `buffer`; `offset` bytes in.
  static Array view(std::shared_ptr<Buffer> buffer, int64_t offset, const Shape& shape,
                    const Strides& strides, Dtype dtype, size_t element_size = 0);

  const Shape& shape() const;
  int ndim() const { return static_cast<int>(shape().size()); }
  int64_t size() const;       ///< number of elements
  Dtype dtype() const;
  size_t itemsize() const;    ///< bytes of an element
  size_t nbytes() const { return static_cast<size_t>(size()) * itemsize(); }
  Device& device() const;

  bool is_pending() const;
  /// These run what is pending.
  void* data() const;         ///< first element
  const Strides& strides() const;
  const std::shared_ptr<Buffer>& buffer() const;
  bool is_contiguous() const; ///< C order
  bool is_read_only() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// C-order strides in bytes.
Strides contiguous_strides(const Shape& shape, size_t itemsize);

}  // namespace kasoku
