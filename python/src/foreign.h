/// \file python/src/foreign.h
/// Arrays of other libraries, by __cuda_array_interface__ and DLPack: where they lie, and in which of their streams work
/// on them goes on. Work here comes after what such a stream holds when the array is shown, and the stream goes on after
/// the last work here when our array over its memory is gone.
#pragma once

#include "bindings.h"
#include "kasoku/array/array.h"

#include <optional>

namespace kasoku {

/// An array over memory that `owner` keeps: `first` is its first element, strides count bytes. `theirs`: see Buffer::adopt.
Array adopted(Device& device, void* first, const Shape& shape, const Strides& strides, Dtype dtype, size_t itemsize,
              std::shared_ptr<void> owner, bool is_read_only, Stream* theirs = nullptr);

/// Keeps a Python object.
std::shared_ptr<void> keep(nb::handle object);

/// An array over the memory that __cuda_array_interface__ names; nothing if the object has no such attribute. Its
/// device is that of the address, which a face on a CPU may have in the host's memory.
std::optional<Array> array_of_interface(nb::handle object);

/// An array over the memory of an object with __dlpack__, or of a capsule. TypeError for elements that no array of ours
/// holds, UnsupportedError for memory of a device that we do not have.
Array array_of_dlpack(nb::handle object);

/// Gives an array to a library that reads it on its stream of this handle, by DLPack's numbers: nothing is the legacy
/// default stream, -1 waits for nothing. ValueError for 0.
void give_to(const Array& array, std::optional<int64_t> handle);

/// An array of ours over another library's memory that NumPy cannot read: a GPU's, or the host's shown by DLPack alone.
/// Nothing for whatever NumPy reads, and for Python's objects and ours.
std::optional<Array> foreign_array(nb::handle object);

/// What stands in a call for another library's array or column (a pandas Series, an Arrow array): an array of ours over a
/// GPU's memory, one of NumPy over the host's. Nothing for any other object.
nb::object stand_in(nb::handle object);

}  // namespace kasoku
