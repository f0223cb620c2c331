/// \file python/src/jit_lists.h
/// Python lists, dicts and sets as arguments and results of compiled functions. A call works on copies; what it changed is
/// written back into the Python object when it ends.
#pragma once

#include "jit_values.h"

namespace kasoku {

/// Whether it is a list, dict or set that compiled code can take.
bool is_container(nb::handle value);

/// The type of an argument: that of its value, or of a container's items if they have one type.
jit::Type argument_type(nb::handle value);

/// A copy of a Python list, dict or set that lives as long as the thread's innermost ListScope.
bool pack_container(PyObject* container, const jit::Type& type, uint64_t* word, bool is_offloaded = false);

/// A result; `arguments` are as unpack() takes them.
nb::object unpack_container(const jit::Type& type, uint64_t word, PyObject* const* arguments, size_t n);

/// Gives up what the words of a result own: containers, instances and arrays.
void disown(const jit::Type& type, const uint64_t*& words);

/// A Python text's code points, and the text of some.
jit::String string_of(nb::handle text, jit::Strings& room);
nb::object python_string(jit::String text);
/// Where the thread's innermost ListScope has the texts of its call.
jit::Strings& strings_of_call();

/// Holds the lists, dicts, sets and texts of one call.
class ListScope {
 public:
  ListScope();
  ~ListScope();
  ListScope(const ListScope&) = delete;
  /// Writes what has changed back into the Python objects that it came from.
  void write_back(PyObject* const* arguments, size_t n);

 private:
  size_t begin_;
  jit::Strings strings_, *outer_;
};

}  // namespace kasoku
