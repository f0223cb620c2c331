#include "kasoku/kernel/element_text.h"

#include "kasoku/codegen/helpers.h"
#include "kasoku/kernel/element_fours.h"
#include "kasoku/kernel/headers.h"

#include <fmt/format.h>

// Names in the text: what the user writes has the user's names; `i`, `n` and `_ind` are
// promised to the operation; everything else of ours begins with `_`.
//   _index     this thread's element          _count     number of elements
//   _data_x    where the elements of x are    _shape0 …  the loop's axes, innermost last
//   _x_0 …     strides of x in bytes          _row, _j   row of this block, place in it
namespace kasoku {
namespace {

/// With a name for its lines in compiler messages.
std::string with_lines(const std::string& text, const std::string& what) {
  if (text.empty()) return "";
  std::string file;
  for (char c : what) file += c == '"' || c == '\\' ? '_' : c;
  return fmt::format("#line 1 \"{}\"\n{}\n", file, text);
}

bool mentions(const ElementwiseOptions& options, const std::string& operation,
              std::string_view word) {
  return mentions_word(operation, word) || mentions_word(options.loop_prep, word) ||
         mentions_word(options.after_loop, word);
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

Program finish(std::string text, const ElementwiseOptions& options) {
  Program program;
  program.text = std::move(text);
  program.file = options.name;
  program.options = options.options;
  program.is_checked = options.is_checked;
  add_headers(program);
  return program;
}

/// Kernel parameters, and what turns them into the user's names.
struct Body {
  std::string params, prologue, element;

  void param(const std::string& declaration) {
    params += (params.empty() ? "" : ", ") + declaration;
  }
};

void add_raw(Body& body, const ElementParam& param, bool is_narrow) {
  const std::string& name = param.declared->name;
  const bool is_const = param.declared->is_const;
  body.param(fmt::format("{}{}* _data_{}, ptrdiff_t _size_{}", is_const ? "const " : "", param.type,
                         name, name));
  std::string axes;
  for (int axis = 0; axis < param.ndim; ++axis) {
    body.param(fmt::format("ptrdiff_t _{0}_d{1}, ptrdiff_t _{0}_s{1}", name, axis));
    axes += fmt::format("  {0}.set_axis({1}, _{0}_d{1}, _{0}_s{1});\n", name, axis);
  }
  body.prologue += fmt::format("  CArray<{}{}, {}, {}, {}> {}(_data_{}, _size_{});\n{}",
                               is_const ? "const " : "", param.type, param.ndim,
                               param.is_contiguous, is_narrow, name, name, name, axes);
}

void add_element(Body& body, const ElementParam& param, const ElementText& text) {
  const std::string& name = param.declared->name;
  const bool is_input = param.use == ParamUse::input;
  body.param(fmt::format("{}{}* _data_{}", is_input ? "const " : "", param.type, name));
  std::string place;
  if (text.ndim == 1 && param.step == Step::contiguous) {
    place = fmt::format("_data_{}[_index]", name);
  } else if (text.ndim == 1 && param.step == Step::broadcast) {
    place = fmt::format("_data_{}[0]", name);
  } else {
    // Offsets of the outer axes belong to the row where a block stays in one.
    const int outer = text.ndim - 1;
    std::string offset;
    for (int axis = 0; axis < outer; ++axis) {
      body.param(fmt::format("ptrdiff_t _{}_{}", name, axis));
      offset += fmt::format(" + _k{1} * _{0}_{1}", name, axis);
    }
    const std::string pointer = fmt::format("_at_{}", name);
    const std::string line =
        fmt::format("  {0}char* {1} = ({0}char*)_data_{2}{3};\n", is_input ? "const " : "", pointer,
                    name, offset);
    (text.is_rows ? body.prologue : body.element) += line;
    const char* j = text.is_rows ? "_j" : text.ndim == 1 ? "_index" : "_kj";
    const std::string type = (is_input ? "const " : "") + param.type;
    if (param.step == Step::contiguous) {
      place = fmt::format("(({}*){})[{}]", type, pointer, j);
    } else if (param.step == Step::broadcast) {
      place = fmt::format("*({}*){}", type, pointer);
    } else {
      body.param(fmt::format("ptrdiff_t _{}_{}", name, outer));
      place = fmt::format("*({}*)({} + (ptrdiff_t){} * _{}_{})", type, pointer, j, name, outer);
    }
  }
  body.element += is_input ? fmt::format("    const {} {} = {};\n", param.type, name, place)
                           : fmt::format("    {} &{} = {};\n", param.type, name, place);
}

}  // namespace

bool needs_loop(const ElementwiseOptions& options, const std::string& operation) {
  return !options.loop_prep.empty() || !options.after_loop.empty() ||
         mentions_word(operation, "continue") || mentions_word(operation, "break");
}

std::string declaration(const Parameter& param) {
  return fmt::format("{}{} {}{}", param.is_const ? "const " : "", param.type,
                     param.is_pointer ? "*" : "", param.name);
}

Program element_program(const ElementText& text) {
  const ElementwiseOptions& options = *text.options;
  const std::string& operation = *text.operation;
  const bool uses_index = mentions(options, operation, "_ind");
  const char* narrow = text.is_narrow ? "unsigned" : "unsigned long long";

  Body body;
  const int inner = text.ndim - 1;
  const bool has_shape = text.ndim > 1 || uses_index;
  if (text.is_rows) body.param("unsigned _pieces");
  body.param(fmt::format("{} _count", narrow));
  if (has_shape)
    for (int axis = 0; axis < text.ndim; ++axis) body.param(fmt::format("{} _shape{}", narrow, axis));

  // Where this element is: _k0 … of the outer axes, _kj (or _j, _index) of the innermost.
  std::string axes;
  if (text.ndim > 1) {
    if (!text.is_rows)
      axes = fmt::format("    {0} _rest = _index;\n    const {0} _kj = _rest % _shape{1};\n"
                         "    _rest /= _shape{1};\n", narrow, inner);
    for (int axis = inner - 1; axis > 0; --axis)
      axes += fmt::format("    const ptrdiff_t _k{0} = _rest % _shape{0};\n    _rest /= _shape{0};\n",
                          axis);
    axes += "    const ptrdiff_t _k0 = _rest;\n";
  }
  if (text.is_rows)
    body.prologue += fmt::format(
        "  const unsigned _row = blockIdx.x / _pieces;\n"
        "  const {0} _j = (blockIdx.x - _row * _pieces) * blockDim.x + threadIdx.x;\n"
        "  {0} _rest = _row;\n{1}",
        narrow, axes);
  else
    body.element += axes;

  bool has_complex = false, has_raw = uses_index;
  for (const ElementParam& param : text.params) {
    has_complex |= param.type.find("complex") != std::string::npos;
    has_raw |= param.use == ParamUse::raw;
    if (param.use == ParamUse::scalar)
      body.param(fmt::format("const {} {}", param.type, param.declared->name));
    else if (param.use == ParamUse::raw)
      add_raw(body, param, text.is_narrow);
    else
      add_element(body, param, text);
  }

  std::string out = start_of(options, has_complex, has_raw, text.typedefs);
  if (text.is_fours) out += helper_text("ks_four");
  out += fmt::format("__global__ void {}({}) {{\n{}", options.name, body.params, text.is_fours ? "" : body.prologue);
  if (mentions(options, operation, "n")) out += "  const ptrdiff_t n = _count;\n";
  if (uses_index) {
    out += fmt::format("  CIndexer<{}> _ind(_count);\n", text.ndim);
    for (int axis = 0; axis < text.ndim; ++axis)
      out += fmt::format("  _ind.set_axis({0}, _shape{0});\n", axis);
  }

  if (text.is_fours)
    return finish(std::move(out) + fours_body(text, narrow, body.prologue, operation_lines(options, operation)), options);

  std::string element = body.element;
  if (mentions(options, operation, "i") || uses_index)
    element = fmt::format("    const ptrdiff_t i = {};\n",
                          text.is_rows ? fmt::format("(ptrdiff_t)_row * _shape{} + _j", inner)
                                       : "_index") +
              (uses_index ? "    _ind.set(i);\n" : "") + element;

  if (text.is_rows) {
    out += fmt::format("  if (_j < _shape{}) {{\n{}{}  }}\n}}\n", inner, element,
                       operation_lines(options, operation));
    return finish(std::move(out), options);
  }
  const std::string index =
      fmt::format("{}blockIdx.x * blockDim.x + threadIdx.x",
                  text.is_narrow ? "" : "(unsigned long long)");
  if (needs_loop(options, operation)) {
    out += with_lines(options.loop_prep, options.name + " loop_prep") + ";\n#line 1 \"kasoku\"\n";
    out += fmt::format("  for ({0} _index = {1}; _index < _count; _index += ({0})gridDim.x * "
                       "blockDim.x) {{\n{2}{3}  }}\n",
                       narrow, index, element, operation_lines(options, operation));
    out += with_lines(options.after_loop, options.name + " after_loop") + ";\n}\n";
  } else {
    out += fmt::format("  const {} _index = {};\n  if (_index < _count) {{\n{}{}  }}\n}}\n", narrow,
                       index, element, operation_lines(options, operation));
  }
  return finish(std::move(out), options);
}

Program pointer_program(const std::vector<Parameter>& params, const ElementwiseOptions& options,
                        const std::string& operation, bool is_narrow, bool is_range) {
  const char* narrow = is_narrow ? "unsigned" : "unsigned long long";
  bool has_complex = false;
  Body body;
  for (const Parameter& param : params) {
    has_complex |= param.type.find("complex") != std::string::npos;
    body.param(declaration(param));
  }
  body.param(fmt::format("{} _count", narrow));
  if (is_range) body.param("long start, long step");

  std::string out = start_of(options, has_complex, false);
  out += fmt::format("__global__ void {}({}) {{\n", options.name, body.params);
  const bool is_loop = needs_loop(options, operation);
  const auto uses = [&](std::string_view word) { return mentions(options, operation, word); };
  if (uses("n") && std::none_of(params.begin(), params.end(),
                                [](const Parameter& p) { return p.name == "n"; }))
    out += "  const size_t n = _count;\n";
  if (is_loop || uses("tid")) out += "  const unsigned tid = threadIdx.x;\n";
  if (is_loop || uses("total_threads"))
    out += fmt::format("  const {0} total_threads = ({0})gridDim.x * blockDim.x;\n", narrow);
  if (is_loop || uses("cta_start"))
    out += fmt::format("  const {0} cta_start = ({0})blockDim.x * blockIdx.x;\n", narrow);
  const std::string place = is_range ? "start + (long)_index * step" : "_index";
  const std::string i = fmt::format("    const {} i = {};\n", is_range ? "long" : "size_t", place);
  const std::string lines = operation_lines(options, operation);
  if (is_loop) {
    out += is_range ? "  long i;\n" : "  size_t i;\n";
    out += with_lines(options.loop_prep, options.name + " loop_prep") + ";\n#line 1 \"kasoku\"\n";
    out += fmt::format("  for ({} _index = cta_start + tid; _index < _count; _index += "
                       "total_threads) {{\n    i = {};\n{}  }}\n",
                       narrow, place, lines);
    out += with_lines(options.after_loop, options.name + " after_loop") + ";\n}\n";
  } else {
    out += fmt::format("  const {} _index = {}blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "  if (_index < _count) {{\n{}{}  }}\n}}\n",
                       narrow, is_narrow ? "" : "(unsigned long long)", i, lines);
  }
  return finish(std::move(out), options);
}

}  // namespace kasoku
