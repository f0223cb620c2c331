#include "kasoku/jit/text.h"

namespace kasoku::jit {

std::string_view support_text() {
  static constexpr std::string_view text =
#include "kasoku/jit/support.inc"
      ;
  return text;
}

}  // namespace kasoku::jit
