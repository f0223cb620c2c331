// Stores at places that are computed. Several elements may have one place: the last one stays, and what is joined to it is
// joined in order. So on a CPU one block goes over all of them, or, where much is computed of what is stored, blocks divide the
// places: a block is one thread, which goes over the rows of its part and stores what lies in `span` bytes from `begin` on. Parts
// are of the outermost axis where a place is computed for none of its elements, and so they have places of their own anyway. A
// GPU's threads have an element each, in any order.
//
// Legend of the text, beside those of emit.cpp and loop_text.cpp.
//   rows, rows_of_part, owners   what is gone over; how much of it a part has, and how many blocks go over a part
//   from, span                   the least distance of a place, and how many from there each owner has
//   to, there                    where the element goes, and the value that it finds there
#include "kasoku/codegen/emit.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

bool joins_in_any_order(Op join, Dtype compute, Dtype stored) {
  const bool is_integer = info(stored).kind == DtypeKind::signed_ || info(stored).kind == DtypeKind::unsigned_;
  return compute == stored && is_integer && info(stored).size >= 4 && (join == Op::add || join == Op::subtract || join == Op::maximum || join == Op::minimum);
}

namespace codegen {

namespace {

/// Threads that join at one place take turns by themselves.
std::string atomic_join(const Group& group, const std::string& value) {
  const Op op = *group.scatter->join;
  const Dtype dtype = group.store_dtype;
  const std::string_view type = info(dtype).size == 4 && info(dtype).kind == DtypeKind::signed_ && (op == Op::maximum || op == Op::minimum) ? "int"
                                : info(dtype).size == 4                                                                           ? "unsigned int"
                                : info(dtype).kind == DtypeKind::signed_ && (op == Op::maximum || op == Op::minimum)              ? "long long"
                                                                                                                                  : "unsigned long long";
  const char* const name = op == Op::maximum ? "atomicMax" : op == Op::minimum ? "atomicMin" : "atomicAdd";
  return fmt::format("{0}(({1}*)to, ({1}){2}{3});\n", name, type, op == Op::subtract ? "-" : "", value);
}

std::string store(const Group& group, const std::string& indent) {
  const std::string value = last_value(group);
  const Instruction& last = group.values.back();
  if (!group.scatter->join) return fmt::format("{}*to = {};\n", indent, store_text(group.store_dtype, value));
  if (group.is_simt) return indent + atomic_join(group, value);
  const std::string operands[] = {"there", value};
  const std::string joined = filled_text(*group.scatter->join, last.dtype, register_text(last.dtype), operands);
  return fmt::format("{}const {} there = {};\n", indent, register_text(last.dtype), cast_text(group.store_dtype, last.dtype, load_text(group.store_dtype, "*to"))) +
         fmt::format("{}*to = {};\n", indent, store_text(group.store_dtype, cast_text(last.dtype, group.store_dtype, fmt::format("({})({})", register_text(last.dtype), joined))));
}

}  // namespace

std::string emit_scatter(const Group& group) {
  const Loop loop = group;
  const ScatterSpec& scatter = *group.scatter;
  const size_t known = std::max<size_t>(scatter.distance, scatter.condition.value_or(0)) + 1;
  Body body;
  body.is_vector = loop.operands[0].inner != Inner::broadcast;  // a row of neighbours, all at one distance
  body.element = [&](const Place& place, const std::string& indent) {
    std::string text = values_text(group, place, indent, 0, known), condition;
    if (!group.is_simt) condition = fmt::format("(unsigned long long)(v{} - begin) < (unsigned long long)span", scatter.distance);
    if (scatter.condition) condition += fmt::format("{}v{}", condition.empty() ? "" : " && ", *scatter.condition);
    const std::string deeper = condition.empty() ? indent : indent + "  ";
    const std::string type(memory_text(group.store_dtype));
    std::string inside = values_text(group, place, deeper, known, group.values.size()) +
                         fmt::format("{}{}* const to = ({}*)((char*)&{} + v{});\n", deeper, type, type, value_at(loop, loop.operands[0], place), scatter.distance) +
                         store(group, deeper);
    return text + (condition.empty() ? inside : fmt::format("{0}if ({1}) {{\n{2}{0}}}\n", indent, condition, inside));
  };
  if (!group.is_simt)
    body.before = "  const long long part = (long long)blockIdx.x / owners, begin = from + ((long long)blockIdx.x - part * owners) * span;\n"
                  "  const long long _at = part * rows_of_part, _end = _at + rows_of_part < rows ? _at + rows_of_part : rows;\n";
  return loop_text(loop, body);
}

}  // namespace codegen

}  // namespace kasoku
