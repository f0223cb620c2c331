/// \file python/src/function.h
/// The functions and methods that Python sees: nanobind's, with a signature that Python's `inspect` reads.
#pragma once

#include "bindings.h"

namespace kasoku {

/// Whether it is a function of ours: a ufunc or another one, and no class or method.
bool is_function(nb::handle object);

/// Puts functions in the place of those that the module and its classes have so far. Rows of ops.def become ufuncs.
void show_functions(nb::module_& m);

}  // namespace kasoku
