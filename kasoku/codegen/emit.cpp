// Legend of the text.
//   y, x0 …        memory: the result, the loads        s0 …  numbers
//   a0_… r0_…      aranges and random leaves            v0 …  values of one element
//   n0 n1 …        lengths of the axes, outermost first
//   x0_s1          stride of x0 along axis 1, in elements
//   bx0, px0       where x0 is: before, and at the start of, the innermost loop
//                  (a pointer; of a0 and r0 the element's number)
//   i0 i1 …        numbers along the axes               j     along the innermost loop
#include "kasoku/codegen/emit.h"

#include "kasoku/codegen/helpers.h"

#include <fmt/format.h>

#include <array>

namespace kasoku {

Dtype register_dtype(Dtype dtype) {
  return dtype == Dtype::float16 || dtype == Dtype::bfloat16 ? Dtype::float32 : dtype;
}

namespace codegen {

std::string_view register_text(Dtype dtype) { return info(register_dtype(dtype)).text; }

std::string_view memory_text(Dtype dtype) {
  return register_dtype(dtype) != dtype ? std::string_view("unsigned short") : info(dtype).text;
}

namespace {

std::string load_text(Dtype memory, const std::string& value) {
  if (memory == Dtype::float16) return fmt::format("ks_half_to_float({})", value);
  if (memory == Dtype::bfloat16) return fmt::format("ks_bfloat_to_float({})", value);
  return value;
}

std::string round_to(Dtype dtype, std::string value) {
  if (dtype == Dtype::float16) return fmt::format("ks_round_half({})", value);
  if (dtype == Dtype::bfloat16) return fmt::format("ks_round_bfloat({})", value);
  return value;
}

std::string op_text(const Instruction& x) {
  std::array<std::string, 3> operands;
  for (int i = 0; i < info(x.op).arity; ++i) operands[i] = fmt::format("v{}", x.in[i]);
  const std::string out = filled_text(x.op, x.compute, register_text(x.compute), operands);
  return info(x.dtype).kind == DtypeKind::floating ? round_to(x.dtype, out) : out;
}

std::string position(const Operand& operand, int inner_axis, const std::string& j) {
  switch (operand.inner) {
    case Inner::unit: return j;
    case Inner::broadcast: return "0";
    default: return fmt::format("{} * {}_s{}", j, operand.name, inner_axis);
  }
}

int inner_axis(const Group& group) {
  return group.by_columns ? group.kept_rank - 1 : group.rank() - 1;
}

/// One element's random number from its own call.
std::string random_alone(const LinearSpec& leaf, int k, const std::string& e) {
  const std::string call = fmt::format("r{0}_draw, 0, r{0}_k0, r{0}_k1)", k);
  if (leaf.distribution == Distribution::uniform && leaf.dtype == Dtype::float32)
    return fmt::format("ks_uniform_f32(ks_word(ks_philox({0} >> 2, {1}, {0}))", e, call);
  if (leaf.distribution == Distribution::normal && leaf.dtype == Dtype::float32)
    return fmt::format("ks_normal_of_four(ks_philox({0} >> 2, {1}, {0})", e, call);
  if (leaf.distribution == Distribution::normal)
    return fmt::format("ks_normal_f64(ks_philox({0} >> 1, {1}, (int)({0} & 1))", e, call);
  if (leaf.distribution == Distribution::integers)
    return fmt::format("ks_integer(ks_word_pair(ks_philox({0} >> 1, {1}, {0}), r{2}_low, r{2}_range)", e,
                       call, k);
  return fmt::format("ks_uniform_of_two(ks_philox({0} >> 1, {1}, {0})", e, call);
}

/// The same number when the calls for four elements were made.
std::string random_of_four(const LinearSpec& leaf, int k, int quarter) {
  const char* words = "abcd";
  const int half = quarter / 2;
  const bool odd = quarter % 2;
  if (leaf.distribution == Distribution::uniform && leaf.dtype == Dtype::float32)
    return fmt::format("ks_uniform_f32(w{}_0.{})", k, words[quarter]);
  if (leaf.distribution == Distribution::normal && leaf.dtype == Dtype::float32)
    return fmt::format("ks_normal_f32(w{0}_0.{1}, w{0}_0.{2}, {3})", k, words[2 * half],
                       words[2 * half + 1], int{odd});
  if (leaf.distribution == Distribution::normal)
    return fmt::format("ks_normal_f64(w{}_{}, {})", k, half, int{odd});
  const std::string pair = fmt::format("w{}_{}.{}", k, half, odd ? "cd" : "ab");
  if (leaf.distribution == Distribution::integers)
    return fmt::format("ks_integer({0}, r{1}_low, r{1}_range)", pair, k);
  return fmt::format("ks_uniform_f64({})", pair);
}

}  // namespace

std::string cast_text(Dtype from, Dtype to, const std::string& value) {
  if (from == to) return value;
  const DtypeKind a = info(from).kind, b = info(to).kind;
  if (b == DtypeKind::boolean) return fmt::format("({} != 0)", value);
  if (a == DtypeKind::floating && (b == DtypeKind::signed_ || b == DtypeKind::unsigned_))
    return fmt::format("ks_saturate<{}>({})", register_text(to), value);
  if (a == DtypeKind::complex_ && b != DtypeKind::complex_)
    return cast_text(from == Dtype::complex64 ? Dtype::float32 : Dtype::float64, to, value + ".re");
  if (b == DtypeKind::complex_ && a != DtypeKind::complex_) {
    const Dtype part = to == Dtype::complex64 ? Dtype::float32 : Dtype::float64;
    return fmt::format("{}({})", register_text(to), cast_text(from, part, value));
  }
  std::string converted = register_dtype(from) == register_dtype(to)
                              ? value
                              : fmt::format("({}){}", register_text(to), value);
  return round_to(to, std::move(converted));
}

std::string store_text(Dtype memory, const std::string& value) {
  if (memory == Dtype::float16) return fmt::format("ks_float_to_half({})", value);
  if (memory == Dtype::bfloat16) return fmt::format("ks_float_to_bfloat({})", value);
  return value;
}

std::vector<Operand> moving_operands(const Group& group) {
  std::vector<Operand> all;
  if (!group.is_reduce) all.push_back({"y", group.store_inner, true});
  for (size_t k = 0; k < group.loads.size(); ++k)
    all.push_back({fmt::format("x{}", k), group.loads[k].inner, true});
  for (size_t k = 0; k < group.aranges.size(); ++k)
    all.push_back({fmt::format("a{}", k), group.aranges[k].inner, false});
  for (size_t k = 0; k < group.randoms.size(); ++k)
    all.push_back({fmt::format("r{}", k), group.randoms[k].inner, false});
  return all;
}

std::string parameters(const Group& group) {
  std::string text = fmt::format("{}* __restrict__ y", memory_text(group.is_reduce ? group.accumulate : group.store_dtype));
  const bool is_arg = group.reduce_op == ReduceOp::argmin || group.reduce_op == ReduceOp::argmax;
  if (group.is_reduce && is_arg) text += ", long long* __restrict__ y_at";
  const auto add = [&](std::string_view type, const std::string& name) {
    text += fmt::format(", {} {}", type, name);
  };
  for (size_t k = 0; k < group.loads.size(); ++k)
    text += fmt::format(",\n    const {}* __restrict__ x{}", memory_text(group.loads[k].dtype), k);
  for (size_t k = 0; k < group.scalars.size(); ++k)
    if (!group.scalars[k].fixed) add(register_text(group.scalars[k].dtype), fmt::format("s{}", k));
  for (size_t k = 0; k < group.aranges.size(); ++k) {
    add(register_text(group.aranges[k].dtype), fmt::format("a{}_start", k));
    add(register_text(group.aranges[k].dtype), fmt::format("a{}_step", k));
  }
  for (size_t k = 0; k < group.randoms.size(); ++k) {
    for (const char* part : {"k0", "k1", "draw"}) add("unsigned int", fmt::format("r{}_{}", k, part));
    if (group.randoms[k].distribution == Distribution::integers) {
      add("long long", fmt::format("r{}_low", k));
      add("unsigned long long", fmt::format("r{}_range", k));
    }
  }
  const auto operands = moving_operands(group);
  for (const Operand& x : operands)
    if (!x.is_memory) add("ks_index", x.name + "_first");
  text += ",\n    ks_index n0";
  for (int d = 1; d < group.rank(); ++d) add("ks_index", fmt::format("n{}", d));
  for (const Operand& x : operands) {
    text += ",\n    ks_index " + x.name + "_s0";
    for (int d = 1; d < group.rank(); ++d) add("ks_index", fmt::format("{}_s{}", x.name, d));
  }
  text += group.is_reduce ? ",\n    long long pairs, long long per_block, long long chunks, "
                            "long long first_chunk, long long length"
                          : ",\n    long long total, long long chunk";
  return text;
}

std::string positions(const Group& group, int first, int last, const std::string& at, bool is_first,
                      char from, char to, const std::string& indent) {
  std::string text;
  // Numbers along the axes, innermost first; the last quotient needs no remainder.
  std::string rest = at;
  for (int d = last - 1; d >= first; --d) {
    if (d == first) {
      text += fmt::format("{}const ks_index i{} = {};\n", indent, d, rest);
    } else {
      text += fmt::format("{0}const ks_index q{1} = {2} / n{1}, i{1} = {2} - q{1} * n{1};\n", indent, d, rest);
      rest = fmt::format("q{}", d);
    }
  }
  for (const Operand& x : moving_operands(group)) {
    std::string where = is_first ? (x.is_memory ? x.name : x.name + "_first") : fmt::format("{}{}", from, x.name);
    for (int d = first; d < last; ++d) where += fmt::format(" + i{} * {}_s{}", d, x.name, d);
    const std::string type =
        !x.is_memory  ? "const ks_index"
        : x.name == "y" ? fmt::format("{}*", memory_text(group.store_dtype))
                        : fmt::format("const {}*", memory_text(group.loads[std::stoul(x.name.substr(1))].dtype));
    text += fmt::format("{}{} {}{} = {};\n", indent, type, to, x.name, where);
  }
  return text;
}

namespace {

constexpr size_t chains_at_once = 4;

/// What calls_for_four() calls: a name and the arguments of each.
std::vector<std::pair<std::string, std::string>> blocks_for_four(const Group& group, const std::string& t) {
  std::vector<std::pair<std::string, std::string>> blocks;
  for (size_t k = 0; k < group.randoms.size(); ++k) {
    const int n = info(group.randoms[k].dtype).size == 4 ? 1 : 2;
    for (int i = 0; i < n; ++i)
      blocks.emplace_back(fmt::format("{}_{}", k, i),
                          fmt::format("((unsigned long long)(pr{0}) >> {1}) + {2}, r{0}_draw, 0, r{0}_k0, r{0}_k1", k,
                                      n == 1 ? 2 : 1, n == 1 ? t : fmt::format("2 * {} + {}", t, i)));
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
  const size_t chains = blocks_for_four(group, "t").size();
  const std::string copies =
      group.by_chains && chains_at_once % chains == 0 ? fmt::format(" interleave_count({})", chains_at_once / chains) : "";
  return fmt::format("#pragma clang loop vectorize(assume_safety){}\n{}for (long long t = 0; t < fours; ++t) {{\n", copies, indent) +
         calls_for_four(group, "(unsigned long long)t", indent + "  ");
}

std::string loads_of_four(const Group& group, const std::string& indent) {
  std::string text;
  for (size_t k = 0; k < group.loads.size(); ++k)
    if (group.loads[k].inner == Inner::unit)
      text += fmt::format("{0}const ks_four<{1}> f{2} = *(const ks_four<{1}>*)px{2};\n", indent,
                          memory_text(group.loads[k].dtype), k);
  return text;
}

std::string is_aligned(const Group& group, char from, const std::string& start) {
  std::string bits;
  const auto add = [&](const std::string& name, Dtype dtype) {
    bits += fmt::format("{}((size_t)({}{}{}) & {})", bits.empty() ? "" : " | ", from, name, start,
                        std::min<size_t>(16, 4 * info(dtype).size) - 1);
  };
  if (!group.is_reduce && group.store_inner == Inner::unit) add("y", group.store_dtype);
  for (size_t k = 0; k < group.loads.size(); ++k)
    if (group.loads[k].inner == Inner::unit) add(fmt::format("x{}", k), group.loads[k].dtype);
  return bits.empty() ? "true" : "(" + bits + ") == 0";
}

std::string element(const Group& group, const Place& place, const std::string& indent) {
  const std::string& j = place.j;
  std::string text;
  const int axis = inner_axis(group);
  for (size_t i = 0; i < group.values.size(); ++i) {
    const Instruction& x = group.values[i];
    std::string value;
    switch (x.kind) {
      case Instruction::load: {
        const LoadSpec& load = group.loads[x.index];
        const Operand operand{fmt::format("x{}", x.index), load.inner, true};
        value = load_text(load.dtype, place.is_loaded && load.inner == Inner::unit
                                          ? fmt::format("f{}.v[{}]", x.index, place.quarter)
                                          : fmt::format("p{}[{}]", operand.name, position(operand, axis, j)));
        break;
      }
      case Instruction::scalar: {
        const int64_t fixed = group.scalars[x.index].fixed;
        value = fixed ? fmt::format("{}", fixed) : fmt::format("s{}", x.index);
        break;
      }
      case Instruction::arange: {
        const Operand operand{fmt::format("a{}", x.index), group.aranges[x.index].inner, false};
        const std::string e = fmt::format("(pa{} + {})", x.index, position(operand, axis, j));
        const Dtype type = register_dtype(x.dtype);
        if (info(type).kind == DtypeKind::floating)
          value = round_to(x.dtype, fmt::format("a{0}_start + ({1}){2} * a{0}_step", x.index, register_text(type), e));
        else
          value = fmt::format("({0})(({1})a{2}_start + ({1}){3} * ({1})a{2}_step)", register_text(type), unsigned_text(type), x.index, e);
        break;
      }
      case Instruction::random: {
        const LinearSpec& leaf = group.randoms[x.index];
        if (group.by_fours && place.quarter >= 0) {
          value = random_of_four(leaf, x.index, place.quarter);
        } else {
          const Operand operand{fmt::format("r{}", x.index), leaf.inner, false};
          text += fmt::format("{}const unsigned long long e{} = (unsigned long long)(pr{} + {});\n", indent, i, x.index, position(operand, axis, j));
          value = random_alone(leaf, x.index, fmt::format("e{}", i));
        }
        break;
      }
      case Instruction::apply: value = op_text(x); break;
      case Instruction::cast:
        value = cast_text(group.values[x.in[0]].dtype, x.dtype, fmt::format("v{}", x.in[0]));
        break;
    }
    text += fmt::format("{}const {} v{} = {};\n", indent, register_text(x.dtype), i, value);
  }
  return text;
}

std::string unroll(const Group& group, int turns, int elements) {
  constexpr int most = 128, division = 16;
  int weight = 0;
  for (const Instruction& x : group.values)
    weight += x.kind == Instruction::apply && (x.op == Op::floor_divide || x.op == Op::remainder || x.op == Op::power) ? division : 1;
  const int copies = std::min(turns, most / (weight * elements));
  return copies == turns ? "#pragma unroll\n" : fmt::format("#pragma unroll {}\n", std::max(1, copies));
}

std::string last_value(const Group& group, int from_end) {
  return fmt::format("v{}", group.values.size() - 1 - from_end);
}

namespace {

/// Four elements in a row a thread: one call of the generator, and memory 16 bytes
/// at a time where the addresses allow it.
std::string cuda_fours(const Group& group, const auto& store) {
  std::string text =
      "  const long long first = (long long)blockIdx.x * 1024 + 4 * threadIdx.x;\n"
      "  if (first >= total) return;\n  const ks_index at = (ks_index)first;\n" +
      positions(group, 0, 1, "at", true, 0, 'p', "  ");
  if (group.by_fours) text += calls_for_four(group, "0", "  ");
  text += fmt::format("  if (first + 4 <= total && {}) {{\n", is_aligned(group, 'p', "")) + loads_of_four(group, "    ");
  const bool is_unit = group.store_inner == Inner::unit;
  if (is_unit) text += fmt::format("    ks_four<{}> out;\n", memory_text(group.store_dtype));
  for (int k = 0; k < 4; ++k) {
    const Place place{std::to_string(k), k, true};
    text += "    {\n" +
            (is_unit ? element(group, place, "      ") +
                           fmt::format("      out.v[{}] = {};\n", k, store_text(group.store_dtype, last_value(group)))
                     : store(place, "      ")) +
            "    }\n";
  }
  if (is_unit) text += fmt::format("    *(ks_four<{}>*)py = out;\n", memory_text(group.store_dtype));
  text += "    return;\n  }\n";
  for (int k = 0; k < 4; ++k)
    text += fmt::format("  if (first + {0} < total) {{\n{1}  }}\n", k, store({std::to_string(k), k}, "    "));
  return text;
}

}  // namespace

std::string emit_map(const Group& group) {
  const int rank = group.rank();
  const Operand y{"y", group.store_inner, true};
  const auto store = [&](const Place& place, const std::string& indent) {
    return element(group, place, indent) +
           fmt::format("{}py[{}] = {};\n", indent, position(y, rank - 1, place.j), store_text(group.store_dtype, last_value(group)));
  };
  std::string text;
  if (group.for_cuda && rank == 1) return cuda_fours(group, store);
  if (group.for_cuda) {
    // Four elements a thread, a block's width apart.
    text += "  const long long first = (long long)blockIdx.x * 1024;\n" + unroll(group, 4, 1) +
            "  for (int k = 0; k < 4; ++k) {\n"
            "    const long long at_k = first + k * 256 + threadIdx.x;\n    if (at_k < total) {\n"
            "      const ks_index at = (ks_index)at_k;\n";
    text += positions(group, 0, rank, "at", true, 0, 'p', "      ") + store({"0"}, "      ") + "    }\n  }\n";
    return text;
  }
  text += "  long long at = (long long)blockIdx.x * chunk;\n"
          "  const long long end = at + chunk < total ? at + chunk : total;\n";
  if (group.by_fours) {
    text += positions(group, 0, 1, "at", true, 0, 'p', "  ");
    text += "  const long long n = end - at, fours = n >> 2;\n" +
            loop_of_fours(group, "  ");
    for (int k = 0; k < 4; ++k)
      text += "    {\n" + store({fmt::format("(4 * t + {})", k), k}, "      ") + "    }\n";
    text += "  }\n  for (long long j = 4 * fours; j < n; ++j) {\n" + store({"j"}, "    ") + "  }\n";
    return text;
  }
  const std::string loop = "#pragma clang loop vectorize(assume_safety)\n";
  if (rank == 1)
    return text + positions(group, 0, 1, "at", true, 0, 'p', "  ") + "  const long long n = end - at;\n" + loop +
           "  for (long long j = 0; j < n; ++j) {\n" + store({"j"}, "    ") + "  }\n";
  text += "  while (at < end) {\n" + positions(group, 0, rank, "at", true, 0, 'p', "    ") +
          fmt::format("    const long long left = n{0} - i{0}, n = left < end - at ? left : end - at;\n", rank - 1) + loop +
          "    for (long long j = 0; j < n; ++j) {\n" + store({"j"}, "      ") + "    }\n    at += n;\n  }\n";
  return text;
}

}  // namespace codegen

std::string emit(const Group& group) {
  using namespace codegen;
  const std::string body = group.is_reduce ? emit_reduce(group) : emit_map(group);
  const std::string params = parameters(group);
  // The pragma says to Clang what NVRTC has as an option: a precompiled prelude
  // brings the contraction mode along that it was made with.
  return fmt::format(
      "{}#define ks_helper __device__ __forceinline__\n"
      "typedef {} ks_index;\n{}\n"
      "extern \"C\" __global__ void {}({}) {{\n{}}}\n",
      group.for_cuda ? "" : "#pragma clang fp contract(off)\n",
      group.for_cuda && !group.wide_index ? "int" : "long long", helper_text(params + body),
      group_entry, params, body);
}

}  // namespace kasoku
