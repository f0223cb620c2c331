/// \file kernel_arguments.h
/// Python objects as arguments of a kernel: arrays of ours and of NumPy, numbers, records,
/// addresses, None, and objects that stand for an array (`__kasoku_array__`).
#pragma once

#include "bindings.h"
#include "kasoku/kernel/arguments.h"

#include <forward_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace kasoku {

/// A host array that a launch copies to its device before, back after, or both. On a cpu the
/// kernel uses the host's memory itself, if it is more than a few KiB.
struct HostArgument {
  nb::object array;
  bool copy_in = true, copy_out = false;
};

/// The dtype of a NumPy scalar's class; nothing for any other class.
std::optional<Dtype> numpy_scalar_dtype(PyTypeObject* type);

/// The arguments of one call. Holds what was made for it until it goes; nothing is allocated
/// for arrays of ours and for numbers.
class CallArguments {
 public:
  CallArguments();
  CallArguments(const CallArguments&) = delete;
  CallArguments& operator=(const CallArguments&) = delete;
  ~CallArguments();

  /// `is_read`: by a kernel over elements, so that an array may stay pending.
  void add(nb::handle object, bool is_read = false);
  std::span<const Argument> span() const { return {arguments_, count_}; }
  std::span<Argument> span() { return {arguments_, count_}; }
  bool has_host_arguments() const { return !transfers_.empty(); }
  /// For host arguments: memory on `device`, filled. Call without the GIL.
  void copy_in(Device& device, Stream& stream);
  void copy_out(Stream& stream);

 private:
  struct HostView;   // an exported Python buffer
  struct Transfer {
    size_t index;
    bool in, out;
    Array on_device;
    ArrayRef host;
  };

  Argument& next();
  ArrayRef host_ref(nb::handle object);
  bool add_foreign(nb::handle object);
  /// The address of somebody else's allocation: an index itself, or what it holds under a name that is known.
  bool add_address(nb::handle object);

  static constexpr size_t inline_count = 16;
  alignas(Argument) std::byte inline_[inline_count * sizeof(Argument)];
  Argument* arguments_ = reinterpret_cast<Argument*>(inline_);
  size_t count_ = 0, capacity_ = inline_count;
  std::unique_ptr<Argument[]> more_;
  std::vector<std::unique_ptr<HostView>> views_;  // a view may point into itself
  std::forward_list<Array> foreign_;  // over other libraries' arrays; of none it takes no memory
  std::vector<Transfer> transfers_;
};

/// A Stream, an object that has one (`__kasoku_stream__`), or nullptr for None.
Stream* stream_from(nb::handle object);

/// A launch's dynamic shared memory.
uint32_t bytes_from(nb::handle object);
/// Up to three lengths of a grid or block: an int or a sequence of ints.
void dims_from(nb::handle object, const char* what, uint32_t dims[3]);

/// The array of an object that is one or stands for one; nullptr if it is neither. The
/// array lives as long as `object`.
const Array* array_in(nb::handle object);

}  // namespace kasoku
