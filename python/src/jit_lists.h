/// \file python/src/jit_lists.h
/// Python lists as arguments and results of compiled functions. A call works on copies; what it changed is written
/// back into the Python list when it ends.
#pragma once

#include "jit_values.h"

namespace kasoku {

/// The type of an argument: that of its value, or of a list's items if they have one type.
jit::Type argument_type(nb::handle value);

/// A copy of a Python list that lives as long as the thread's innermost ListScope.
bool pack_list(PyObject* list, const jit::Type& type, uint64_t* word, bool is_offloaded = false);

/// A result; `arguments` are as unpack() takes them.
nb::object unpack_list(const jit::Type& type, uint64_t word, PyObject* const* arguments, size_t n);

/// Holds the lists of one call.
class ListScope {
 public:
  ListScope();
  ~ListScope();
  ListScope(const ListScope&) = delete;
  /// Writes changed lists back into the Python lists that they came from.
  void write_back(PyObject* const* arguments, size_t n);

 private:
  size_t begin_;
};

}  // namespace kasoku
