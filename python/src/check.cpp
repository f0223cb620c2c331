/// \file python/src/check.cpp
/// Finding in Python.
#include <nanobind/stl/string.h>

#include "bindings.h"
#include "kasoku/check/finding.h"

namespace kasoku {

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
}

}  // namespace kasoku
