/// \file kasoku/base/warning.h
/// What a user should know though nothing failed. The library prints nothing:
/// whoever embeds it sets a hook (Python: warnings.warn), or asks for them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kasoku {

enum class WarningKind : uint8_t { general, cache, compile, swapped_arguments };

struct Warning {
  WarningKind kind;
  std::string text;
};

using WarningHook = std::function<void(const Warning&)>;

/// An empty hook collects again. The hook may be called from any thread.
void set_warning_hook(WarningHook hook);
void warn(WarningKind kind, const std::string& text);
/// Returns the warnings that came while there was no hook (at most the last hundred), and forgets them.
std::vector<Warning> take_warnings();

}  // namespace kasoku
