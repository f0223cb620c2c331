#include "kasoku/jit/number_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string_view>

namespace kasoku::jit {

std::string shown(double value, bool is_single) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const double size = std::fabs(value);
  std::string text = is_single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (size != 0 && (size >= 1e16 || size < 1e-4) && text.find('e') == std::string::npos)
    text = is_single ? fmt::format("{:e}", static_cast<float>(value)) : fmt::format("{:e}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string formatted(String value, String spec) {
  const auto kind = reinterpret_cast<uintptr_t>(value.at);
  if (kind > static_cast<uintptr_t>(NumberKind::single) || spec.size > 12) return "";
  const bool is_whole = kind == static_cast<uintptr_t>(NumberKind::whole);
  const double real = is_whole ? static_cast<double>(value.size) : std::bit_cast<double>(value.size);
  if (!spec.size) return is_whole ? fmt::format("{}", value.size) : shown(real, kind == static_cast<uintptr_t>(NumberKind::single));
  if (!std::isfinite(real)) return "";
  std::string text;
  for (int64_t i = 0; i < spec.size; ++i) text += static_cast<char>(std::min<uint32_t>(spec.at[i], 0x7f));
  const auto digits = [&](size_t& at) {
    const size_t first = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - first;
  };
  size_t at = text[0] == '+' || text[0] == '-' || text[0] == ' ';
  if (digits(at) > 4) return "";
  const bool has_precision = at < text.size() && text[at] == '.';
  if (has_precision && (digits(++at) - 1) > 2) return "";
  if (at + 1 < text.size()) return "";
  const char letter = at < text.size() ? text[at] : 0;
  const bool is_fixed = letter && std::string_view("fFeEgG").find(letter) != std::string_view::npos;
  if (is_fixed) return fmt::format(fmt::runtime("{:" + text + "}"), real);
  if (!is_whole || has_precision || !std::strchr("dxXob", letter)) return "";  // which has the 0 at its end, too
  return fmt::format(fmt::runtime("{:" + text + "}"), value.size);
}

}  // namespace kasoku::jit
