#include "origin.h"

#include "frame.h"

#include <nanobind/stl/string.h>

namespace kasoku {

namespace {

/// File and line of the statement of the user's that led here. Written here, because the module
/// that looks into files takes longer to import than a cached kernel to load.
std::pair<std::string, int> user_statement() {
  const UserFrame user = user_frame();
  if (!user.code) return {};
  return {nb::cast<std::string>(user.code->object.attr("co_filename")), nb::cast<int>(user.frame.attr("f_lineno"))};
}

}  // namespace

Locator locator_here(std::vector<TextPart> parts) {
  auto [file, made_at] = user_statement();
  return [parts = std::move(parts), file = std::move(file), made_at = made_at](
             const std::string& part, int line) -> std::optional<SourceLine> {
    for (const auto& [name, text] : parts) {
      if (name != part) continue;
      const GilHeld acquire;
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
