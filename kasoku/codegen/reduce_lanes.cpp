/// \file kasoku/codegen/reduce_lanes.cpp
#include "kasoku/codegen/reduce_lanes.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {
namespace tree {

int64_t chunks_of_tile(size_t value_bytes) { return std::clamp(64 / static_cast<int64_t>(value_bytes), int64_t{4}, int64_t{16}); }

std::string choice(const Reduction& r, const std::string& condition, const std::string& first, const std::string& second) {
  for (const std::string_view parts : {"ks_complex", "ks_moments"})
    if (r.type.starts_with(parts)) return fmt::format("{}_choice({}, {}, {})", parts, condition, first, second);
  return fmt::format("{} ? {} : {}", condition, first, second);
}

static bool brings_position(const Reduction& r) { return !r.position.empty(); }

bool has_short_positions(const Reduction& r) {
  return r.keeps_position && r.by_threads && r.form == ReduceForm::rows && !brings_position(r);
}

std::string identity(const Reduction& r) {
  if (!r.keeps_position) return r.identity;
  return fmt::format("ks_lane{{{}, {}}}", r.identity, has_short_positions(r) ? "0x7fffffff" : "0x7fffffffffffffffll");
}

bool joins_all(const Reduction& r) { return !r.identity.empty(); }

bool has_numbers(const Reduction& r) { return r.keeps_position && !brings_position(r); }

std::string lane_of(const Reduction& r, const Place& place, const std::string& number, const std::string& position, const std::string& indent) {
  return r.element(place, number, indent) +
         (r.keeps_position ? fmt::format("{}const ks_lane _value = {{{}, {}}};\n", indent, r.value, brings_position(r) ? r.position : position)
                           : fmt::format("{}const ks_lane _value = {};\n", indent, r.value));
}
std::string lane_of(const Reduction& r, const Place& place, const std::string& number, const std::string& indent) {
  return lane_of(r, place, number, number, indent);
}

std::string starts(const Reduction& r, int64_t n) {
  std::string all;
  for (int64_t k = 0; k < n && !r.start.empty(); ++k) all += (k ? ", " : " = {") + r.start;
  return all.empty() ? "" : all + "}";
}

std::string join(const std::string& a, const std::string& b, const std::string& indent) { return fmt::format("{0}{1} = ks_join({1}, {2});\n", indent, a, b); }
std::string set(const std::string& a, const std::string& b, const std::string& indent) { return fmt::format("{}{} = {};\n", indent, a, b); }

std::string join_below(const Reduction& r, const std::string& number, const std::string& a, const std::string& b, const std::string& indent) {
  return joins_all(r) ? join(a, b, indent) : fmt::format("{}if ({} < _count) ", indent, number) + join(a, b, "");
}

std::string take(const Reduction& r, const std::string& lane, const std::string& n, const std::string& indent) {
  return set(lane, fmt::format("ks_join({}, _value)", r.counts_elements ? fmt::format("ks_of_n({}, (ks_lane){})", n, lane) : lane), indent);
}

std::string number_of_pair(const Reduction& r) { return r.walks_numbers ? "_b_o * _chunks + _c - _first_chunk" : "_pair"; }

std::string pair_numbers(const Reduction& r) {
  return (r.kept_rank == 0 ? std::string("    const long long _o = 0, _c = _first_chunk + _pair;\n")
                           : fmt::format("    const {0} _o = ({0})_pair / ({0})_chunks;\n    const long long _c = _first_chunk + ({0})_pair % ({0})_chunks;\n", r.count_type())) +
         fmt::format("    const long long _begin = _c * {0};\n"
                     "    const {1} _count = ({1})(_length - _begin < {0} ? _length - _begin : {0});\n",
                     chunk_elements, r.by_threads ? "int" : "long long");
}

std::string output_positions(const Reduction& r) { return positions(r.loop, 0, r.kept_rank, "(ks_index)_o", true, 0, 'b', "    "); }

std::string reduced_positions(const Reduction& r, const std::string& number, const std::string& indent) {
  return fmt::format("{}const ks_index _at = (ks_index)({});\n", indent, number) +
         positions(r.loop, r.kept_rank, r.loop.rank, "_at", false, 'b', 'p', indent);
}

std::string store(const Reduction& r, const std::string& at, const std::string& lane, const std::string& indent) {
  if (!r.keeps_position) return r.store(at, lane, "", indent);
  return r.store(at, lane + ".value", (has_short_positions(r) ? "_begin + " : "") + lane + ".at", indent);
}

bool is_row_of_memory(const LoopOperand& x) { return x.kind == Walk::memory && x.inner == Inner::unit; }

std::string store_column(const Reduction& r, const std::string& lane, const std::string& indent) {
  const std::string number = !r.walks_numbers ? "_start + _place" : r.loop.operands.back().inner == Inner::unit ? "_b_o + _place" : fmt::format("_b_o + _place * _s{}_o", r.loop.inner);
  if (r.form != ReduceForm::split_columns) return store(r, fmt::format("({}) * _chunks + _c - _first_chunk", number), lane, indent);
  // What is joined afterwards lies side by side with its neighbours' too: threads of a warp write, and later read, whole lines of memory.
  std::string results = "(long long)_n0";
  for (int d = 1; d < r.kept_rank; ++d) results += fmt::format(" * _n{}", d);
  return store(r, fmt::format("(_apart * _chunks + _c - _first_chunk) * ({}) + {}", results, number), lane, indent);
}

}  // namespace tree

