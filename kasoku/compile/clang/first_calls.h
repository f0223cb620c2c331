/// \file kasoku/compile/clang/first_calls.h
/// Which functions a run of the build's tool calls, in the order of their first calls: the linker
/// puts them side by side. A compile runs through 3 MB of the library's 45 MB of code, and spread
/// over all of it they were 700 page faults of a process's first compile.
#pragma once

#include <string>
#include <vector>

namespace kasoku::embedded {

/// Noted from before the first constructor, if the program has two arguments; ends it. The
/// symbols' names, none where a system does not let a program write to its own code.
std::vector<std::string> first_calls();

}  // namespace kasoku::embedded
