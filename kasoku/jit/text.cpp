#include "kasoku/jit/text.h"

namespace kasoku::jit {

std::string_view support_text() {
  // clang-format off: their order is that of the text.
  static constexpr std::string_view text =
#include "kasoku/jit/support_scalar.inc"
#include "kasoku/jit/support_array.inc"
#include "kasoku/jit/support_run.inc"
#include "kasoku/jit/support_list.inc"
#include "kasoku/jit/support_dict.inc"
#include "kasoku/jit/support_kernel.inc"
      ;
  // clang-format on
  return text;
}

}  // namespace kasoku::jit
