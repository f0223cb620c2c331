#include "kasoku/compile/clang/own_names.h"

#include "kasoku/base/words.h"
#include "kasoku/compile/clang/prelude_files.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace kasoku::embedded {
namespace {

constexpr std::string_view prefix = "ks_own_";

constexpr std::string_view types[] = {
    "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
    "uchar", "ushort", "uint", "ulong", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t", "half",
    "half2", "complex", "bfloat16", "float_t", "double_t", "clock_t", "ssize_t", "timeval", "timespec", "FILE", "time_t",
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

/// The names of the prelude's macros for constants.
const std::vector<std::string_view>& constants() {
  static const std::vector<std::string_view> names = [] {
    std::vector<std::string_view> found;
    for (const PreludeFile& file : prelude_files()) {
      const std::string_view text = file.text, define = "#define ";
      if (std::string_view(file.name) != "names.h") continue;
      for (size_t at = text.find(define); at != text.npos; at = text.find(define, at))
        at += define.size(), found.push_back(text.substr(at, word_end(text, at) - at));
    }
    return found;
  }();
  return names;
}

/// The text with blanks for comments, for what stands in quotes and for the preprocessor's lines.
std::string code_of(std::string_view text) {
  std::string code(text);
  const auto blank = [&](size_t from, size_t to) {
    to = std::min(to, code.size());
    for (size_t i = from; i < to; ++i)
      if (code[i] != '\n') code[i] = ' ';
    return to;
  };
  const auto line_end = [&](size_t at) {
    for (at = text.find('\n', at); at != text.npos && text[at - 1] == '\\';) at = text.find('\n', at + 1);
    return std::min(at, text.size());
  };
  bool begins_line = true;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (text.substr(at, 2) == "//" || (c == '#' && begins_line)) {
      at = blank(at, line_end(at));
    } else if (text.substr(at, 2) == "/*") {
      at = blank(at, std::min(text.find("*/", at + 2), text.size()) + 2);
    } else if (c == '"' || (c == '\'' && (at == 0 || !is_word_char(text[at - 1])))) {
      size_t end = at + 1;
      while (end < text.size() && text[end] != c && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      at = blank(at, end + 1);
    } else {
      begins_line = c == '\n' || (begins_line && (c == ' ' || c == '\t'));
      ++at;
    }
  }
  return code;
}

constexpr std::string_view words_before_values[] = {"return", "case", "else", "do", "goto", "throw", "sizeof", "alignof", "new", "delete",
                                                    "and", "or", "not", "xor", "bitand", "bitor", "compl", "not_eq"};
constexpr std::string_view words_of_types[] = {"float", "double", "int", "const", "unsigned", "signed", "auto", "char", "long", "short", "bool", "void"};

/// Whether what stands between the braces around the end of the text are an enumeration's members.
bool is_within_enum(std::string_view text) {
  int depth = 0;
  for (size_t at = text.size(); at-- > 0;) {
    if (std::strchr(")}]", text[at])) ++depth;
    if (!std::strchr("({[", text[at]) || --depth >= 0) continue;
    if (text[at] != '{') return false;
    const std::string_view before = text.substr(0, at);
    const size_t start = before.find_last_of(";{}");
    return find_word(before.substr(start == before.npos ? 0 : start), "enum") != before.npos;
  }
  return false;
}

/// Whether the name in code[begin, end) is declared there: a variable, parameter, member, function, type or member of
/// an enumeration, which a macro of that name would spoil.
bool is_declared(std::string_view code, size_t begin, size_t end) {
  const char next = next_character(code, end);
  if (!next || !std::strchr("=;,()[{}:>", next) || code.substr(code.find(next, end), 2) == "==") return false;
  std::string_view before = code.substr(0, begin);
  before = before.substr(0, before.find_last_not_of(" \t\r\n") + 1);
  if (before.empty()) return false;
  const auto ends_with_one_of = [&](const auto& words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return ends_with_word(before, word); });
  };
  const char last = before.back();
  if (is_word_char(last)) {  // two words side by side
    size_t first = before.size();
    while (first > 0 && is_word_char(before[first - 1])) --first;
    return !(before[first] >= '0' && before[first] <= '9') && !ends_with_one_of(words_before_values);
  }
  if (last == '*' || last == '&') {  // of a type of the language's, or where a product would have no effect
    before = before.substr(0, before.find_last_not_of("*& \t\r\n") + 1);
    if (ends_with_one_of(words_of_types)) return true;
    const size_t type = before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:");
    before = before.substr(0, type == before.npos ? 0 : type + 1);
    const size_t start = before.find_last_not_of(" \t\r\n");
    return (next == ';' || next == '=') && (start == before.npos || std::strchr(";{}", before[start]));
  }
  if (last == '{' || last == ',') {
    if ((next == ',' || next == '=' || next == '}') && is_within_enum(before)) return true;
    const size_t start = before.find_last_of(";{}()<");  // `int a, name;`
    const std::string_view statement = before.substr(start == before.npos ? 0 : start + 1);
    if (last == '{' || (start != before.npos && !std::strchr(";{}", before[start]))) return false;
    const size_t word = statement.find_first_not_of(" \t\r\n");
    const std::string_view type = word == statement.npos ? statement : statement.substr(word, word_end(statement, word) - word);
    return std::ranges::find(words_of_types, type) != std::end(words_of_types);
  }
  return false;
}

/// Whether the text makes something of a name that is a macro of ours.
bool defines_constant(std::string_view text, std::string_view code, std::string_view name) {
  return any_place(text, name, [&](size_t begin, size_t) { return ends_with_word(text.substr(0, begin), "define"); }) ||
         any_place(code, name, [&](size_t begin, size_t end) { return is_declared(code, begin, end); });
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
  const std::string code = code_of(text);
  for (std::string_view name : constants())
    if (defines_constant(text, code, name)) out += "#undef " + std::string(name) + '\n';
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
