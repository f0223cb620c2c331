/// \file kasoku/jit/text.h
/// "ks_jit.h": the kernel text that every compiled function includes - arrays,
/// Python's arithmetic, draws, slices, and the run-time functions it calls.
#pragma once

#include <string_view>

namespace kasoku::jit {

std::string_view support_text();

}  // namespace kasoku::jit
