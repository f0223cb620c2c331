#include "kasoku/jit/intrinsics.h"

#include <string>
#include <unordered_map>

namespace kasoku::jit {

namespace {

constexpr Intrinsic table[] = {
#define ELEMENTWISE(name, parameters, rule, text) \
  {name, Handler::elementwise, parameters, Rule::rule, text, Dtype::opaque},
#define INTRINSIC(name, parameters, handler) \
  {name, Handler::handler, parameters, Rule::promoted, "", Dtype::opaque},
#define WORD(name, text, dtype) {name, Handler::word, "", Rule::promoted, text, Dtype::dtype},
#include "kasoku/jit/intrinsics.def"
#undef ELEMENTWISE
#undef INTRINSIC
#undef WORD
};

}  // namespace

std::span<const Intrinsic> intrinsics() { return table; }

const Intrinsic* find_intrinsic(std::string_view name) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Intrinsic*> map;
    for (const Intrinsic& row : table) map.emplace(row.name, &row);
    return map;
  }();
  const auto found = by_name.find(name);
  return found == by_name.end() ? nullptr : found->second;
}

}  // namespace kasoku::jit
