/// \file kasoku/base/text.h
/// Small helpers for messages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kasoku {

/// "a, b, c"
std::string join(const std::vector<std::string>& words, std::string_view separator = ", ");
std::string lower(std::string_view text);
/// Without white space at both ends.
std::string_view strip(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
/// 'text', for a name in a sentence.
std::string quote(std::string_view text);
/// The text's first bytes, whole letters of UTF-8, and "…" where there are more.
std::string excerpt(std::string_view text, size_t most);
/// "void scale<float>(float*, int)" of a C++ symbol; another name as it is.
std::string demangled(const std::string& symbol);
/// The text, for as long as the process lives: for few texts, of which somebody keeps a pointer.
const char* lasting(std::string text);
/// "512 bytes", "1.5 KiB", "1.0 PiB".
std::string bytes_text(uint64_t bytes);

/// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
size_t edit_distance(std::string_view a, std::string_view b);
/// The name that `wrong` was probably meant to be; empty if none is close.
std::string closest(std::string_view wrong, const std::vector<std::string>& names);
/// The part of an error about an unknown name that lists the known ones: "did you mean 'add'? It has: add, sub". Long
/// lists are cut. `what` is the plural, "kernels".
std::string known_names(std::string_view wrong, const std::vector<std::string>& names,
                        std::string_view what);

std::string to_hex(std::string_view bytes);
/// Throws ErrorKind::value if it is not hexadecimal.
std::string from_hex(std::string_view hex);

}  // namespace kasoku
