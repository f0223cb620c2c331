/// \file python/src/check.cpp
/// Finding in Python.
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "kasoku/check/finding.h"
#include "kasoku/check/kernel_check.h"
#include "kasoku/kernel/raw_module.h"
#include "kernel_arguments.h"

namespace kasoku {

namespace {

void extents(nb::handle given, uint32_t out[3]) {
  if (given.is_none()) return;
  if (nb::isinstance<nb::int_>(given)) {
    out[0] = nb::cast<uint32_t>(given);
    return;
  }
  size_t axis = 0;
  for (nb::handle extent : given) {
    if (axis == 3) throw nb::value_error("check: block and grid have at most three extents");
    out[axis++] = nb::cast<uint32_t>(nb::int_(nb::borrow(extent)));
  }
}

std::vector<Finding> check_raw(const RawKernel& kernel, nb::tuple args, nb::handle block,
                               nb::handle grid, uint32_t shared) {
  if (block.is_none())
    throw nb::value_error("check: a kernel needs its launch shape\n  fix  check(kernel, x, block=(64, 1, 1), grid=(1, 1))");
  LaunchShape shape;
  extents(block, shape.block);
  extents(grid, shape.grid);
  shape.shared_bytes = shared;
  CallArguments arguments;
  for (nb::handle argument : args) arguments.add(argument);
  nb::gil_scoped_release release;
  return check_kernel(kernel.module().program(), kernel.name(), shape, arguments.span());
}

}  // namespace

void bind_check(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<Finding>(m, "Finding",
                      "One thing that kasoku.check found; prints as a sentence.\n\n"
                      "kind: 'race', 'bounds', 'mutation', 'uninitialised' or 'divergence'; array: the name in\n"
                      "the source; file, line: of the access that completes it; other_line: of the earlier one.")
      .def("__init__",
           [](Finding* self, std::string kind, std::string array, std::string file, int line, int other_line,
              std::string text) {
             new (self) Finding{std::move(kind), std::move(array), std::move(file), line, other_line, std::move(text)};
           },
           "kind"_a, "array"_a, "file"_a = "", "line"_a = 0, "other_line"_a = 0, "text"_a = "")
      .def_ro("kind", &Finding::kind)
      .def_ro("array", &Finding::array)
      .def_ro("file", &Finding::file)
      .def_ro("line", &Finding::line)
      .def_ro("other_line", &Finding::other_line)
      .def_ro("text", &Finding::text)
      .def("__str__", &Finding::str)
      .def("__repr__", [](const Finding& self) { return "<Finding: " + self.str() + ">"; });
  m.def("_check_kernel", &check_raw, "kernel"_a, "args"_a, "block"_a.none() = nb::none(),
        "grid"_a.none() = nb::none(), "shared"_a = 0);
}

}  // namespace kasoku
