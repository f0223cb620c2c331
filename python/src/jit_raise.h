/// \file python/src/jit_raise.h
/// The exception of a compiled call that failed.
#pragma once

#include "bindings.h"
#include "kasoku/jit/runtime.h"

#include <span>
#include <string>

namespace kasoku {

/// Raises what the record says. `text`: jit::failure_text() of it; `raised`: what makes the exceptions of the raise
/// statements that were compiled, by their numbers.
[[noreturn]] void raise_failure(const jit::CallRecord& record, const std::string& text, std::span<const nb::object> raised);

}  // namespace kasoku
