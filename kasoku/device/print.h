/// \file kasoku/device/print.h
/// Where a kernel's printf goes.
#pragma once

#include <string_view>

namespace kasoku {

/// Called with whole pieces of text, from any thread, one at a time. Null: stdout.
using PrintHook = void (*)(std::string_view text);
void set_print_hook(PrintHook hook);

/// One call of printf in a kernel ends here.
void print_text(std::string_view text);

}  // namespace kasoku
