/// \file python/src/jit_records.h
/// NumPy's structured arrays and their elements as arguments of compiled functions.
#pragma once

#include "jit_values.h"

namespace kasoku {

/// The record of a structured dtype; unknown if it is none. `is_aligned`: the memory is where its fields want it.
jit::Type record_type(nb::handle dtype, bool is_aligned = true);

/// The type of a structured NumPy array, or of one of its elements (numpy.void); unknown for anything else.
jit::Type type_of_records(PyObject* value);

/// The address of the bytes of a numpy.void.
char* record_address(PyObject* value);

/// The type of a numpy.random.Generator, which is a record too; unknown for anything else.
jit::Type type_of_generator(PyObject* value);
void* generator_address(PyObject* value);

/// A record's structured dtype.
nb::object dtype_of_record(const jit::Type& record);

}  // namespace kasoku
