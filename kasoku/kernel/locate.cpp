#include "kasoku/kernel/locate.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace kasoku {
namespace {

/// The number that `text` begins with, and its digits; -1 if it begins with none.
std::pair<int, size_t> leading_number(std::string_view text) {
  size_t digits = 0;
  int number = 0;
  while (digits < text.size() && digits < 9 && text[digits] >= '0' && text[digits] <= '9')
    number = 10 * number + (text[digits++] - '0');
  return {digits ? number : -1, digits};
}

/// "kernel.cu:3:10: error: …": the part, its line, and where the rest begins.
struct Head {
  std::string part;
  int line = -1;
  size_t rest = 0;
};

Head head_of(std::string_view line) {
  for (size_t colon = line.find(':'); colon != std::string_view::npos; colon = line.find(':', colon + 1)) {
    const auto [number, digits] = leading_number(line.substr(colon + 1));
    if (number >= 0 && line.substr(colon + 1 + digits).starts_with(':'))
      return {std::string(line.substr(0, colon)), number, colon + 1 + digits};
  }
  return {};
}

constexpr std::string_view failed = " does not compile", asserted = "` failed at ";

/// "assertion `i < n` failed at kernel.cu:3 in void f(int)".
std::string assertion_in_users_lines(const std::string& line, size_t begin, const Locator& locate) {
  const size_t colon = std::min(line.find(':', begin), line.size() - 1);
  const auto [number, digits] = leading_number(std::string_view(line).substr(colon + 1));
  const auto found = number < 0 ? std::nullopt : locate(line.substr(begin, colon - begin), number);
  if (!found) return line;
  return fmt::format("{}{}:{}{}", line.substr(0, begin), found->file, found->line, line.substr(colon + 1 + digits));
}

}  // namespace

std::string in_users_lines(const std::string& message, const Locator& locate) {
  std::string out;
  int shown_line = -1, users_line = -1;  // of the message that the source lines below belong to
  for (size_t begin = 0; begin <= message.size();) {
    const size_t end = std::min(message.find('\n', begin), message.size());
    std::string line = message.substr(begin, end - begin);
    begin = end + 1;
    const size_t number_at = std::min(line.find_first_not_of(' '), line.size());
    const auto [number, digits] = leading_number(std::string_view(line).substr(number_at));
    if (const size_t at = line.find(asserted); at != std::string::npos) {
      line = assertion_in_users_lines(line, at + asserted.size(), locate);
    } else if (const Head head = head_of(line); head.line >= 0) {
      shown_line = -1;
      if (const auto found = locate(head.part, head.line)) {
        shown_line = head.line, users_line = found->line;
        line = fmt::format("{}:{}{}", found->file, found->line, line.substr(head.rest));
      }
    } else if (number >= 0 && number == shown_line &&
               std::string_view(line).substr(number_at + digits).starts_with(" |")) {
      line = fmt::format("{:>{}}{}", users_line, number_at + digits, line.substr(number_at + digits));
    } else if (line.ends_with(failed)) {
      const std::string part = line.substr(0, line.size() - failed.size());
      if (const auto found = locate(part, 1))
        line = fmt::format("the text at {}:{}{}", found->file, found->line, failed);
    }
    out += (out.empty() ? "" : "\n") + line;
  }
  return out;
}

}  // namespace kasoku
