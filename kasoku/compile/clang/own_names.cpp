#include "kasoku/compile/clang/own_names.h"

#include "kasoku/base/words.h"

namespace kasoku::embedded {
namespace {

constexpr std::string_view prefix = "ks_own_";

constexpr std::string_view types[] = {
    "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    "uchar", "ushort", "uint", "ulong", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "half",
    "half2", "complex", "bfloat16", "clock_t", "ssize_t", "timeval", "timespec", "FILE", "time_t",
};
constexpr std::string_view constants[] = {
    "M_E", "M_PI", "M_PI_2", "M_PI_4", "M_1_PI", "M_2_PI", "M_SQRT2", "M_SQRT1_2", "M_LN2",
    "M_LN10", "M_LOG2E", "INFINITY", "NAN", "FLT_MAX", "FLT_MIN", "FLT_EPSILON", "DBL_MAX",
    "DBL_MIN", "DBL_EPSILON", "INT_MAX", "INT_MIN", "UINT_MAX", "CHAR_BIT", "HUGE_VAL", "NULL",
};

/// Calls `visit(begin, end)` for each place where `name` stands as a word.
template <class Visit>
bool any_place(std::string_view text, std::string_view name, Visit visit) {
  for (size_t at = find_word(text, name); at != text.npos; at = find_word(text, name, at + 1))
    if (visit(at, at + name.size())) return true;
  return false;
}

char next_character(std::string_view text, size_t at) {
  at = text.find_first_not_of(" \t\r\n", at);
  return at == std::string_view::npos ? '\0' : text[at];
}

bool ends_with_word(std::string_view text, std::string_view word) {
  const size_t end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return false;
  text = text.substr(0, end + 1);
  return text.ends_with(word) && (text.size() == word.size() || !is_word_char(text[text.size() - word.size() - 1]));
}

/// typedef … name; using name = …; struct name {…};
bool defines_type(std::string_view text, std::string_view name) {
  return any_place(text, name, [&](size_t begin, size_t end) {
    const char next = next_character(text, end);
    const std::string_view before = text.substr(0, begin);
    if (next == '=' && ends_with_word(before, "using")) return true;
    if ((next == '{' || next == ':') && (ends_with_word(before, "struct") || ends_with_word(before, "class")))
      return true;
    if (next != ';') return false;
    const size_t start = before.find_last_of(";{}#");
    const std::string_view statement = before.substr(start == std::string_view::npos ? 0 : start + 1);
    return any_place(statement, "typedef", [](size_t, size_t) { return true; });
  });
}

/// `const float name = …`, which a macro of that name would spoil.
bool defines_variable(std::string_view text, std::string_view name) {
  return any_place(text, name, [&](size_t begin, size_t end) {
    const size_t next = text.find_first_not_of(" \t", end);
    if (next == std::string_view::npos || text[next] != '=' || text.substr(next, 2) == "==") return false;
    const std::string_view before = text.substr(0, begin);
    for (std::string_view word : {"float", "double", "int", "const", "unsigned", "auto", "char", "long"})
      if (ends_with_word(before, word)) return true;
    return false;
  });
}

}  // namespace

std::string own_names(std::string_view text) {
  std::string out;
  for (std::string_view name : types)
    if (defines_type(text, name))
      out += "#define " + std::string(name) + ' ' + std::string(prefix) + std::string(name) + '\n';
  for (std::string_view name : constants)
    if (defines_variable(text, name)) out += "#undef " + std::string(name) + '\n';
  // Programs cut out of a file have lost the line that gives the namespace its short name.
  const bool uses_short = text.find("cg::") != std::string_view::npos;
  if (uses_short && !any_place(text, "cg", [&](size_t begin, size_t) {
        return ends_with_word(text.substr(0, begin), "namespace");
      }))
    out += "namespace cg = cooperative_groups;\n";
  return out;
}

std::string without_own_names(std::string type) {
  for (size_t at = type.find(prefix); at != std::string::npos; at = type.find(prefix, at))
    type.erase(at, prefix.size());
  return type;
}

}  // namespace kasoku::embedded
