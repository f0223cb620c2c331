/// \file kasoku/device/cpu/overrun.h
/// Memory that was found written past its end when it was given back, and the kernel that ran last.
#pragma once

#include <cstddef>

namespace kasoku::cpu {

/// A kernel of a user's begins; the name stays for ever.
void note_kernel(const char* name);
/// nullptr if there was none. Handlers of signals may ask.
const char* last_kernel();

/// Remembers an overrun for throw_overruns(); for destructors, which cannot throw.
void note_overrun(size_t bytes) noexcept;
/// Throws what was noted since it was called last.
void throw_overruns();

}  // namespace kasoku::cpu
