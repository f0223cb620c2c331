// Legend of the text, beside that of loop_text.cpp.
//   y, x0 …        operands: the result, the loads      s0 …  numbers
//   a0, r0 …       operands: aranges and random leaves  v0 …  values of one element
//   d0 …           values that divide and are numbers: what is found out about them once
#include "kasoku/codegen/emit.h"

#include "kasoku/codegen/helpers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace kasoku {

Dtype register_dtype(Dtype dtype) {
  return dtype == Dtype::float16 || dtype == Dtype::bfloat16 ? Dtype::float32 : dtype;
}

namespace codegen {

std::string_view register_text(Dtype dtype) { return info(register_dtype(dtype)).text; }

std::string_view memory_text(Dtype dtype) {
  if (dtype == Dtype::bool_) return "ks_flag";
  return register_dtype(dtype) != dtype ? std::string_view("unsigned short") : info(dtype).text;
}

bool has_plain_product(const Instruction& x) { return (x.op == Op::multiply || x.op == Op::square) && is_floating(x.compute); }

std::string name_of_value(const Group& group, size_t number) { return fmt::format("{}v{}", group.prefix, number); }

std::string load_text(Dtype memory, const std::string& value) {
  if (memory == Dtype::float16) return fmt::format("ks_half_to_float({})", value);
  if (memory == Dtype::bfloat16) return fmt::format("ks_bfloat_to_float({})", value);
  return value;
}

namespace {

std::string round_to(Dtype dtype, std::string value) {
  if (dtype == Dtype::float16) return fmt::format("ks_round_half({})", value);
  if (dtype == Dtype::bfloat16) return fmt::format("ks_round_bfloat({})", value);
  return value;
}

std::string number_text(const Group& group, const Instruction& x) {
  const int64_t fixed = group.scalars[x.index].fixed;
  return fixed ? fmt::format("{}", fixed) : fmt::format("{}s{}", group.prefix, x.index);
}

/// Whether it divides integers by a number. A GPU's threads have too few elements each to find out about it first.
bool divides_by_number(const Group& group, const Instruction& x) {
  if (group.is_simt || x.kind != Instruction::apply) return false;
  const DtypeKind kind = info(x.compute).kind;
  return (x.op == Op::floor_divide || x.op == Op::remainder || x.op == Op::fmod) && (kind == DtypeKind::signed_ || kind == DtypeKind::unsigned_) &&
         group.values[x.in[1]].kind == Instruction::scalar;
}

}  // namespace

std::string divisors_text(const Group& group) {
  std::string text;
  std::vector<bool> is_there(group.values.size());
  for (const Instruction& x : group.values) {
    if (!divides_by_number(group, x) || is_there[x.in[1]]) continue;
    is_there[x.in[1]] = true;
    text += fmt::format("  const ks_divisor<{0}> {3}d{1}(({0}){2});\n", register_text(x.compute), x.in[1], number_text(group, group.values[x.in[1]]), group.prefix);
  }
  return text;
}

namespace {

std::string op_text(const Group& group, const Instruction& x) {
  std::array<std::string, 3> operands;
  for (int i = 0; i < info(x.op).arity; ++i) operands[i] = name_of_value(group, x.in[i]);
  if (divides_by_number(group, x)) operands[1] = fmt::format("{}d{}", group.prefix, x.in[1]);
  if (group.has_plain_products && has_plain_product(x))
    return round_to(x.dtype, fmt::format("{}({}, {})", register_dtype(x.compute) == Dtype::float32 ? "__fmul_rn" : "__dmul_rn", operands[0], operands[x.op == Op::square ? 0 : 1]));
  const std::string out = filled_text(x.op, x.compute, register_text(x.compute), operands);
  return info(x.dtype).kind == DtypeKind::floating ? round_to(x.dtype, out) : out;
}

/// Elements of 32 bits take a word of the generator's four, others two.
bool takes_word(const RandomSpec& leaf) { return info(leaf.dtype).size == 4; }

/// A random number of the words that element `e` shares with its neighbours.
std::string random_text(const RandomSpec& leaf, const std::string& name, const std::string& words, const std::string& e) {
  if (leaf.distribution == Distribution::uniform)
    return takes_word(leaf) ? fmt::format("ks_uniform_f32(ks_word({}, {}))", words, e) : fmt::format("ks_uniform_of_two({}, {})", words, e);
  if (leaf.distribution == Distribution::normal)
    return takes_word(leaf) ? fmt::format("ks_normal_of_four({}, {})", words, e) : fmt::format("ks_normal_f64({}, (int)({} & 1))", words, e);
  return fmt::format("ks_integer(ks_word_pair({0}, {1}), {2}_low, {2}_range)", words, e, name);
}

}  // namespace

std::string cast_text(Dtype from, Dtype to, const std::string& value) {
  if (from == to) return value;
  const DtypeKind a = info(from).kind, b = info(to).kind;
  if (b == DtypeKind::boolean) return fmt::format("({} != 0)", value);
  if (a == DtypeKind::floating && (b == DtypeKind::signed_ || b == DtypeKind::unsigned_))
    return fmt::format("ks_to_integer<{}>({})", register_text(to), value);
  if (a == DtypeKind::complex_ && b != DtypeKind::complex_)
    return cast_text(from == Dtype::complex64 ? Dtype::float32 : Dtype::float64, to, value + ".re");
  if (b == DtypeKind::complex_ && a != DtypeKind::complex_) {
    const Dtype part = to == Dtype::complex64 ? Dtype::float32 : Dtype::float64;
    return fmt::format("{}({})", register_text(to), cast_text(from, part, value));
  }
  if (register_dtype(from) == register_dtype(to)) return round_to(to, value);
  if (from == Dtype::float64 && register_dtype(to) != to) return round_to(to, fmt::format("ks_to_odd({})", value));
  if (to == Dtype::bfloat16 && is_integer(from) && info(from).size >= 4)  // float16 is infinite before float32 rounds
    return round_to(to, fmt::format("{}({})", info(from).size == 4 ? "ks_to_odd" : "ks_whole_to_odd", value));
  return round_to(to, fmt::format("({}){}", register_text(to), value));
}

std::string store_text(Dtype memory, const std::string& value) {
  if (memory == Dtype::float16) return fmt::format("ks_float_to_half({})", value);
  if (memory == Dtype::bfloat16) return fmt::format("ks_float_to_bfloat({})", value);
  return value;
}

/// Whether the kernel waits itself for what the launch before it stores, and may begin early: a sum of many chunks is several launches,
/// of which the later ones take as long as it takes to begin.
static bool waits_for_launches(const Group& group) { return group.is_reduce && group.is_simt && !group.is_part(); }

std::string operand_parameters(const Group& group) {
  std::string text;
  const std::string& prefix = group.prefix;
  const auto add = [&](std::string_view type, const std::string& name) { text += fmt::format(", {} {}{}", type, prefix, name); };
  for (size_t k = 0; k < group.loads.size(); ++k)
    text += fmt::format(",\n    const {}*{} _m_{}x{}", memory_text(group.loads[k]), waits_for_launches(group) ? "" : " __restrict__", prefix, k);
  for (size_t k = 0; k < group.scalars.size(); ++k)
    if (!group.scalars[k].fixed) add(register_text(group.scalars[k].dtype), fmt::format("s{}", k));
  for (size_t k = 0; k < group.aranges.size(); ++k) {
    add(register_text(group.aranges[k]), fmt::format("a{}_start", k));
    add(register_text(group.aranges[k]), fmt::format("a{}_step", k));
  }
  for (size_t k = 0; k < group.randoms.size(); ++k) {
    for (const char* part : {"k0", "k1", "draw"}) add("unsigned int", fmt::format("r{}_{}", k, part));
    if (group.randoms[k].distribution == Distribution::integers) {
      add("long long", fmt::format("r{}_low", k));
      add("unsigned long long", fmt::format("r{}_range", k));
    }
  }
  return text;
}

std::string parameters(const Group& group) {
  std::string text = fmt::format("{}* __restrict__ {}", memory_text(group.walks_result() ? group.store_dtype : group.accumulate),
                                 group.walks_result() ? "_m_y" : "y");
  if (group.is_reduce && info(group.reduce_op).keeps_position()) text += ", long long* __restrict__ y_at";
  text += operand_parameters(group);
  if (group.is_reduce) return text + ",\n    " + reduce_parameters(reduction_of(group));
  if (group.scan) return text + ",\n    " + scan_parameters(scan_of(group));
  text += ",\n    " + loop_parameters(group);
  if (group.scatter && !group.is_simt) text += ",\n    long long rows, long long rows_of_part, long long owners, long long from, long long span";
  if (group.scatter && group.scatter->is_in_shared) text += ",\n    long long least, long long places";
  return text;
}

namespace {

constexpr size_t chains_at_once = 4;

/// What calls_for_four() calls: a name and the arguments of each.
std::vector<std::pair<std::string, std::string>> blocks_for_four(const Group& group, const std::string& t) {
  std::vector<std::pair<std::string, std::string>> blocks;
  const char* const number = group.is_simt && !group.wide_index ? "unsigned int" : "unsigned long long";
  for (size_t k = 0; k < group.randoms.size(); ++k) {
    const int n = takes_word(group.randoms[k]) ? 1 : 2;
    for (int i = 0; i < n; ++i)
      blocks.emplace_back(fmt::format("{}_{}", k, i),
                          fmt::format("(({3})(_p_r{4}) >> {1}) + {2}, r{0}_draw, 0, r{0}_k0, r{0}_k1", k,
                                      n == 1 ? 2 : 1, n == 1 ? t : fmt::format("2 * {} + {}", t, i), number, group.has_one_block ? 0 : k));
  }
  return blocks;
}

}  // namespace

std::string calls_for_four(const Group& group, const std::string& t, const std::string& indent) {
  const auto blocks = blocks_for_four(group, t);
  std::string text;
  if (!group.by_chains || blocks.size() == 1) {
    for (const auto& [name, arguments] : blocks)
      text += fmt::format("{}const ks_words w{} = ks_philox({});\n", indent, name, arguments);
    return text;
  }
  for (size_t first = 0; first < blocks.size(); first += chains_at_once) {
    const auto each = [&](const char* form) {
      text += indent;
      for (size_t i = first; i < std::min(first + chains_at_once, blocks.size()); ++i)
        text += fmt::format(fmt::runtime(form), blocks[i].first, blocks[i].second);
      text += "\n";
    };
    each("ks_chain c{0} = ks_first_words({1}); ");
    for (int round = 1; round < 10; ++round) each("KS_ROUND(c{0}) ");
    each("const ks_words w{0} = ks_last_round(c{0}); ");
  }
  return text;
}

std::string loop_of_fours(const Group& group, const std::string& indent) {
  const size_t chains = blocks_for_four(group, "").size();
  const std::string copies =
      group.by_chains && chains_at_once % chains == 0 ? fmt::format(" interleave_count({})", chains_at_once / chains) : "";
  return fmt::format("#pragma clang loop vectorize(assume_safety){}\n{}for (long long t = 0; t < fours; ++t) {{\n", copies, indent) +
         calls_for_four(group, "(unsigned long long)t", indent + "  ");
}

std::string element(const Group& group, const Place& place, const std::string& indent) {
  return values_text(group, place, indent, 0, group.values.size());
}

std::string values_text(const Group& group, const Place& place, const std::string& indent, size_t first, size_t last) {
  const Loop loop = group;
  const LoopOperand* const loads = loop.operands.data() + group.walks_result();
  const LoopOperand *const aranges = loads + group.loads.size(), *const randoms = aranges + group.aranges.size();
  std::string text;
  for (size_t i = first; i < last; ++i) {
    const Instruction& x = group.values[i];
    std::string value;
    switch (x.kind) {
      case Instruction::load: value = load_text(group.loads[x.index], value_at(loop, loads[x.index], place)); break;
      case Instruction::gather:
        value = load_text(group.loads[x.index], fmt::format("*(const {}*)((const char*)&{} + {})", memory_text(group.loads[x.index]),
                                                            value_at(loop, loads[x.index], place), name_of_value(group, x.in[0])));
        break;
      case Instruction::scalar: value = number_text(group, x); break;
      case Instruction::arange: {
        const std::string e = value_at(loop, aranges[x.index], place);
        const Dtype type = register_dtype(x.dtype);
        if (info(type).kind == DtypeKind::floating)
          value = round_to(x.dtype, fmt::format("{3}a{0}_start + ({1}){2} * {3}a{0}_step", x.index, register_text(type), e, group.prefix));
        else
          value = fmt::format("({0})(({1}){4}a{2}_start + ({1}){3} * ({1}){4}a{2}_step)", register_text(type), unsigned_text(type), x.index, e, group.prefix);
        break;
      }
      case Instruction::random: {
        const RandomSpec& leaf = group.randoms[x.index];
        const std::string name = fmt::format("{}r{}", group.prefix, x.index);
        if (group.by_fours && !place.quarter.empty()) {
          value = random_text(leaf, name, takes_word(leaf) ? fmt::format("w{}_0", x.index) : fmt::format("({0} < 2 ? w{1}_0 : w{1}_1)", place.quarter, x.index), place.quarter);
        } else {
          const std::string number = fmt::format("{}e{}", group.prefix, i);
          text += fmt::format("{}const unsigned long long {} = (unsigned long long){};\n", indent, number, value_at(loop, randoms[x.index], place));
          value = random_text(leaf, name, fmt::format("ks_philox({0} >> {1}, {2}_draw, 0, {2}_k0, {2}_k1)", number, takes_word(leaf) ? 2 : 1, name), number);
        }
        break;
      }
      case Instruction::apply: value = op_text(group, x); break;
      case Instruction::cast:
        value = cast_text(group.values[x.in[0]].dtype, x.dtype, name_of_value(group, x.in[0]));
        break;
    }
    text += fmt::format("{}const {} {} = {};\n", indent, register_text(x.dtype), name_of_value(group, i), value);
  }
  return text;
}

int copies_of_element(const Group& group) {
  constexpr int division = 16, quarter_of_call = 4;
  // What reads no memory waits for its own multiplications alone: on a GPU more draws beside each other fill the time.
  const int most = group.is_simt && group.by_fours && group.loads.empty() ? 512 : 128;
  const auto weight_of = [&](const Instruction& x) {
    if (x.kind == Instruction::random) return group.by_fours ? quarter_of_call : division;
    return x.kind == Instruction::apply && (x.op == Op::floor_divide || x.op == Op::remainder || x.op == Op::power) ? division : 1;
  };
  int weight = 0;
  for (const Instruction& x : group.values) weight += weight_of(x);
  return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::clamp(most / weight, 1, 32))));
}

