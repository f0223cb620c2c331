/// \file kasoku/array/explain.h
/// What would run for an array, in sentences: groups, why each is cut from the next, and how each would run.
#pragma once

#include "kasoku/array/array.h"

#include <string>

namespace kasoku {

/// Runs nothing and compiles nothing.
std::string explain(const Array& array);

}  // namespace kasoku
