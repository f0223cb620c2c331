/// \file kasoku/device/cpu/print_format.h
/// A kernel's printf: the text that a format and its packed arguments make.
#pragma once

#include <cstdint>
#include <string>

namespace kasoku::cpu {

/// `slots` holds one 64-bit slot for each argument in the order of the format (also
/// for `*`): integers extended by their own sign, doubles and pointers by their bits.
/// A conversion takes the width that its length modifier says, as C's printf does.
std::string format_packed(const char* format, const uint64_t* slots);
/// Reads the strings that format_packed() will read, and does no more: where they are none, it is here that it faults.
void read_strings(const char* format, const uint64_t* slots);

}  // namespace kasoku::cpu