std::string unroll(const Group& group, int turns, int elements) {
  const int copies = std::min(turns, copies_of_element(group) / elements);
  return copies == turns ? "#pragma unroll\n" : fmt::format("#pragma unroll {}\n", std::max(1, copies));
}

std::string last_value(const Group& group, int from_end) {
  return name_of_value(group, group.values.size() - 1 - from_end);
}

namespace {

/// One operation whose steps wait for each other so long that other vectors of elements fill the time: alone it takes a tenth
/// to a sixth less so. Where there is more in a group, registers lack.
bool is_one_long_chain(const Group& group) {
  const Instruction* only = nullptr;
  for (const Instruction& x : group.values) {
    if (x.kind != Instruction::apply) continue;
    if (only) return false;
    only = &x;
  }
  return only && is_floating(only->dtype) && (only->op == Op::power || only->op == Op::tanh || only->op == Op::arccosh);
}

/// Clang takes a conversion to float16 for dearer than it is, and makes vectors of four.
bool rounds_to_half(const Group& group) {
  return group.store_dtype == Dtype::float16 || std::ranges::any_of(group.values, [](const Instruction& x) { return x.kind != Instruction::load && x.dtype == Dtype::float16; });
}

/// The store rounds to 16 bits, so the last operation need not.
Group rounded_once(Group group) {
  Instruction& last = group.values.back();
  if (last.kind == Instruction::apply && last.dtype == group.store_dtype) last.dtype = register_dtype(last.dtype);
  return group;
}

std::string emit_map(const Group& given) {
  const Group group = rounded_once(given);
  const Loop loop = group;
  Body body;
  body.assigns_first = true;
  body.is_pure = !std::ranges::any_of(group.values, [](const Instruction& x) { return x.kind == Instruction::gather; });
  const bool is_copy = group.values.size() == 1 && group.values[0].kind == Instruction::load && group.loads[0] == group.store_dtype;
  body.element = [&, is_copy](const Place& place, const std::string& indent) {
    const std::string to = value_at(loop, loop.operands[0], place);
    if (is_copy) return fmt::format("{}{} = {};\n", indent, to, value_at(loop, loop.operands[1], place));  // all bits, also those that a value has not
    return element(group, place, indent) + fmt::format("{}{} = {};\n", indent, to, store_text(group.store_dtype, last_value(group)));
  };
  if (group.is_simt) body.unroll = unroll(group, 4, 1);
  else if (is_one_long_chain(group)) body.abreast = 4;
  if (!group.is_simt && rounds_to_half(group)) body.lanes = 16;
  if (group.by_fours) (group.is_simt ? body.calls : body.head_of_fours) = group.is_simt ? calls_for_four(group, "(unsigned long long)(_j >> 2)", "  ") : loop_of_fours(group, "  ");
  return loop_text(loop, body);
}

}  // namespace

}  // namespace codegen

