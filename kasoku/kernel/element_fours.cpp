// Four elements a thread, for GPUs: inputs and outputs pass through registers, and memory
// is read and written 16 bytes at a time where the addresses allow it. One element a thread
// has too few bytes on their way to fill the memory's bandwidth.
//   _first         the thread's first element      _four_x   its four elements of x
//   _is_whole      all four exist and lie well     _k        which of them
#include "kasoku/kernel/element_fours.h"

#include "kasoku/base/words.h"
#include "kasoku/kernel/signature.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace kasoku {
namespace {

/// Whether the first thing that the text does with `name` is a plain assignment, in a
/// statement of its own.
bool starts_with_assignment(const std::string& text, const std::string& name) {
  const size_t at = find_word(text, name);
  if (at == text.npos) return false;
  size_t before = at, end = at + name.size();
  while (before > 0 && isspace(static_cast<unsigned char>(text[before - 1]))) --before;
  while (end < text.size() && isspace(static_cast<unsigned char>(text[end]))) ++end;
  return (before == 0 || text[before - 1] == ';') && end + 1 < text.size() && text[end] == '=' &&
         text[end + 1] != '=';
}

/// Four elements that memory is moved as.
std::string four_type(const ElementParam& param) { return fmt::format("ks_four<{}>", param.type); }

bool is_in_rows(const ElementParam& param) {
  return (param.use == ParamUse::input || param.use == ParamUse::output) && param.step == Step::contiguous;
}

}  // namespace

bool always_assigns(const std::string& operation, const std::vector<Parameter>& outputs) {
  // Anything that may keep a statement from running, or hide what it does.
  for (const char* mark : {"{", "}", "#", "\"", "//", "/*", "'", "\\"})
    if (operation.find(mark) != operation.npos) return false;
  for (const char* word : {"if", "else", "for", "while", "do", "switch", "return", "goto", "asm"})
    if (mentions_word(operation, word)) return false;
  return !outputs.empty() && std::ranges::all_of(outputs, [&](const Parameter& output) {
    return !output.is_raw && starts_with_assignment(operation, output.name);
  });
}

std::string fours_body(const ElementText& text, const std::string& index_type, const std::string& prologue,
                       const std::string& lines) {
  std::string aligned, moves, element;
  for (const ElementParam& param : text.params) {
    const std::string& name = param.declared->name;
    if (param.use == ParamUse::scalar) continue;
    if (!is_in_rows(param)) {  // an input of one element
      element += fmt::format("    const {} {} = _data_{}[0];\n", param.type, name, name);
      continue;
    }
    aligned += fmt::format(" | ((size_t)_data_{} & (sizeof({}) - 1))", name, four_type(param));
    moves += fmt::format("  {} _four_{};\n", four_type(param), name);
    element += param.use == ParamUse::input
                   ? fmt::format("    const {0} {1} = _four_{1}.v[_k];\n", param.type, name)
                   : fmt::format("    {0} &{1} = _four_{1}.v[_k];\n", param.type, name);
  }
  // Alignment is that of at most 16 bytes, and size is a multiple of it.
  std::string out = fmt::format(
      "  const {0} _first = 4 * (({0})blockIdx.x * blockDim.x + threadIdx.x);\n"
      "  if (_first >= _count) return;\n{1}"
      "  const bool _is_whole = _count - _first >= 4 && ((0{2}) & 15) == 0;\n{3}",
      index_type, prologue, aligned, moves);
  const auto transfer = [&](ParamUse use, const char* whole, const char* single) {
    std::string all, each;
    for (const ElementParam& param : text.params) {
      if (!is_in_rows(param) || param.use != use) continue;
      const std::string& name = param.declared->name;
      all += "    " + fmt::format(fmt::runtime(whole), fmt::arg("type", four_type(param)), fmt::arg("x", name));
      each += "      " + fmt::format(fmt::runtime(single), fmt::arg("x", name));
    }
    if (all.empty()) return;
    out += fmt::format("  if (_is_whole) {{\n{}  }} else {{\n#pragma unroll\n"
                       "    for (int _k = 0; _k < 4; ++_k) {{\n      if (_first + _k >= _count) break;\n{}    }}\n  }}\n",
                       all, each);
  };
  transfer(ParamUse::input, "_four_{x} = *(const {type}*)(_data_{x} + _first);\n", "_four_{x}.v[_k] = _data_{x}[_first + _k];\n");
  out += fmt::format("#pragma unroll\n  for (int _k = 0; _k < 4; ++_k) {{\n"
                     "    const {} _index = _first + _k;\n    if (!_is_whole && _index >= _count) break;\n{}{}{}  }}\n",
                     index_type,
                     mentions_word(*text.operation, "i") ? "    const ptrdiff_t i = _index;\n" : "", element, lines);
  transfer(ParamUse::output, "*({type}*)(_data_{x} + _first) = _four_{x};\n", "_data_{x}[_first + _k] = _four_{x}.v[_k];\n");
  return out + "}\n";
}

}  // namespace kasoku
