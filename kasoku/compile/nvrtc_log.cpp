#include "kasoku/compile/nvrtc_log.h"

#include "kasoku/compile/nvrtc_ptx.h"
#include "kasoku/device/module.h"

#include <fmt/format.h>

#include <cctype>
#include <cstdio>
#include <string>
#include <vector>

namespace kasoku {
namespace {

struct Message {
  std::string file, line, kind, text;
  std::string source, caret;
  std::vector<std::string> notes;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_number(std::string_view text) {
  for (const char c : text)
    if (!std::isdigit(static_cast<unsigned char>(c))) return false;
  return !text.empty();
}

/// "file(12): error: text", also "catastrophic error", "warning #177-D".
bool read_head(std::string_view line, Message& message) {
  if (line.empty() || line[0] == ' ' || line[0] == '\t') return false;
  const size_t close = line.find("): ");
  if (close == std::string_view::npos) return false;
  const size_t open = line.rfind('(', close);
  if (open == std::string_view::npos || !is_number(line.substr(open + 1, close - open - 1)))
    return false;
  std::string_view rest = line.substr(close + 3);
  const size_t colon = rest.find(": ");
  if (colon == std::string_view::npos) return false;
  const std::string_view kind = rest.substr(0, colon);
  if (kind.find("error") != std::string_view::npos)
    message.kind = "error";
  else if (kind.starts_with("warning"))
    message.kind = "warning";
  else if (kind.starts_with("note") || kind.starts_with("remark"))
    message.kind = "note";
  else
    return false;
  message.file = line.substr(0, open);
  message.line = line.substr(open + 1, close - open - 1);
  message.text = rest.substr(colon + 2);
  if (const size_t number = kind.find('#'); number != std::string_view::npos)
    message.text += fmt::format(" [{}]", kind.substr(number));
  return true;
}

std::string_view unindented(std::string_view line) {
  return line.starts_with("  ") ? line.substr(2) : line;
}

bool is_caret(std::string_view line) {
  return line.find_first_not_of(" \t^~") == std::string_view::npos &&
         line.find('^') != std::string_view::npos;
}

std::string show(const Message& m) {
  const size_t caret = m.caret.find('^');
  std::string out =
      caret == std::string::npos
          ? fmt::format("{}:{}: {}: {}\n", m.file, m.line, m.kind, m.text)
          : fmt::format("{}:{}:{}: {}: {}\n", m.file, m.line, caret + 1, m.kind, m.text);
  if (!m.source.empty()) out += fmt::format("{:>5} | {}\n", m.line, m.source);
  if (caret != std::string::npos) out += fmt::format("      | {}\n", m.caret);
  for (const std::string& note : m.notes) out += note;
  return out;
}

/// "detected during instantiation of "T f(T) [with T=int]" at line 20 of "x.h"".
std::string show_context(std::string_view text, const std::string& file) {
  const size_t at = text.rfind(" at line ");
  if (at == std::string_view::npos) return "";
  std::string_view what = text.substr(0, at), where = text.substr(at + 9);
  if (what.starts_with("detected during")) what.remove_prefix(15);
  while (what.starts_with(' ')) what.remove_prefix(1);
  const size_t end = std::min(where.find_first_not_of("0123456789"), where.size());
  const std::string_view line = where.substr(0, end);
  std::string_view other = where.substr(end);
  if (other.starts_with(" of ")) other.remove_prefix(4);
  std::string name(other);
  std::erase(name, '"');
  return fmt::format("{}:{}: note: in {}\n", name.empty() ? file : name, line, what);
}

}  // namespace

NvrtcLog read_nvrtc_log(std::string_view log) {
  std::vector<Message> messages;
  std::string loose;  // what has no place in the text
  for (const std::string_view line : lines_of(log)) {
    Message head;
    if (read_head(line, head)) {
      messages.push_back(std::move(head));
      continue;
    }
    const bool is_summary =
        line.find(" detected in the compilation of ") != std::string_view::npos ||
        line.starts_with("Remark: ") || line.starts_with("Compilation terminated") ||
        line.starts_with("compilation terminated");
    if (line.empty() || is_summary) continue;
    if (messages.empty() || (line[0] != ' ' && line[0] != '\t')) {
      loose += std::string(line) + "\n";
      continue;
    }
    Message& last = messages.back();
    const size_t word = line.find_first_not_of(" \t");
    const std::string_view text = word == std::string_view::npos ? "" : line.substr(word);
    const bool is_context = text.starts_with("detected during") ||
                            (text.starts_with("instantiation of") && !last.notes.empty());
    if (is_context)
      last.notes.push_back(show_context(text, last.file));
    else if (is_caret(line) && !last.source.empty())
      last.caret = unindented(line);
    else if (last.source.empty())
      last.source = unindented(line);
  }
  NvrtcLog out;
  std::string expressions;
  for (const Message& message : messages) {
    // What NVRTC calls this file is its own list of name expressions.
    if (message.file == "__nv_name_map") {
      const size_t quoted = message.text.find("expression was: \"");
      if (quoted == std::string::npos) continue;
      std::string name = message.text.substr(quoted + 17);
      std::erase(name, '"');
      while (name.starts_with(' ')) name.erase(0, 1);
      expressions +=
          fmt::format("error: the name expression '{}' names nothing in the text\n", name);
    } else if (message.kind == "warning") {
      // Whoever defines INT_MAX again, the user or NVIDIA's headers, is right to do so.
      if (message.text.find("kasoku_names.h") != std::string::npos) continue;
      out.warnings += show(message);
    } else {
      out.errors += show(message);
      const size_t caret = message.caret.find('^');
      out.faults.push_back({message.file, std::stoul(message.line), caret == std::string::npos ? 0 : caret + 1});
    }
  }
  // With other errors the names that are missing are their consequence.
  if (out.errors.empty()) out.errors = expressions + loose;
  return out;
}

std::optional<Error> shared_memory_error(std::string_view log) {
  // ptxas error   : Entry function 'k' uses too much shared data (0x800000 bytes, 0xc000 max)
  constexpr std::string_view sentence = "' uses too much shared data (";
  const size_t end = log.find(sentence);
  const size_t begin = log.substr(0, end).rfind('\'');
  if (end == log.npos || begin == log.npos) return std::nullopt;
  unsigned long long asked = 0, most = 0;
  const std::string numbers(log.substr(end + sentence.size()));
  if (std::sscanf(numbers.c_str(), "%llx bytes, %llx max", &asked, &most) != 2) return std::nullopt;
  return too_much_shared_memory(source_name(std::string(log.substr(begin + 1, end - begin - 1))), asked, most);
}

}  // namespace kasoku
