/// \file python/src/origin.h
/// Leads messages about a kernel's text to the user's Python file (kasoku/_origin.py looks there).
#pragma once

#include "bindings.h"
#include "kasoku/kernel/locate.h"

#include <string>
#include <utility>
#include <vector>

namespace kasoku {

/// A part of a kernel's text as messages call it ("kernel.cu", "twice preamble"), and the text.
using TextPart = std::pair<std::string, std::string>;

/// For a kernel that the current Python statement makes. Nothing is looked up before a message
/// needs it.
Locator locator_here(std::vector<TextPart> parts);

}  // namespace kasoku
