#include "kasoku/compile/host_parts.h"

#include "kasoku/base/words.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace kasoku {
namespace {

std::string_view word_of(std::string_view directive) {
  const size_t word = directive.find_first_not_of("# \t");
  return word == directive.npos ? "" : directive.substr(word, word_end(directive, word) - word);
}

struct Piece {
  size_t begin, end;
  bool is_directive;
};

/// Cuts a text into its directives and the declarations outside of all but namespaces. Nothing is
/// known of macros: a piece may hold several declarations, never a part of one.
class Pieces {
 public:
  explicit Pieces(std::string_view text) : text_(text) {
    while (at_ < text_.size()) step();
    close(text_.size());
  }
  std::vector<Piece> pieces;

 private:
  void step() {
    const char c = text_[at_];
    if (c == '#' && starts_line_) return directive();
    if (c == '\n') starts_line_ = true;
    else if (!is_space(c)) starts_line_ = false;
    if (text_.substr(at_, 2) == "//") return skip_to(end_of_line(at_));
    if (text_.substr(at_, 2) == "/*") return skip_to(behind("*/", at_ + 2));
    if (c == 'R' && text_.substr(at_, 2) == "R\"" && (at_ == 0 || !is_word_char(text_[at_ - 1]))) return raw_string();
    if (c == '"' || (c == '\'' && (at_ == 0 || !is_word_char(text_[at_ - 1])))) return quoted(c);
    if (!is_space(c) && begin_ == npos) begin_ = at_;
    ++at_;
    if (c == '(') ++parentheses_;
    else if (c == ')') --parentheses_;
    else if (c == '{') open();
    else if (c == '}') shut();
    else if (c == ';' && braces_ == 0 && parentheses_ <= 0) close(at_);
  }

  void open() {
    if (braces_ == 0 && opens_namespace()) {
      begin_ = npos;  // no piece: what is inside is cut by itself
      return;
    }
    if (braces_++ == 0) brace_ = at_ - 1;
  }

  void shut() {
    if (braces_ == 0) {  // a namespace's
      begin_ = npos;
      return;
    }
    if (--braces_ == 0 && parentheses_ <= 0 && !goes_on()) close(at_);
  }

  std::string_view head() const { return text_.substr(begin_, brace_ - begin_); }

  bool opens_namespace() const {
    const std::string_view before = text_.substr(begin_, at_ - 1 - begin_);
    return find_word(before, "namespace") != npos ||
           (find_word(before, "extern") != npos && before.find('"') != npos && before.find('(') == npos);
  }

  /// A class or a variable's value ends with a semicolon, a function with its brace.
  bool goes_on() const {
    const std::string_view before = head();
    if (before.find('(') != npos && before.find('=') == npos) return next() == ';';
    for (const char* word : {"struct", "class", "union", "enum", "typedef"})
      if (find_word(before, word) != npos) return true;
    return before.find('=') != npos || next() == ';' || next() == ',';
  }

  char next() const {
    const size_t at = text_.find_first_not_of(" \t\r\n", at_);
    return at == npos ? '\0' : text_[at];
  }

  void directive() {
    size_t end = end_of_line(at_);
    while (end < text_.size() && end > at_ && (text_[end - 1] == '\\' || text_.substr(end - 2, 2) == "\\\r"))
      end = end_of_line(end + 1);
    pieces.push_back({at_, end, true});
    branch(word_of(text_.substr(at_, end - at_)));
    at_ = end;
  }

  /// Of #if and #else one is read: each begins with what was open before both.
  void branch(std::string_view word) {
    if (word.starts_with("if")) branches_.push_back({braces_, parentheses_});
    if (branches_.empty()) return;
    if (word.starts_with("el")) std::tie(braces_, parentheses_) = branches_.back();
    if (word == "endif") branches_.pop_back();
  }

  void close(size_t end) {
    if (begin_ != npos) pieces.push_back({begin_, end, false});
    begin_ = npos;
    parentheses_ = 0;
  }

