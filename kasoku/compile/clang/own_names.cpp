#include "kasoku/compile/clang/own_names.h"

#include "kasoku/base/words.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kasoku::embedded {
namespace {

constexpr std::string_view prefix = "ks_own_";

constexpr std::string_view types[] = {
    "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    "uchar", "ushort", "uint", "ulong", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "half",
    "half2", "complex", "bfloat16", "clock_t", "ssize_t", "timeval", "timespec", "FILE", "time_t",
};
constexpr std::string_view constants[] = {
    "M_E", "M_PI", "M_PI_2", "M_PI_4", "M_1_PI", "M_2_PI", "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2", "M_LN2",
    "M_LN10", "M_LOG2E", "M_LOG10E", "INFINITY", "NAN", "FLT_MAX", "FLT_MIN", "FLT_EPSILON", "DBL_MAX",
    "DBL_MIN", "DBL_EPSILON", "CHAR_MIN", "CHAR_MAX", "UCHAR_MAX", "SHRT_MIN", "SHRT_MAX", "USHRT_MAX",
    "INT_MAX", "INT_MIN", "UINT_MAX", "LONG_MIN", "LONG_MAX", "ULONG_MAX", "LLONG_MIN", "LLONG_MAX", "ULLONG_MAX",
    "INT8_MIN", "INT8_MAX", "UINT8_MAX", "INT16_MIN", "INT16_MAX", "UINT16_MAX", "INT32_MIN", "INT32_MAX",
    "UINT32_MAX", "INT64_MIN", "INT64_MAX", "UINT64_MAX", "SIZE_MAX", "CHAR_BIT", "HUGE_VAL", "HUGE_VALF", "NULL",
    "RAND_MAX", "CUDART_INF", "CUDART_INF_F", "CUDART_NAN", "CUDART_NAN_F", "CUDART_PI", "CUDART_PI_F",
};
/// What the compiler itself looks for in std.
constexpr std::string_view compilers_own[] = {"initializer_list", "nullptr_t"};

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

/// What stands in each `namespace std { … }` of the text, with empty braces for all that are within.
std::string directly_in_std(std::string_view text) {
  std::string found;
  any_place(text, "std", [&](size_t begin, size_t end) {
    if (next_character(text, end) != '{' || !ends_with_word(text.substr(0, begin), "namespace")) return false;
    int depth = 0;
    for (size_t at = text.find('{', end); at < text.size(); ++at) {
      if (text.substr(at, 2) == "//") at = std::min(text.find('\n', at), text.size());
      if (text.substr(at, 2) == "/*") at = std::min(text.find("*/", at), text.size() - 2) + 2;
      if (at >= text.size()) break;
      const char c = text[at];
      if (c == '}' && --depth == 0) break;
      if (c == '{' ? depth++ == 1 : depth == 1) found += c;
    }
    found += '\n';
    return false;
  });
  return found;
}

/// The types, templates and alias templates that are defined or declared there; `numeric_limits<float>` is
/// not numeric_limits.
std::vector<std::string> types_of_std(std::string_view text) {
  std::vector<std::string> names;
  for (size_t at = 0; at < text.size();) {
    const size_t end = word_end(text, at);
    if (end == at) {
      ++at;
      continue;
    }
    const std::string name(text.substr(at, end - at));
    const std::string_view before = text.substr(0, at);
    const char next = next_character(text, end);
    const bool is_class = (next == '{' || next == ';' || (next == ':' && text.substr(text.find(':', end), 2) != "::")) &&
                          (ends_with_word(before, "struct") || ends_with_word(before, "class"));
    const bool is_value = next == '=' && name.ends_with("_v") && ends_with_word(before, "bool");
    if ((is_class || is_value || (next == '=' && ends_with_word(before, "using"))) &&
        std::ranges::find(names, name) == names.end())
      names.push_back(name);
    at = end;
  }
  return names;
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
    if (next == std::string_view::npos || !std::strchr("=({[", text[next]) || text.substr(next, 2) == "==") return false;
    const std::string_view before = text.substr(0, begin);
    for (std::string_view word : {"float", "double", "int", "const", "unsigned", "auto", "char", "long"})
      if (ends_with_word(before, word)) return true;
    return false;
  });
}

bool defines_macro(std::string_view text, std::string_view name) {
  return any_place(text, name, [&](size_t begin, size_t) { return ends_with_word(text.substr(0, begin), "define"); });
}

std::string renamed(std::string_view name) {
  return "#define " + std::string(name) + ' ' + std::string(prefix) + std::string(name) + '\n';
}

}  // namespace

std::string own_names(std::string_view text) {
  std::string out;
  for (std::string_view name : types)
    if (defines_type(text, name)) out += renamed(name);
  const std::string in_std = directly_in_std(text);
  for (const std::string& name : types_of_std(in_std))
    if (std::ranges::find(types, name) == std::end(types) && std::ranges::find(compilers_own, name) == std::end(compilers_own))
      out += renamed(name);
  // `template <> struct numeric_limits<float>`: of a template of their own, which is ours for other types.
  if (any_place(in_std, "numeric_limits", [&](size_t, size_t end) { return next_character(in_std, end) == '<'; }) &&
      out.find("define numeric_limits ") == out.npos)
    out += "namespace std { template <class T> struct " + std::string(prefix) + "numeric_limits : numeric_limits<T> {}; }\n" +
           renamed("numeric_limits");
  for (std::string_view name : constants)
    if (defines_variable(text, name) || defines_macro(text, name)) out += "#undef " + std::string(name) + '\n';
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
