/// A group's reduction or scan: its elements are rows of ops.def, and what joins them is one too.
#include "kasoku/codegen/emit.h"

#include <fmt/format.h>

namespace kasoku::codegen {

namespace {

/// Whether a chunk's sum of bools and of 8- and 16-bit integers is counted in 32 bits, which hold it exactly: so would the type that
/// chunks' sums are joined in, float32 of 8 bits. Then a vector has room for twice as many as of 64 bits, and a GPU adds in one step.
bool has_short_sums(const Group& group) {
  const Instruction& last = group.values.back();
  if (info(group.reduce_op).join != Op::add || info(group.reduce_op).n_numbers() > 1 || last.kind != Instruction::cast) return false;
  const DtypeInfo &from = info(group.values[last.in[0]].dtype), &to = info(group.accumulate);
  const bool is_integer = from.kind == DtypeKind::boolean || from.kind == DtypeKind::signed_ || from.kind == DtypeKind::unsigned_;
  const bool is_number = to.kind == DtypeKind::signed_ || to.kind == DtypeKind::unsigned_ || to.kind == DtypeKind::floating;
  return is_integer && is_number && (to.size == 8 ? from.size <= 2 : to.kind == DtypeKind::floating && to.size == 4 && from.size == 1);
}

}  // namespace

bool may_be_in_any_order(const Group& group) {
  const Instruction& last = group.values.back();
  const bool has_room = !has_short_sums(group) || info(group.values[last.in[0]].dtype).kind == DtypeKind::boolean;
  return has_room && joins_in_any_order(group.reduce_op, group.accumulate);
}

namespace {

/// What a group's reduction and its scan have in common.
template <class T>
T joined(const Group& group, Op join) {
  T made;
  made.loop = group;
  made.kept_rank = group.kept_rank;
  made.form = group.form;
  made.by_threads = group.is_simt;
  made.has_narrow_pairs = group.is_simt && !group.wide_index;
  made.type = register_text(group.accumulate);
  made.value_bytes = info(register_dtype(group.accumulate)).size;
  made.join = [&group, join, type = made.type](const std::string& a, const std::string& b) {
    const std::string operands[] = {a, b};
    return filled_text(join, group.accumulate, type, operands);
  };
  made.value = last_value(group);
  return made;
}

/// What a lane of moments takes in: an element by itself, or a part's numbers.
std::string moments_of(const Group& group, const std::string& type) {
  if (group.joins_results) return fmt::format("{}{{{}, {}, {}}}", type, last_value(group, 2), last_value(group, 1), last_value(group));
  return fmt::format("{}{{1, {}, 0}}", type, last_value(group));
}

/// Elements of at most so many operations are computed where they are joined, also in several copies of the text.
constexpr size_t few_values = 4;

}  // namespace

Reduction reduction_of(const Group& group) {
  auto r = joined<Reduction>(group, info(group.reduce_op).join);
  r.identity = identity_text(group.reduce_op, group.accumulate, r.type);
  if (has_short_sums(group)) {
    r.type = "int";
    r.identity = "0";
    r.value = fmt::format("(int)v{}", group.values.back().in[0]);
    if (info(group.values[group.values.back().in[0]].dtype).kind == DtypeKind::boolean) r.take = "ks_count";
  }
  r.keeps_position = info(group.reduce_op).keeps_position();
  const bool has_moments = info(group.reduce_op).result == ReductionInfo::moments;
  if (has_moments) {
    r.type = lane_text(group.reduce_op, r.type);
    r.value_bytes = lane_bytes(group.reduce_op, group.accumulate);
    r.value = moments_of(group, r.type);
    r.counts_elements = !group.joins_results;
  }
  r.walks_numbers = group.walks_numbers;
  r.element = [&group](const Place& place, const std::string&, const std::string& indent) { return element(group, place, indent); };
  if (group.joins_results && r.keeps_position) {
    r.value = last_value(group, 1);
    r.position = last_value(group);
  }
  r.store = [&group, has_moments](const std::string& at, const std::string& value, const std::string& position, const std::string& indent) {
    if (has_moments) return fmt::format("{0}ks_store(y + 3 * ({1}), (ks_lane)({2}));\n", indent, at, value);
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
  auto scan = joined<Scan>(group, group.scan->join);
  scan.gives_totals = group.scan->gives_totals;
  scan.is_of_integers = text_column(group.accumulate) < 2 && group.values.size() <= few_values;
  scan.join = [join = scan.join, type = scan.type](const std::string& a, const std::string& b) { return fmt::format("({})({})", type, join(a, b)); };
  scan.element = [&group](const Place& place, const std::string& indent) { return element(group, place, indent); };
  scan.store = [&group, y = scan.gives_totals ? LoopOperand() : scan.loop.operands[0], loop = scan.loop](const Place& place, const std::string& value, const std::string& indent) {
    return fmt::format("{}{} = {};\n", indent, value_at(loop, y, place), store_text(group.store_dtype, cast_text(group.accumulate, group.store_dtype, value)));
  };
  return scan;
}

}  // namespace kasoku::codegen
