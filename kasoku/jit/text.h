/// \file kasoku/jit/text.h
/// "ks_jit.h": the kernel text that every compiled function includes - arrays,
/// Python's arithmetic, draws, slices, and the run-time functions it calls.
#pragma once

#include <string>
#include <string_view>

namespace kasoku::jit {

std::string_view support_text();

/// "ks_tree.h", which it includes: the fixed tree of reductions as functions of a chunk's number, the length of all, the length of
/// rows, the identity, `values(row)(column)` and the join.
const std::string& tree_text();
/// "ks_tuple.h", which it includes: tuples as structs, of the lengths that the text has.
std::string tuple_text(std::string_view text);

}  // namespace kasoku::jit
