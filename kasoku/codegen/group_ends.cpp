/// A group's reduction or scan: its elements are rows of ops.def, and what joins them is one too.
#include "kasoku/codegen/emit.h"

#include <fmt/format.h>

namespace kasoku::codegen {

namespace {

/// Whether a chunk's sum of 8- and 16-bit integers is to be one of 64 bits: 32 hold it, and twice as many fit into a vector.
bool has_short_sums(const Group& group) {
  const Instruction& last = group.values.back();
  if (info(group.reduce_op).join != Op::add || last.kind != Instruction::cast || info(group.accumulate).size != 8) return false;
  const DtypeKind kind = info(group.accumulate).kind;
  const DtypeInfo& from = info(group.values[last.in[0]].dtype);
  const bool is_integer = from.kind == DtypeKind::boolean || from.kind == DtypeKind::signed_ || from.kind == DtypeKind::unsigned_;
  return is_integer && from.size <= 2 && (kind == DtypeKind::signed_ || kind == DtypeKind::unsigned_);
}

}  // namespace

Reduction reduction_of(const Group& group) {
  constexpr size_t few_values = 4;
  const std::string type(register_text(group.accumulate));
  const bool has_short = has_short_sums(group);
  Reduction r;
  r.loop = group;
  r.kept_rank = group.kept_rank;
  r.form = group.form;
  r.by_threads = group.is_simt;
  r.has_narrow_pairs = group.is_simt && !group.wide_index;
  r.type = has_short ? "int" : type;
  r.value_bytes = info(register_dtype(group.accumulate)).size;
  r.identity = has_short ? "0" : identity_text(group.reduce_op, group.accumulate, type);
  r.join = [&group, type](const std::string& a, const std::string& b) {
    const std::string operands[] = {a, b};
    return filled_text(info(group.reduce_op).join, group.accumulate, type, operands);
  };
  r.keeps_position = info(group.reduce_op).keeps_position();
  r.element = [&group](const Place& place, const std::string&, const std::string& indent) { return element(group, place, indent); };
  r.value = (has_short ? "(int)" : "") + last_value(group, group.has_indices ? 1 : 0);
  if (group.has_indices) r.position = last_value(group);
  r.store = [&group](const std::string& at, const std::string& value, const std::string& position, const std::string& indent) {
    return fmt::format("{}y[{}] = {};\n", indent, at, store_text(group.accumulate, value)) +
           (position.empty() ? "" : fmt::format("{}y_at[{}] = {};\n", indent, at, position));
  };
  r.copies = copies_of_element(group);
  r.is_short = group.values.size() <= few_values;
  r.loads_fours = group.is_simt;
  if (group.by_fours && group.is_simt) r.calls_for_four = [&group](const std::string& t, const std::string& indent) { return calls_for_four(group, t, indent); };
  if (group.by_fours && !group.is_simt) r.head_of_fours = loop_of_fours(group, "      ");
  return r;
}

Scan scan_of(const Group& group) {
  const std::string type(register_text(group.accumulate));
  Scan scan;
  scan.loop = group;
  scan.kept_rank = group.kept_rank;
  scan.form = group.form;
  scan.by_threads = group.is_simt;
  scan.has_narrow_pairs = group.is_simt && !group.wide_index;
  scan.gives_totals = group.scan->gives_totals;
  scan.type = type;
  scan.value_bytes = info(group.accumulate).size;
  scan.join = [&group, type](const std::string& a, const std::string& b) {
    const std::string operands[] = {a, b};
    return fmt::format("({})({})", type, filled_text(group.scan->join, group.accumulate, type, operands));
  };
  scan.element = [&group](const Place& place, const std::string& indent) { return element(group, place, indent); };
  scan.value = last_value(group);
  scan.store = [&group, y = scan.gives_totals ? LoopOperand() : scan.loop.operands[0], loop = scan.loop](const Place& place, const std::string& value, const std::string& indent) {
    return fmt::format("{}{} = {};\n", indent, value_at(loop, y, place), store_text(group.store_dtype, cast_text(group.accumulate, group.store_dtype, value)));
  };
  return scan;
}

}  // namespace kasoku::codegen
