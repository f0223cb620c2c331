/// \file kasoku/compile/clang/older_libc.cpp
/// LLVM's libraries, as Debian 12 builds them, ask for one function that glibc has since 2.36. It is here, so
/// that a wheel also loads where the C library is older.
#include <sys/random.h>

#include <cstdint>

/// LLVM names temporary files by it.
extern "C" __attribute__((visibility("hidden"))) uint32_t arc4random() noexcept {
  uint32_t bits = 0;
  while (getrandom(&bits, sizeof bits, 0) != sizeof bits) {
  }
  return bits;
}
