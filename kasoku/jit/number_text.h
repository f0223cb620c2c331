/// \file kasoku/jit/number_text.h
/// Numbers as Python writes them.
#pragma once

#include "kasoku/jit/runtime.h"

#include <string>

namespace kasoku::jit {

/// Python's repr: the shortest that reads back, exponents beyond 1e16.
std::string shown(double value, bool is_single);
/// A number (String of a NumberKind) by a specification that fmt and Python have in common: [sign][0][width][.precision]kind; nothing for
/// any other.
std::string formatted(String value, String spec);

}  // namespace kasoku::jit
