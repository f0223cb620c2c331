#include "kasoku/kernel/reduction_text.h"

#include "kasoku/codegen/helpers.h"
#include "kasoku/codegen/reductions.h"
#include "kasoku/kernel/headers.h"

#include <fmt/format.h>

// Names in the text, beside those of codegen/reduce_tree.cpp:
//   _type_reduce   what is reduced
//   _o, _j         the output, and an element of it in C order
//   _partial       one value for each chunk
namespace kasoku {
namespace {

std::string with_line(const std::string& text, const std::string& what) {
  return fmt::format("\n#line 1 \"{}\"\n{}\n#line 1 \"kasoku\"\n", what, text);
}

std::string kernel_text(const std::string& name, const std::string& params, const std::string& before, const Reduction& reduction) {
  return fmt::format("__global__ void {}{}({}_type_reduce* _partial, {}) {{\n{}{}}}\n", launch_bounds(reduction.by_threads, reduction.form, false), name, params, reduce_parameters(reduction), before, reduce_text(reduction));
}

}  // namespace

ReduceForm reduce_form(IterationSpace& space, size_t value_bytes, bool is_simt) {
  if (space.size() == 0) return ReduceForm::rows;
  // A block of threads, or a core, holds many values by columns, and has so much memory for them.
  constexpr size_t most_bytes = 16;
  return choose_reduce_form(space, is_simt, {.may_be_columns = value_bytes > 0 && value_bytes <= most_bytes, .may_be_tiles = value_bytes > 0 && value_bytes <= most_bytes});
}

Program reduction_program(ReductionText text) {
  const std::string& name = text.options->name;
  Reduction& r = text.reduction;
  r.type = "_type_reduce";
  r.is_users = true;
  r.by_threads = text.is_simt;
  r.has_narrow_pairs = text.is_simt && text.is_narrow;
  if (!text.identity.empty()) r.start = fmt::format("_type_reduce({})", text.identity);
  r.join = [&](const std::string&, const std::string&) { return fmt::format("_type_reduce({})", with_line(text.reduce_expr, name + " reduce_expr")); };
  r.element = [&](const Place& place, const std::string& number, const std::string&) {
    return text.element(r.loop, place, number, r.form == ReduceForm::columns ? "(_start + _place)" : "_o");
  };
  r.value = fmt::format("_type_reduce({})", with_line(text.map_expr, name + " map_expr"));
  r.store = [&](const std::string& at, const std::string& value, const std::string&, const std::string& indent) {
    return fmt::format("{0}if (_chunks == 1) {{\n{0}  const _type_reduce a = {1};\n{0}  const ptrdiff_t _o = {2};\n{0}  (void)_o;\n{3};\n{0}}} else {{\n{0}  _partial[{2}] = {1};\n{0}}}\n",
                       indent, value, at, text.post);
  };
  // What chunks left is a row for each result.
  Reduction again = r;
  again.loop = Loop{{{"_in", "_type_reduce", Inner::unit}}, 2, 1, true};
  again.kept_rank = 1;
  again.form = ReduceForm::rows;
  const std::string of_chunks = kernel_text(name, text.inputs + text.others, text.before + text.before_inputs, r);
  again.element = [&](const Place& place, const std::string&, const std::string& indent) {
    return fmt::format("{}const _type_reduce& _left_there = {};\n", indent, value_at(again.loop, again.loop.operands[0], place));
  };
  again.value = "_left_there";
  const std::string body = lanes_text(r) + of_chunks + kernel_text(name + "_partials", "const _type_reduce* _m__in, " + text.others, text.before, again);
  Program program;
  program.text = fmt::format("{}{}#define ks_helper __device__ __forceinline__\ntypedef {} ks_index;\n{}{}", text.is_simt ? "" : "#pragma clang fp contract(off)\n", text.head,
                             text.is_simt && text.is_narrow ? "int" : "long long", text.computed ? text.computed->helpers(lanes_text(r)) : helper_text(lanes_text(r)), body);
  program.file = name;
  program.options = text.options->options;
  program.is_checked = text.options->is_checked;
  program.is_generated = !program.is_checked;  // the same bits on every device; the checker asks for its threads
  add_headers(program);
  return program;
}

}  // namespace kasoku
