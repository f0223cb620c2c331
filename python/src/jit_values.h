/// \file python/src/jit_values.h
/// Python values as the 64-bit words of a compiled call, and back.
#pragma once

#include "bindings.h"
#include "kasoku/array/array.h"
#include "kasoku/check/shadow.h"
#include "kasoku/device/device.h"
#include "kasoku/jit/runtime.h"
#include "kasoku/jit/type.h"

#include <optional>
#include <string>
#include <vector>

namespace kasoku {

/// The objects that a call on a device keeps alive while it runs.
struct Offloaded {
  explicit Offloaded(Device& device) : device(device) {}
  Offloaded(const Offloaded&) = delete;
  ~Offloaded();
  Device& device;
  std::vector<jit::Memory*> held;
  bool has_array = false;  ///< an argument is an Array, so results are
};

/// The type of what is known when compiling (a text, a dtype, a member of an Enum), unknown for any other value.
jit::Type type_of_symbol(nb::handle value);

/// The number of the IntEnum that a number is a member of, below zero of an IntFlag, 0 of no Enum; nothing if its class has
/// operators of its own, or members that are no numbers of 64 bits.
std::optional<int> enumeration_of(nb::handle number);
/// The member that has this value.
nb::object member_of(int enumeration, nb::handle value);

/// Type::text of a named tuple of the class: its names, and what tells it from classes of the same names.
std::string names_of_tuple(nb::handle named);
/// The class that gave the text, the last of its name.
nb::handle class_of_names(const std::string& names);

/// The UTF-8 of a text; nothing if it has half of a surrogate pair, which UTF-8 has not.
std::optional<std::string> text_of_unicode(nb::handle text);

/// Writes `value` as words of `type` and moves `words` on; false if it is of another type, or if an
/// array does not lie where the call runs (on the host without `offloaded`).
bool pack(PyObject* value, const jit::Type& type, uint64_t*& words, Offloaded* offloaded = nullptr);

/// pack() a value of type `from` as `to`; the conversion has to be allowed (jit/signature.h).
bool pack_converted(PyObject* value, const jit::Type& from, const jit::Type& to, uint64_t*& words, Offloaded* offloaded = nullptr);

/// Throws an OverflowError for a negative integer, or one in a tuple, that would become an unsigned one.
void refuse_negative(PyObject* value, const jit::Type& from, const jit::Type& to);

/// The Python value of a result. `arguments` own the memory of arrays that are views of them.
nb::object unpack(const jit::Type& type, const uint64_t*& words, PyObject* const* arguments, size_t n,
                  Offloaded* offloaded = nullptr);

/// The devices of Arrays among the values (in tuples too), and whether there are NumPy arrays.
struct Where {
  Device* device = nullptr;  ///< of the first Array
  Device* other = nullptr;   ///< of one that lies elsewhere
  bool has_numpy = false;
  void look(PyObject* value);
  /// Arrays of the call lie in different places: no matter for the interpreter either.
  bool is_mixed() const { return other || (device && has_numpy && !device->is_host()); }
};

/// The memory of an array argument for check, from the words that a call gets: data, shape,
/// strides (in elements).
KnownArray known_array(const jit::Type& type, const uint64_t* words, std::string name);

/// A NumPy array's fields, without its headers.
struct NumpyArray {
  PyObject base_object;
  char* data;
  int ndim;
  Py_ssize_t* shape;
  Py_ssize_t* strides;
  PyObject* base;
  PyObject* descr;
  int flags;
};
inline bool is_read_only(const NumpyArray& array) { return !(array.flags & 0x400); }
/// The array, if `object` is one of ours; else null.
const Array* as_array(PyObject* object);
/// The array, if `object` is one of a dtype and byte order that compiled code reads; else null.
const NumpyArray* as_numpy(PyObject* object, Dtype& dtype);
/// Of an array, of NumPy or ours, whose elements lie where no instruction may expect them (in a packed record, in the
/// middle of a message), a copy that lies right; null of anything else. The call changes the copy, and the caller the
/// array.
nb::object well_placed_copy(PyObject* object);

}  // namespace kasoku
