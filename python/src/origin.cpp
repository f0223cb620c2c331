#include "origin.h"

#include <nanobind/stl/string.h>

namespace kasoku {

Locator locator_here(std::vector<TextPart> parts) {
  const nb::object place = nb::module_::import_("kasoku._origin").attr("caller")();
  auto file = nb::cast<std::string>(place[0]);
  const int made_at = nb::cast<int>(place[1]);
  return [parts = std::move(parts), file = std::move(file), made_at](
             const std::string& part, int line) -> std::optional<SourceLine> {
    for (const auto& [name, text] : parts) {
      if (name != part) continue;
      nb::gil_scoped_acquire acquire;
      try {
        const nb::object found =
            nb::module_::import_("kasoku._origin").attr("where")(file, made_at, text, line);
        if (found.is_none()) return std::nullopt;
        return SourceLine{nb::cast<std::string>(found[0]), nb::cast<int>(found[1])};
      } catch (nb::python_error&) {
        return std::nullopt;  // the message is shown as it is
      }
    }
    return std::nullopt;
  };
}

}  // namespace kasoku
