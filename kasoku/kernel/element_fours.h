/// \file kasoku/kernel/element_fours.h
/// The form of an elementwise kernel in which a thread takes four elements in a row.
#pragma once

#include "kasoku/kernel/element_text.h"

#include <string>
#include <vector>

namespace kasoku {

/// Whether every run of the operation gives every output a value before it looks at it, as far
/// as the text shows: only then may an output's old elements stay unread.
bool always_assigns(const std::string& operation, const std::vector<Parameter>& outputs);

/// The body of the kernel, after its parameters; `lines` is the operation.
std::string fours_body(const ElementText& text, const std::string& index_type, const std::string& prologue,
                       const std::string& lines);

}  // namespace kasoku
