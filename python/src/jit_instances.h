/// \file python/src/jit_instances.h
/// Classes with typed fields (numba's jitclass) as types of compiled functions, and their instances as results.
#pragma once

#include "bindings.h"
#include "kasoku/jit/type.h"

namespace kasoku {

/// The type of the class' instances; unknown if it is no such class, or a field is of a type that compiled code does not have.
jit::Type type_of_instances(nb::handle cls);

/// The class that gave the type.
nb::handle class_of_instances(const jit::Type& type);

}  // namespace kasoku
