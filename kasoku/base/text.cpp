/// \file kasoku/base/text.cpp
#include "kasoku/base/text.h"

#include "kasoku/base/error.h"

#include <cxxabi.h>
#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>

namespace kasoku {

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) {
    if (&word != words.data()) text += separator;
    text += word;
  }
  return text;
}

const char* lasting(std::string text) {
  static std::mutex mutex;
  static auto* texts = new std::set<std::string>;
  std::lock_guard lock(mutex);
  return texts->insert(std::move(text)).first->c_str();
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  return result;
}

std::string_view strip(std::string_view text) {
  constexpr std::string_view space = " \t\r\n\f\v";
  const size_t first = text.find_first_not_of(space);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string quote(std::string_view text) { return fmt::format("'{}'", text); }

std::string excerpt(std::string_view text, size_t most) {
  if (text.size() <= most) return std::string(text);
  while (most > 0 && (text[most] & 0xC0) == 0x80) --most;  // amid a letter
  return std::string(text.substr(0, most)) + "…";
}

std::string demangled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status || !text ? symbol : text.get();
}

std::string bytes_text(uint64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  constexpr const char* units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1023.95 && unit + 1 < std::size(units)) value /= 1024, ++unit;
  return fmt::format("{:.1f} {}", value, units[unit]);
}

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) d[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) d[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i)
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      d[i][j] = std::min({replaced, d[i - 1][j] + 1, d[i][j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

std::string closest(std::string_view wrong, const std::vector<std::string>& names) {
  std::string best;
  size_t least = std::max<size_t>(1, wrong.size() / 3) + 1;
  if (wrong.size() > 200) return best;
  for (const std::string& name : names) {
    if (name.size() > 200) continue;
    const size_t distance = edit_distance(lower(wrong), lower(name));
    if (distance < least) least = distance, best = name;
  }
  return best;
}

std::string known_names(std::string_view wrong, const std::vector<std::string>& names,
                        std::string_view what) {
  if (names.empty()) return fmt::format("there are no {}", what);
  constexpr size_t most = 20;
  std::vector<std::string> shown(names.begin(), names.begin() + std::min(most, names.size()));
  std::string list = join(shown);
  if (names.size() > most) list += fmt::format(" and {} more", names.size() - most);
  const std::string near = closest(wrong, names);
  return near.empty() ? fmt::format("the {} are: {}", what, list)
                      : fmt::format("did you mean '{}'? The {} are: {}", near, what, list);
}

std::string to_hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(bytes.size() * 2);
  for (const unsigned char byte : bytes) hex += digits[byte >> 4], hex += digits[byte & 15];
  return hex;
}

std::string from_hex(std::string_view hex) {
  const auto digit = [&](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    throw Error(ErrorKind::value, fmt::format("'{}' is not a hexadecimal digit", c));
  };
  if (hex.size() % 2) throw Error(ErrorKind::value, "hexadecimal text has an odd length");
  std::string bytes;
  bytes.reserve(hex.size() / 2);
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(digit(hex[i]) << 4 | digit(hex[i + 1]));
  return bytes;
}

}  // namespace kasoku
