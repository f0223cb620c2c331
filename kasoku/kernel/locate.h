/// \file kasoku/kernel/locate.h
/// Where a kernel's text stands in the user's own file. The text is compiled under a name of its
/// own ("kernel.cu"), so that moving it does not compile it again; messages are led back to the
/// user's file when there is one to show.
#pragma once

#include "kasoku/base/error.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace kasoku {

struct SourceLine {
  std::string file;
  int line = 0;
};

/// The user's line for a line of a part of the text ("kernel.cu", "plus_one preamble"); nothing if
/// it is not known. Empty where nobody can know.
using Locator = std::function<std::optional<SourceLine>(const std::string& part, int line)>;

/// A compiler's messages, and that of an assertion, with the user's files and lines in place of the parts'.
std::string in_users_lines(const std::string& message, const Locator& locate);

/// Compiles or launches; what does not compile, or fails as it runs, is told in the user's lines.
template <class F>
auto with_users_lines(const Locator& locate, F&& run) -> decltype(run()) {
  try {
    return run();
  } catch (const Error& error) {
    if ((error.kind != ErrorKind::compile && error.kind != ErrorKind::device) || !locate) throw;
    const std::string told = in_users_lines(error.what(), locate);
    if (told == error.what()) throw;
    throw Error(error.kind, told);
  }
}

}  // namespace kasoku
