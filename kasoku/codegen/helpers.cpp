#include "kasoku/codegen/helpers.h"

#include "kasoku/base/words.h"

#include <vector>

namespace kasoku {

namespace {

struct Helper {
  std::string_view name;
  std::string_view text;
};

/// A helper stands after those that it calls.
constexpr Helper helpers[] = {
#define HELPER(name, ...) {#name, __VA_ARGS__},
#include "kasoku/codegen/helpers.def"
#include "kasoku/codegen/math.def"
#include "kasoku/codegen/philox.def"
#include "kasoku/codegen/samplers.def"
#undef HELPER
};

void mark(std::string_view text, std::vector<bool>& wanted) {
  for (size_t at = text.find("ks_"); at != text.npos; at = text.find("ks_", at)) {
    const bool begins = at == 0 || !is_word_char(text[at - 1]);
    const size_t end = word_end(text, at);
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (!begins) continue;
    if (word == "ks_words") mark("ks_philox", wanted);
    for (size_t i = 0; i < std::size(helpers); ++i)
      if (helpers[i].name == word && !wanted[i]) {
        wanted[i] = true;
        mark(helpers[i].text, wanted);
      }
  }
}

}  // namespace

std::string helper_text(std::string_view text, std::string_view known) {
  std::vector<bool> wanted(std::size(helpers)), there(std::size(helpers));
  mark(text, wanted);
  mark(known, there);
  std::string all;
  for (size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i] && !there[i]) all.append(helpers[i].text).append("\n");
  return all;
}

}  // namespace kasoku
