/// \file python/src/numpy_functions.h
/// NumPy's functions called with our arrays, and what NumPy computes of them because we have no such function.
#pragma once

#include "bindings.h"

#include <span>

namespace kasoku {

/// What NumPy's function of this name (for messages and counts) gives for arguments that hold our arrays: it reads and
/// writes their memory on a host, and arrays of its results are ours, on the same device. TypeError where the first of
/// the arrays lies on another device, unless the program was started with `kasoku run --numpy`: then it moves there and
/// back.
nb::object call_numpy(const std::string& name, nb::handle function, nb::handle args, nb::handle kwargs);

/// What a method of arrays gives under `kasoku run --numpy`, where ours gave `result`: computed values of no axes as NumPy's
/// numbers; and, if there is none because ours declined (Python's error is set), what NumPy's gives.
nb::object as_numpys_method(nb::object result, nb::handle numpys, bool moves_elements, std::span<PyObject* const> args, PyObject* names);
/// Whether a function or method of NumPy's of this name only moves elements: its results stay arrays.
bool moves_elements(std::string_view name);

/// The result of an operator under `kasoku run --numpy`: NumPy's number for a computed value of no axes in memory of
/// the host.
nb::object number_of_host(nb::object result);

/// The only element as NumPy's own number.
nb::object numpy_number(const Array& array);

/// Whether elements are NumPy's own numbers, as a program under `kasoku run --numpy` expects them.
bool elements_are_numpys();

/// Whether it is an array with rules of its own, which NumPy knows how to ask: an instance of a subclass of NumPy's
/// array (a masked array, a matrix), or of a class with NumPy's protocols. What lies in a file is an array as any
/// other.
bool has_rules_of_its_own(nb::handle object);

inline bool tells_errors = false;
/// Whether NumPy computes under `kasoku run --numpy`, because the program has it raise or tell floating-point errors
/// (np.errstate).
inline bool numpy_tells_errors() { return tells_errors; }

}  // namespace kasoku
