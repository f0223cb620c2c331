#include "kasoku/kernel/element_text.h"

#include "kasoku/base/words.h"
#include "kasoku/codegen/helpers.h"
#include "kasoku/kernel/headers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>

// Names in the text: what the user writes has the user's names; `i`, `_ind` and, if no parameter is called so, `n` are
// promised to the operation; everything else of ours begins with `_` (codegen/loop_text.cpp).
namespace kasoku {
namespace {

/// With a name for its lines in compiler messages.
std::string with_lines(const std::string& text, const std::string& what) {
  if (text.empty()) return "";
  std::string file;
  for (char c : what) file += c == '"' || c == '\\' ? '_' : c;
  return fmt::format("#line 1 \"{}\"\n{}\n", file, text);
}

/// The user's part of the body: a statement each, in its own lines.
std::string operation_lines(const ElementwiseOptions& options, const std::string& operation) {
  return with_lines(operation, options.name) + ";\n#line 1 \"kasoku\"\n";
}

std::string start_of(const ElementwiseOptions& options, bool has_complex, bool has_raw,
                     const std::string& typedefs = "") {
  std::string text;
  if (has_complex) text += "#include <pycuda-complex.hpp>\n";
  if (has_raw) text += "#include <cupy/carray.cuh>\n#include <cupy/atomics.cuh>\n";
  text += typedefs;
  text += with_lines(options.preamble, options.name + " preamble");
  return text + "#line 1 \"kasoku\"\n";
}

/// The whole text of a kernel with such parameters before the loop's own.
Program finish(std::string start, std::string params, const Loop& loop, const Body& body, bool is_wide,
               const ElementwiseOptions& options) {
  Program program;
  program.text = fmt::format("{}typedef {} ks_index;\n__global__ void {}({}{}{}) {{\n{}}}\n", start, is_wide ? "long long" : "int",
                             options.name, params, params.empty() ? "" : ", ", loop_parameters(loop), loop_text(loop, body));
  program.file = options.name;
  program.options = options.options;
  program.is_checked = options.is_checked;
  add_headers(program);
  return program;
}

void add_param(std::string& params, const std::string& declaration) { params += (params.empty() ? "" : ", ") + declaration; }

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

/// Whether a run of the operation is one statement after the other, as far as the text shows.
bool is_straight(const std::string& operation) {
  // Anything that may keep a statement from running, or hide what it does.
  for (const char* mark : {"{", "}", "#", "\"", "//", "/*", "'", "\\"})
    if (operation.find(mark) != operation.npos) return false;
  for (const char* word : {"if", "else", "for", "while", "do", "switch", "return", "goto", "asm"})
    if (mentions_word(operation, word)) return false;
  return true;
}

/// Whether the text, or functions before it, may have to do with threads, or loop.
bool is_plain(const std::string& text) {
  for (const char* part : {"Idx", "Dim", "__", "atomic", "printf", "asm", "#", "tid", "group"})
    if (text.find(part) != text.npos) return false;
  for (const char* word : {"for", "while", "do", "goto"})
    if (mentions_word(text, word)) return false;
  // Functions become vectors where threads are the lanes; those here are instructions.
  static constexpr std::string_view instructions[] = {"min", "max", "abs", "fabs", "fabsf", "sqrt", "sqrtf", "floor", "ceil",
                                                      "fma", "float", "double", "int", "unsigned", "long", "bool", "sizeof"};
  for (size_t at = text.find('('); at != text.npos; at = text.find('(', at + 1)) {
    size_t start = at;
    while (start > 0 && is_word_char(text[start - 1])) --start;
    const std::string_view called(text.data() + start, at - start);
    const bool is_placeholder = called.size() == 1 && isupper(static_cast<unsigned char>(called[0]));
    if (!called.empty() && !is_placeholder && std::ranges::find(instructions, called) == std::end(instructions)) return false;
  }
  return true;
}

}  // namespace

std::string raw_array(const ElementParam& param, bool is_narrow, std::string& params) {
  const std::string& name = param.declared->name;
  const std::string type = (param.declared->is_const ? "const " : "") + param.type;
  add_param(params, fmt::format("{}* _m_{}, ptrdiff_t _size_{}", type, name, name));
  std::string axes;
  for (int axis = 0; axis < param.ndim; ++axis) {
    add_param(params, fmt::format("ptrdiff_t _d{1}_{0}, ptrdiff_t _s{1}_{0}", name, axis));
    axes += fmt::format("  {0}.set_axis({1}, _d{1}_{0}, _s{1}_{0});\n", name, axis);
  }
  return fmt::format("  CArray<{0}, {1}, {2}, {3}> {4}(_m_{4}, _size_{4});\n", type, param.ndim, param.is_contiguous, is_narrow, name) + axes;
}

bool mentions(const ElementwiseOptions& options, const std::string& operation, std::string_view word) {
  return mentions_word(operation, word) || mentions_word(options.loop_prep, word) || mentions_word(options.after_loop, word);
}

bool needs_loop(const ElementwiseOptions& options, const std::string& operation) {
  return !options.loop_prep.empty() || !options.after_loop.empty() ||
         mentions_word(operation, "continue") || mentions_word(operation, "break");
}

BodyTraits traits_of(const ElementwiseOptions& options, const std::string& operation, const std::vector<Parameter>& outputs) {
  BodyTraits traits;
  traits.is_in_loop = needs_loop(options, operation);
  traits.sees_axes = mentions(options, operation, "_ind");
  traits.is_straight = is_straight(operation) && !traits.is_in_loop && !traits.sees_axes && !options.is_checked;
  traits.is_vector = traits.is_straight && is_plain(operation) && is_plain(options.preamble);
  traits.assigns_first = !outputs.empty() && std::ranges::all_of(outputs, [&](const Parameter& output) {
    return !output.is_raw && starts_with_assignment(operation, output.name);
  });
  return traits;
}

Program element_program(const ElementText& text) {
  const ElementwiseOptions& options = *text.options;
  const std::string& operation = *text.operation;
  const bool uses_axes = mentions(options, operation, "_ind");
  Loop loop = text.loop;
  Body body;
  std::string params;
  bool has_complex = false, has_raw = uses_axes;
  for (const ElementParam& param : text.params) {
    const std::string& name = param.declared->name;
    has_complex |= param.type.find("complex") != std::string::npos;
    has_raw |= param.use == ParamUse::raw;
    if (param.use == ParamUse::scalar) {
      add_param(params, fmt::format("const {} {}", param.type, name));
    } else if (param.use == ParamUse::raw) {
      body.before += raw_array(param, text.is_narrow, params);
    } else if (param.use != ParamUse::computed) {
      const bool is_output = param.use == ParamUse::output;
      add_param(params, fmt::format("{}{}* _m_{}", is_output ? "" : "const ", param.type, name));
      loop.operands.push_back({name, param.type, param.inner, Walk::memory, is_output});
    }
  }
  if (mentions(options, operation, "i") || uses_axes) loop.operands.push_back({"i", "", text.index, Walk::index});
  const size_t own = loop.operands.size();
  text.computed->add_operands(loop);
  const std::string numbers = text.computed->parameters();
  params += params.empty() && !numbers.empty() ? numbers.substr(1) : numbers;
  body.before += text.computed->before();
  const bool has_n =
      std::ranges::any_of(text.params, [](const ElementParam& param) { return param.declared->name == "n"; });
  if (!has_n && mentions(options, operation, "n")) body.before += "  const ptrdiff_t n = _total;\n";
  if (uses_axes) {
    body.before += fmt::format("  CIndexer<{}> _ind(_total);\n", loop.rank);
    for (int axis = 0; axis < loop.rank; ++axis)
      body.before += fmt::format("  _ind.set_axis({}, {});\n", axis, loop.rank == 1 ? "_total" : fmt::format("_n{}", axis));
  }
  body.is_in_loop = needs_loop(options, operation);
  body.assigns_first = std::ranges::all_of(text.params, [&](const ElementParam& param) { return param.use != ParamUse::output || starts_with_assignment(operation, param.declared->name); });
  if (body.is_in_loop) {
    body.before += with_lines(options.loop_prep, options.name + " loop_prep") + ";\n#line 1 \"kasoku\"\n";
    body.after = with_lines(options.after_loop, options.name + " after_loop") + ";\n";
  }
  body.element = [&](const Place& place, const std::string& indent) {
    std::string all = text.computed->values(place, indent);
    for (const ElementParam& param : text.params)
      if (param.use == ParamUse::computed)
        all += fmt::format("{}const {} {} = {};\n", indent, param.type, param.declared->name, PendingOperands::element(param.value, param.type));
    for (const LoopOperand& x : std::span(loop.operands).first(own))
      all += fmt::format("{}{}{} {}{} = {};\n", indent, x.is_output ? "" : "const ", x.kind == Walk::memory ? x.type : "ptrdiff_t",
                         x.is_output ? "&" : "", x.name, value_at(loop, x, place));
    if (uses_axes) all += indent + "_ind.set(i);\n";
    return all + operation_lines(options, operation);
  };
  std::string start = start_of(options, has_complex, has_raw, text.typedefs);
  start += text.computed->helpers(helper_of(loop, body));
  return finish(std::move(start), std::move(params), loop, body, !text.is_simt || !text.is_narrow, options);
}

Program pointer_program(const std::vector<Parameter>& params, const ElementwiseOptions& options,
                        const std::string& operation, bool is_wide, bool is_range) {
  bool has_complex = false;
  std::string all;
  for (const Parameter& param : params) {
    has_complex |= param.type.find("complex") != std::string::npos;
    add_param(all, declaration(param));
  }
  if (is_range) add_param(all, "long start, long step");
  Body body;
  body.is_in_loop = needs_loop(options, operation);
  const auto uses = [&](std::string_view word) { return mentions(options, operation, word); };
  if (uses("n") && std::none_of(params.begin(), params.end(),
                                [](const Parameter& p) { return p.name == "n"; }))
    body.before += "  const size_t n = _total;\n";
  for (const auto& [name, value] : {std::pair{"tid", "unsigned tid = threadIdx.x"},
                                    {"total_threads", "ks_index total_threads = (ks_index)gridDim.x * blockDim.x"},
                                    {"cta_start", "ks_index cta_start = (ks_index)blockDim.x * blockIdx.x"}})
    if (body.is_in_loop || uses(name)) body.before += fmt::format("  const {};\n", value);
  const char* type = is_range ? "long" : "size_t";
  if (body.is_in_loop) {
    body.before += fmt::format("  {} i;\n", type) + with_lines(options.loop_prep, options.name + " loop_prep") + ";\n#line 1 \"kasoku\"\n";
    body.after = with_lines(options.after_loop, options.name + " after_loop") + ";\n";
  }
  body.element = [&](const Place& place, const std::string& indent) {
    return fmt::format("{}{}i = {};\n", indent, body.is_in_loop ? "" : fmt::format("const {} ", type),
                       is_range ? fmt::format("start + (long){} * step", place.j) : place.j) +
           operation_lines(options, operation);
  };
  return finish(start_of(options, has_complex, false), std::move(all), {}, body, is_wide, options);
}

}  // namespace kasoku
