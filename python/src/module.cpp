/// \file module.cpp
/// A list of bind_*() calls, nothing else; the build writes it from the files.
#include "bindings.h"
#include "function.h"

#include <stdexcept>

namespace kasoku {
// Weak: a file may also hold helpers only.
#define BIND(name) [[gnu::weak]] void bind_##name(nb::module_& m);
#include "bindings.inc"
#undef BIND
}  // namespace kasoku

/// Highway, which sorts, measures a clock for benchmarks of its own when it is loaded, for milliseconds. The loader finds this first.
namespace hwy::platform {
[[gnu::visibility("default")]] double TimerResolution() { return 0; }
}  // namespace hwy::platform

NB_MODULE(_core, m) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0)  // whose lock PyGILState_Ensure would take
    throw std::runtime_error("kasoku works in a process's main interpreter only; import it there, or in a process of its own");
  nb::set_leak_warnings(false);
  m.attr("__version__") = KASOKU_VERSION;
#define BIND(name) \
  if (kasoku::bind_##name) kasoku::bind_##name(m);
#include "bindings.inc"
#undef BIND
  kasoku::show_functions(m);
  for (const char* part : {"_random", "_linalg", "_fft"}) {
    nb::module_ functions = nb::borrow<nb::module_>(m.attr(part));
    kasoku::show_functions(functions);
  }
}