Group::operator Loop() const {
  using codegen::memory_text;
  Loop loop{{}, rank(), is_part() || form == ReduceForm::tiles ? along : is_by_columns(form) ? kept_rank - 1 : rank() - 1, is_reduce || scan, schedule, !is_simt && !is_part()};
  const auto add = [&](std::string name, std::string_view type, Walk::Kind kind) {
    const bool is_output = name == "y";
    loop.operands.push_back({prefix + name, std::string(type), inner[loop.operands.size()], kind, is_output});
  };
  if (walks_result()) add("y", memory_text(store_dtype), Walk::memory);
  for (size_t k = 0; k < loads.size(); ++k) add(fmt::format("x{}", k), memory_text(loads[k]), Walk::memory);
  for (size_t k = 0; k < aranges.size(); ++k) add(fmt::format("a{}", k), "", Walk::numbers);
  for (size_t k = 0; k < randoms.size(); ++k) add(fmt::format("r{}", k), "", Walk::numbers);
  if (walks_numbers) add("o", "", Walk::numbers);
  if (scatter) loop.operands[0].is_gathered = true;
  for (const Instruction& x : values)
    if (x.kind == Instruction::gather) loop.operands[x.index + walks_result()].is_gathered = true;
  return loop;
}

namespace {

std::string bounds_of_launch(const Group& group) {
  if (!group.is_reduce) return "";
  const bool is_short = group.form == ReduceForm::columns && codegen::copies_of_element(group) >= 16 && lane_bytes(group.reduce_op, group.accumulate) <= 8 && !info(group.reduce_op).keeps_position();
  return launch_bounds(group.is_simt, group.form, is_short);
}

}  // namespace

std::string emit(const Group& group) {
  using namespace codegen;
  const std::string body = (waits_for_launches(group) ? "  ks_wait_for_launches();\n" : "") + divisors_text(group) + (group.is_reduce ? reduce_text(reduction_of(group)) : group.scan ? scan_text(scan_of(group)) : group.scatter ? emit_scatter(group) : emit_map(group));
  const std::string params = parameters(group), lanes = group.is_reduce ? lanes_text(reduction_of(group)) : "";
  // The pragma says to Clang what NVRTC has as an option: a precompiled prelude
  // brings the contraction mode along that it was made with.
  return fmt::format(
      "{}#define ks_helper __device__ __forceinline__\n"
      "typedef {} ks_index;\n{}\n{}"
      "extern \"C\" __global__ void {}{}({}) {{\n{}}}\n",
      group.is_simt ? "" : "#pragma clang fp contract(off)\n#define KS_IN_LANES 1\n",
      group.wide_index ? "long long" : "int", helper_text(params + lanes + body), lanes,
      bounds_of_launch(group), group_entry, params, body);
}

}  // namespace kasoku
