/// \file module.cpp
/// A list of bind_*() calls, nothing else; the build writes it from the files.
#include "bindings.h"

namespace kasoku {
// Weak: a file may also hold helpers only.
#define BIND(name) [[gnu::weak]] void bind_##name(nb::module_& m);
#include "bindings.inc"
#undef BIND
}  // namespace kasoku

NB_MODULE(_core, m) {
  nb::set_leak_warnings(false);
  m.attr("__version__") = KASOKU_VERSION;
#define BIND(name) \
  if (kasoku::bind_##name) kasoku::bind_##name(m);
#include "bindings.inc"
#undef BIND
}