namespace {

constexpr const char* from_lane =
    "// What the lane of the warp holds whose number differs by the bit s.\n"
    "ks_helper ks_lane ks_from_lane(ks_lane x, int s) {\n"
    "  int words[(sizeof(ks_lane) + 3) / 4] = {};\n  memcpy(words, &x, sizeof x);\n#pragma unroll\n"
    "  for (int i = 0; i < (int)(sizeof words / 4); ++i) words[i] = __shfl_xor_sync(0xffffffffu, words[i], s);\n"
    "  memcpy(&x, words, sizeof x);\n  return x;\n}\n";

constexpr const char* join_chunk =
    "// Both halves of a warp hold a and b: the lower one joins all of a, the upper one all of b.\n"
    "ks_helper ks_lane ks_join_halves(ks_lane a, ks_lane b, int i, int s, int n) {\n"
    "  const bool is_upper = i & s;\n  const ks_lane own = ks_one_of(is_upper, a, b), other = ks_counted(n, ks_from_lane(ks_one_of(is_upper, b, a), s));\n"
    "  return ks_join(ks_one_of(is_upper, own, other), ks_one_of(is_upper, other, own));\n}\n"
    "// Thread i of a warp has the lanes 4t ... 4t+3 of each eighth t of the chunk's threads; n elements are in each lane, or 0 if lanes differ.\n"
    "ks_helper ks_lane ks_join_chunk(const ks_four<ks_lane>* lanes, int i, int n) {\n"
    "  ks_four<ks_lane> of[8];\n#pragma unroll\n  for (int w = 0; w < 8; ++w)\n#pragma unroll\n    for (int k = 0; k < 4; ++k) of[w].v[k] = ks_counted(n, lanes[32 * w + i].v[k]);\n"
    // A step each: NVRTC does not unroll a loop whose end an outer one says, and then all lies in memory.
    "#define KS_JOIN_EIGHTHS(s) _Pragma(\"unroll\") for (int j = 0; j < 4 * s; ++j) of[j / 4].v[j % 4] = ks_join(of[j / 4].v[j % 4], of[j / 4 + s].v[j % 4]);\n"
    "  KS_JOIN_EIGHTHS(4) KS_JOIN_EIGHTHS(2) KS_JOIN_EIGHTHS(1)\n"
    "  ks_lane sum = ks_join_halves(ks_join_halves(of[0].v[0], of[0].v[2], i, 16, 8 * n), ks_join_halves(of[0].v[1], of[0].v[3], i, 16, 8 * n), i, 8, 16 * n);\n"
    "  n *= 32;\n#pragma unroll\n  for (int s = 4; s > 0; s >>= 1, n *= 2) sum = ks_join(sum, ks_counted(n, ks_from_lane(sum, s)));\n"
    "  sum = ks_join(sum, ks_counted(n, ks_from_lane(sum, 16)));\n  return ks_join(sum, ks_counted(2 * n, ks_from_lane(sum, 8)));\n}\n";

constexpr const char* join_few =
    "// Of a chunk with fewer elements than lanes; one warp.\n"
    "ks_helper ks_lane ks_join_few(ks_lane* lanes, int i, int count) {\n"
    "  for (int s = 512; s > 0; s >>= 1) {\n"
    "    for (int l = i; l < s && l + s < count; l += 32) lanes[l] = ks_join(lanes[l], lanes[l + s]);\n    __syncwarp();\n  }\n"
    "  return lanes[0];\n}\n";

}  // namespace

std::string lanes_text(const Reduction& r) {
  std::string text;
  if (r.keeps_position)
    text = fmt::format("struct ks_lane {{ {} value; {} at; }};\n"
                       "// Parts are chosen, and not one of two structs, which would have to have addresses.\n"
                       "ks_helper ks_lane ks_one_of(bool is_second, ks_lane a, ks_lane b) {{ return {{{}, is_second ? b.at : a.at}}; }}\n"
                       "ks_helper ks_lane ks_join(ks_lane a, ks_lane b) {{ return ks_one_of(ks_goes_first({}, a.value, a.at, b.value, b.at), a, b); }}\n",
                       r.type, tree::has_short_positions(r) ? "int" : "long long", tree::choice(r, "is_second", "b.value", "a.value"), r.join("b.value", "a.value"));
  else
    text = fmt::format("typedef {} ks_lane;\nks_helper ks_lane ks_one_of(bool is_second, ks_lane a, ks_lane b) {{ return {}; }}\n"
                       "ks_helper ks_lane ks_join(ks_lane a, ks_lane b) {{ return {}; }}\n", r.type, tree::choice(r, "is_second", "b", "a"), r.join("a", "b"));
  const bool asks_lanes = r.by_threads && (r.form == ReduceForm::warps || r.form == ReduceForm::any_order || (r.form == ReduceForm::rows && r.loads_fours));
  if (!asks_lanes) return text;
  text += from_lane;
  if (r.form == ReduceForm::warps) return text;
  text += fmt::format("// A lane of n elements, if n is not 0.\nks_helper ks_lane ks_counted(int n, ks_lane x) {{ return {}; }}\n", r.counts_elements ? "n ? ks_of_n(n, x) : x" : "x");
  return text + join_chunk + (tree::joins_all(r) ? "" : join_few);
}

}  // namespace kasoku
