/// \file explain.cpp
/// What would run for an array, in words.
#include "bindings.h"
#include "kasoku/array/explain.h"
#include "kasoku/array/first_sight.h"
#include "kasoku/compile/background.h"

namespace kasoku {

void bind_explain(nb::module_& m) {
  using namespace nb::literals;
  m.def("explain", explain, "x"_a, no_gil(),
        R"(What would run for an array that is pending, in sentences: its groups of operations, why each is stored, and whether
its kernel is there, comes from the cache, is to be compiled, or is done without for now. Nothing runs.

Returns a text.

>>> isinstance(ks.explain(ks.ones(100000) + 1), str)
True)");
  m.def("_gpu_form", [](bool value) { return use_gpu_form.exchange(value); }, "value"_a, "Whether groups have the text for GPUs, which a CPU runs too; what it was. For tests.");
  nb::enum_<FirstSight>(m, "_FirstSight").value("without_kernel", FirstSight::without_kernel).value("never", FirstSight::never).value("always", FirstSight::always);
  m.def("_first_sight", [](FirstSight value) { return first_sight.exchange(value); }, "value"_a,
        "Which small groups of operations run without a kernel; what it was. For tests.");
  m.def("_finish_background", finish_background, no_gil(), "Waits until what is compiled in the background is there. For tests and measurements.");
  m.def("_end_background", end_background, no_gil(), "Waits for what is compiled just now; nothing more begins.");
  nb::module_::import_("atexit").attr("register")(m.attr("_end_background"));
}

}  // namespace kasoku
