/// \file kasoku/base/words.h
/// Names in program text: where one begins and ends.
#pragma once

#include <string_view>

namespace kasoku {

/// Part of a C identifier or keyword: a letter, a digit, _.
constexpr bool is_word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The end of the word of which text[at] is a part; `at` itself where there is none.
constexpr size_t word_end(std::string_view text, size_t at) {
  while (at < text.size() && is_word_char(text[at])) ++at;
  return at;
}

/// The position of the next whole word `word`, from `from` on; npos if there is none.
constexpr size_t find_word(std::string_view text, std::string_view word, size_t from = 0) {
  for (size_t at = text.find(word, from); at != text.npos; at = text.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || !is_word_char(text[at - 1])) && (end == text.size() || !is_word_char(text[end]))) return at;
  }
  return text.npos;
}

}  // namespace kasoku
