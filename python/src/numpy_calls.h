/// \file python/src/numpy_calls.h
/// What calls of NumPy's functions with our arrays are made of: numpy_functions.cpp and numpy_ufuncs.cpp have the protocols,
/// numpy_function_object.cpp the functions that a program under `kasoku run --numpy` finds, numpy_calls.cpp what NumPy computes.
#pragma once

#include "bindings.h"

#include <initializer_list>
#include <string>
#include <string_view>

namespace kasoku::by_numpy {

/// Whether a function of ours declined: arguments or dtypes that it has not (NumPy says if they are wrong), or what it does
/// not do.
bool declines(const nb::python_error& error);
/// Whether it, or one in a tuple or list, is such; not deeper than arrays have axes, for a list may hold itself.
bool holds(nb::handle object, bool (*is_such)(nb::handle), int axes = 64);
bool is_instance(nb::handle object, const char* name);
/// A computed value of no axes as a number of NumPy's, where elements are such; also in a tuple with names, as linalg's functions give them.
nb::object numbers_or_arrays(nb::object result, bool moves_elements);
nb::object through_numpy(const std::string& name, nb::handle function, nb::handle args, nb::handle kwargs,
                         bool keeps_numbers);
bool is_one_of(std::string_view name, std::initializer_list<const char*> names);
/// Functions that write into their first argument.
bool writes_first(std::string_view name);
/// Whether NumPy computes with what no array of ours holds, or what has rules of its own.
bool is_numpys_alone(nb::handle object);
bool holds_what_is_numpys_alone(nb::handle object);
/// NumPy's own result, with arrays in it as ours; `is_ours`: there is a function of ours for it.
nb::object taken(const std::string& name, bool is_ours, nb::handle result);

/// The object of Python's that a program under `kasoku run --numpy` finds as a function of NumPy's.
nb::object make_numpy_function(const std::string& name, nb::object numpys, nb::handle ours, bool makes_arrays, int64_t least);

}  // namespace kasoku::by_numpy
