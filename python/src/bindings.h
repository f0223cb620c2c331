/// \file python/src/bindings.h
/// What every binding file includes: nanobind, and the contract that a file
/// NAME.cpp defines `void kasoku::bind_NAME(nb::module_&)`.
///
/// Conversions only, no logic. The GIL is released around everything that may
/// launch, copy, compile or wait (`no_gil`).
#pragma once

#include <nanobind/nanobind.h>

namespace nb = nanobind;

namespace kasoku {

using no_gil = nb::call_guard<nb::gil_scoped_release>;

}  // namespace kasoku
