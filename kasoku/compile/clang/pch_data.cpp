#include "kasoku/compile/clang/prelude_files.h"

// Aligned, because the reader maps tables in place.
asm(R"(
.section .rodata
.balign 64
ks_pch_begin:
.incbin ")" KS_PCH_FILE R"("
ks_pch_end:
.byte 0
.previous
)");

extern "C" {
extern const char ks_pch_begin[] __attribute__((visibility("hidden")));
extern const char ks_pch_end[] __attribute__((visibility("hidden")));
}

namespace kasoku::embedded {

std::string_view embedded_pch() {
  return {ks_pch_begin, static_cast<size_t>(ks_pch_end - ks_pch_begin)};
}

}  // namespace kasoku::embedded