  void quoted(char quote) {
    if (begin_ == npos) begin_ = at_;
    for (++at_; at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n'; ++at_)
      if (text_[at_] == '\\') ++at_;
    at_ = std::min(at_ + 1, text_.size());
  }

  void raw_string() {
    const size_t open = text_.find('(', at_);
    if (open == npos) return skip_to(text_.size());
    skip_to(behind(")" + std::string(text_.substr(at_ + 2, open - at_ - 2)) + "\"", open));
  }

  void skip_to(size_t to) { at_ = to; }
  size_t behind(std::string_view mark, size_t from) const {
    const size_t at = text_.find(mark, from);
    return at == npos ? text_.size() : at + mark.size();
  }
  size_t end_of_line(size_t from) const { return std::min(text_.find('\n', from), text_.size()); }
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  static constexpr size_t npos = std::string_view::npos;
  std::string_view text_;
  size_t at_ = 0, begin_ = npos, brace_ = 0;
  int braces_ = 0, parentheses_ = 0;
  std::vector<std::pair<int, int>> branches_;
  bool starts_line_ = true;
};

/// It says that the program, kernels and all, is not to be compiled.
bool is_refusal(std::string_view piece) { return piece.starts_with("static_assert") || piece.starts_with("_Static_assert"); }

bool is_class_head(std::string_view head) {
  return find_word(head, "struct") != head.npos || find_word(head, "class") != head.npos || find_word(head, "union") != head.npos;
}

/// template <> …, struct width<T*> …: without it, what asks gets the general one and says nothing.
bool is_specialisation(std::string_view head) {
  const size_t word = find_word(head, "template");
  const size_t open = word == head.npos ? word : head.find('<', word);
  if (open == head.npos) return false;
  const size_t first = head.find_first_not_of(" \t\r\n", open + 1);
  if (first != head.npos && head[first] == '>') return true;
  size_t close = open;
  for (int depth = 0; close < head.size(); ++close) {
    depth += (head[close] == '<') - (head[close] == '>');
    if (depth == 0) break;
  }
  const std::string_view declared = head.substr(std::min(close + 1, head.size()));
  return is_class_head(declared) && declared.find('<') < declared.find(" : ");
}

/// #ifndef NAME, #define NAME value: what NAME is may stand in a file that was to be included before.
bool has_default_behind(std::string_view text, const std::vector<Piece>& pieces, const Piece& include) {
  std::string_view wanted;
  for (const Piece& piece : pieces) {
    if (!piece.is_directive || piece.begin <= include.begin) continue;
    const std::string_view line = text.substr(piece.begin, piece.end - piece.begin);
    const std::string_view word = word_of(line);
    const size_t at = line.find(word) + word.size(), name = line.find_first_not_of(" \t", at);
    if (name == line.npos) continue;
    const size_t end = word_end(line, name);
    if (word == "define" && !wanted.empty() && line.substr(name, end - name) == wanted &&
        line.find_first_not_of(" \t\r", end) != line.npos)
      return true;
    wanted = word == "ifndef" ? line.substr(name, end - name) : "";
  }
  return false;
}

/// A host function may hold a device lambda, so only what stands before its body counts.
bool is_of_device(std::string_view piece) {
  const size_t body = piece.find('{');
  const std::string_view head = piece.substr(0, body);
  const bool is_class = is_class_head(head) || head.find('(') == head.npos;
  if (is_specialisation(head)) return true;
  for (const char* word : {"__global__", "__device__", "__shared__", "__constant__", "__managed__", "threadIdx", "blockIdx"})
    if (find_word(is_class ? piece : head, word) != head.npos) return true;
  return piece.find("ks_name_expression_") != piece.npos;
}

}  // namespace

std::optional<std::string> without_host_parts(std::string_view text, const std::set<size_t>& offsets) {
  const std::vector<Piece> pieces = Pieces(text).pieces;
  std::string out(text);
  for (const size_t offset : offsets) {
    const auto holds = [&](const Piece& piece) { return piece.begin <= offset && offset < piece.end; };
    const auto is_directive = [&](const Piece& piece) { return piece.is_directive && holds(piece); };
    auto found = std::find_if(pieces.begin(), pieces.end(), is_directive);
    if (found == pieces.end()) found = std::find_if(pieces.begin(), pieces.end(), holds);
    if (found == pieces.end()) return std::nullopt;
    const std::string_view piece = text.substr(found->begin, found->end - found->begin);
    if (found->is_directive ? word_of(piece) != "include" : is_of_device(piece) || is_refusal(piece)) return std::nullopt;
    if (found->is_directive && piece.find('"') != piece.npos && has_default_behind(text, pieces, *found)) return std::nullopt;
    for (size_t at = found->begin; at < found->end; ++at) {
      const auto inner = [&](const Piece& other) {
        return other.is_directive && &other != &*found && other.begin <= at && at < other.end;
      };
      const auto directive = std::find_if(pieces.begin(), pieces.end(), inner);
      if (directive != pieces.end()) at = directive->end - 1;  // what it says of others stays
      else if (out[at] != '\n') out[at] = ' ';
    }
  }
  return out;
}

}  // namespace kasoku
