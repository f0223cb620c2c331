// The fixed tree of reductions. A chunk is chunk_elements (8192) in the logical order of
// the reduced axes. Lane l of chunk_lanes (1024) takes elements l, l + 1024, …, in order; then
// lane l takes lane l + s for s = 512, 256, … 1. Chunks' results are a sequence
// that is reduced in the same way, by the same kernel over that sequence. The
// identity fills lanes without elements: combining it changes no value, so a
// device may skip it.
//
// Legend of the text, beside those of emit.cpp and loop_text.cpp.
//   ks_lane, ks_join(a, b)  what a lane holds, with its position where that is kept; two of them become one
//   pair, o, c              a pair of an output (or strip of outputs) and one of its chunks
//   begin, count            the chunk's first element, and how many it has
#include "kasoku/codegen/emit.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

int64_t columns_at_once(Dtype accumulate, bool is_simt) {
  constexpr int64_t waiting_bytes = 4096;
  return is_simt ? 32 : waiting_bytes / static_cast<int64_t>(info(register_dtype(accumulate)).size);
}

namespace codegen {

std::string strip_of_columns(const Group& group) {
  return fmt::format("    const long long strips = (_n{0} + width - 1) / width, strip = o % strips;\n"
                     "    const long long start = (o / strips) * _n{0} + strip * width, left = _n{0} - strip * width;\n"
                     "    const int n = (int)(left < width ? left : width);\n", group.kept_rank - 1) +
         positions(group, 0, group.kept_rank, "(ks_index)start", true, 0, 'b', "    ");
}

namespace {

bool is_arg(const Group& group) { return info(group.reduce_op).keeps_position(); }

constexpr const char* vectorise = "#pragma clang loop vectorize(assume_safety)\n";

/// Of two values that one operation of the table makes.
std::string joined(const Group& group, const std::string& a, const std::string& b) {
  const std::string operands[] = {a, b};
  return filled_text(info(group.reduce_op).join, group.accumulate, register_text(group.accumulate), operands);
}

/// A block of a GPU keeps positions within its chunk, which take half the room.
bool has_short_positions(const Group& group) { return is_arg(group) && group.is_simt && group.form == ReduceForm::rows && !group.has_indices; }

/// Whether a chunk's sum of 8- and 16-bit integers is to be one of 64 bits: 32 hold it, and twice as many fit into a vector.
bool has_short_sums(const Group& group) {
  const Instruction& last = group.values.back();
  if (info(group.reduce_op).join != Op::add || last.kind != Instruction::cast || info(group.accumulate).size != 8) return false;
  const DtypeKind kind = info(group.accumulate).kind;
  const DtypeInfo& from = info(group.values[last.in[0]].dtype);
  const bool is_integer = from.kind == DtypeKind::boolean || from.kind == DtypeKind::signed_ || from.kind == DtypeKind::unsigned_;
  return is_integer && from.size <= 2 && (kind == DtypeKind::signed_ || kind == DtypeKind::unsigned_);
}

std::string_view lane_type(const Group& group) { return has_short_sums(group) ? "int" : register_text(group.accumulate); }

std::string identity(const Group& group) {
  if (has_short_sums(group)) return "0";
  const std::string value = identity_text(group.reduce_op, group.accumulate, register_text(group.accumulate));
  return is_arg(group) ? fmt::format("ks_lane{{{}, {}}}", value, has_short_positions(group) ? "0x7fffffff" : "0x7fffffffffffffffll") : value;
}

std::string value_of(const Group& group) { return last_value(group, group.has_indices ? 1 : 0); }

/// Statements that make the element there a ks_lane, `value`; `number` is its position, unless it brings one along.
std::string lane_of(const Group& group, const Place& place, const std::string& number, const std::string& indent) {
  const std::string value = value_of(group);
  return element(group, place, indent) +
         (is_arg(group) ? fmt::format("{}const ks_lane value = {{{}, {}}};\n", indent, value, group.has_indices ? last_value(group) : number)
                        : fmt::format("{}const ks_lane value = {}{};\n", indent, has_short_sums(group) ? "(int)" : "", value));
}

std::string join(const std::string& a, const std::string& b, const std::string& indent) { return fmt::format("{0}{1} = ks_join({1}, {2});\n", indent, a, b); }

std::string store(const Group& group, const std::string& at, const std::string& lane, const std::string& indent) {
  if (!is_arg(group)) return fmt::format("{}y[{}] = {};\n", indent, at, store_text(group.accumulate, lane));
  return fmt::format("{0}y[{1}] = {2};\n{0}y_at[{1}] = {4}{3}.at;\n", indent, at, store_text(group.accumulate, lane + ".value"), lane,
                     has_short_positions(group) ? "begin + " : "");
}

/// A quotient of 64 bits costs a GPU as much as the reduction of a few elements.
std::string pair_numbers(const Group& group) {
  const char* const number = group.is_simt && !group.wide_index ? "unsigned int" : "long long";
  return (group.kept_rank == 0 ? std::string("    const long long o = 0, c = first_chunk + pair;\n")
                               : fmt::format("    const {0} o = ({0})pair / ({0})chunks;\n    const long long c = first_chunk + ({0})pair % ({0})chunks;\n", number)) +
         fmt::format("    const long long begin = c * {0};\n"
                     "    const {1} count = ({1})(length - begin < {0} ? length - begin : {0});\n",
                     chunk_elements, group.is_simt ? "int" : "long long");
}

std::string reduced_positions(const Group& group, const std::string& number, const std::string& indent) {
  return fmt::format("{}const ks_index at = (ks_index)({});\n", indent, number) +
         positions(group, group.kept_rank, group.rank(), "at", false, 'b', 'p', indent);
}

/// On a CPU a block is one thread, which takes some pairs.
constexpr const char* pairs_of_block =
    "  const long long last = (blockIdx.x + 1ll) * per_block < pairs ? (blockIdx.x + 1ll) * per_block : pairs;\n"
    "  for (long long pair = blockIdx.x * per_block; pair < last; ++pair) {\n";

/// Rank 1: positions are affine in the element's number. Else the walk goes from
/// one row of the innermost axis to the next.
std::string walk(const Group& group, const std::string& start, const std::string& limit,
                 const std::string& indent, const auto& loop) {
  const int first = group.kept_rank, last = group.rank();
  if (last - first == 1)
    return fmt::format("{0}const long long at = {1}, n = {2}, done = 0;\n", indent, start, limit) +
           positions(group, first, last, "at", false, 'b', 'p', indent) + loop(indent);
  const std::string deeper = indent + "  ";
  return fmt::format("{0}for (long long done = 0, n; done < {1}; done += n) {{\n{2}const long long at = {3} + done;\n", indent, limit, deeper, start) +
         positions(group, first, last, "at", false, 'b', 'p', deeper) +
         fmt::format("{0}const long long left = _n{1} - _i{1};\n{0}n = left < {2} - done ? left : {2} - done;\n", deeper, last - 1, limit) +
         loop(deeper) + indent + "}\n";
}

/// Lanes are an array, and the loops over it become vectors.
std::string serial_rows(const Group& group) {
  // Numbers of elements in the chunk are as wide as their values, so that both fill a vector. Within a lane they grow.
  const bool has_numbers = is_arg(group) && !group.has_indices && !group.by_fours;
  const size_t size = info(group.accumulate).size;
  const char* const number = size <= 2 ? "short" : size == 4 ? "int" : "long long";
  std::string text = has_numbers ? fmt::format("  {1} best[{0}];\n  {2} at_best[{0}];\n", chunk_lanes, register_text(group.accumulate), number)
                                 : fmt::format("  ks_lane acc[{}];\n", chunk_lanes);
  text += pairs_of_block + pair_numbers(group) + positions(group, 0, group.kept_rank, "o", true, 0, 'b', "    ") +
          fmt::format("    const int lanes = (int)({1} ? {0} : count < {0} ? count : {0});\n", chunk_lanes, int{group.by_fours});
  if (!has_numbers) text += fmt::format("    for (int l = 0; l < lanes; ++l) acc[l] = {};\n", identity(group));
  text += fmt::format("    for (long long row = 0; row < count; row += {0}) {{\n"
                      "      const long long here = count - row < {0} ? count - row : {0};\n", chunk_lanes);
  if (group.by_fours) {
    const int first = group.kept_rank;
    text += "      const long long at = begin + row;\n" + positions(group, first, first + 1, "at", false, 'b', 'p', "      ");
    text += "      const long long fours = here >> 2;\n" + loop_of_fours(group, "      ");
    for (int k = 0; k < 4; ++k)
      text += "        {\n" + lane_of(group, {fmt::format("(4 * t + {})", k), k}, fmt::format("(at + 4 * t + {})", k), "          ") +
              join(fmt::format("acc[{} + t]", 256 * k), "value", "          ") + "        }\n";
    text += "      }\n      for (long long j = 4 * fours; j < here; ++j) {\n" + lane_of(group, {"j"}, "(at + j)", "        ") +
            join("acc[256 * (j & 3) + (j >> 2)]", "value", "        ") + "      }\n";
  } else {
    text += walk(group, "begin + row", "here", "      ", [&](const std::string& indent) {
      const auto over = [&](const std::string& body) { return fmt::format("{0}{1}for (long long j = 0; j < n; ++j) {{\n{2}{1}}}\n", vectorise, indent, body); };
      const std::string deeper = indent + "  ";
      if (!has_numbers) return over(lane_of(group, {"j"}, "(at + j)", deeper) + join("acc[done + j]", "value", deeper));
      const std::string value = value_of(group);
      return indent + "if (row == 0) {\n" + over(element(group, {"j"}, deeper) + fmt::format("{0}best[done + j] = {1};\n{0}at_best[done + j] = ({2})(done + j);\n", deeper, value, number)) +
             indent + "} else {\n" + over(element(group, {"j"}, deeper) +
             fmt::format("{0}const auto known = best[done + j];\n{0}const bool goes_first = {1} | ({2} != {2} & known == known);\n"
                         "{0}best[done + j] = goes_first ? {2} : known;\n"
                         "{0}at_best[done + j] = goes_first ? ({3})(row + done + j) : at_best[done + j];\n", deeper, joined(group, value, "known"), value, number)) +
             indent + "}\n";
    });
  }
  text += "    }\n";
  if (group.by_fours) {
    text += fmt::format("    for (int s = 128; s > 0; s >>= 1)\n      for (int k = 0; k < {0}; k += 256) {{\n{1}        for (int l = 0; l < s; ++l) {{\n", chunk_lanes, vectorise) +
            join("acc[k + l]", "acc[k + l + s]", "          ") + "        }\n      }\n";
    for (const auto& [a, b] : {std::pair{0, 512}, {256, 768}, {0, 256}}) text += join(fmt::format("acc[{}]", a), fmt::format("acc[{}]", b), "    ");
  } else {
    text += fmt::format("    for (int s = {}, active = lanes; s > 0; s >>= 1) {{\n      const int m = active - s < s ? active - s : s;\n{}      for (int l = 0; l < m; ++l) {{\n", chunk_lanes / 2, vectorise) +
            (has_numbers ? fmt::format("        const bool goes_first = ks_goes_first({}, best[l], at_best[l], best[l + s], at_best[l + s]);\n"
                                       "        best[l] = goes_first ? best[l + s] : best[l];\n        at_best[l] = goes_first ? at_best[l + s] : at_best[l];\n",
                                       joined(group, "best[l + s]", "best[l]"))
                         : join("acc[l]", "acc[l + s]", "        ")) +
            "      }\n      if (active > s) active = s;\n    }\n";
  }
  if (has_numbers) text += "    const ks_lane best_lane = {best[0], begin + at_best[0]};\n";
  return text + store(group, "pair", has_numbers ? "best_lane" : "acc[0]", "    ") + "  }\n";
}

std::string store_column(const Group& group, const std::string& lane, const std::string& indent) {
  return store(group, "(start + j) * chunks + c - first_chunk", lane, indent);
}

/// Lanes along columns are vectors of columns. They are met in the order in which the tree joins them, l, l + 512,
/// l + 256, l + 768, …, so that few of them wait, and each row of memory is read once and as wide as it is.
std::string serial_columns(const Group& group) {
  const int64_t most = columns_at_once(group.accumulate, false);
  const auto over = [&](const std::string& body, const std::string& indent) {
    return fmt::format("{0}{1}for (int j = 0; j < n; ++j) {{\n{2}{1}}}\n", vectorise, indent, body);
  };
  // Rows of one lane. Four side by side are four streams from memory, whose latencies overlap; each is a copy of the text.
  const auto rows = [&](int n) {
    std::string text;
    for (int k = 0; k < n; ++k)
      text += "            {\n" + reduced_positions(group, fmt::format("begin + e + {}", k * chunk_lanes), "              ") + lane_of(group, {"j"}, "at", "              ") +
              join("lane_sum", "value", "              ") + "            }\n";
    return fmt::format("        for (; e {1}< count; e += {2}) {{\n{0}        }}\n",
                       over(fmt::format("            ks_lane lane_sum = e < {} ? {} : sum[j];\n", chunk_lanes, identity(group)) + text + "            sum[j] = lane_sum;\n", "          "),
                       n > 1 ? fmt::format("+ {} ", (n - 1) * chunk_lanes) : "", n * chunk_lanes);
  };
  constexpr size_t few_values = 4;
  return fmt::format("  ks_lane memory[12 * {0}];\n  ks_lane* held[12];\n  for (int k = 0; k < 12; ++k) held[k] = memory + k * {0};\n", most) +
         pairs_of_block + pair_numbers(group) + strip_of_columns(group) +
         fmt::format("    const int lanes = (int)(count < {0} ? count : {0});\n    int bits = 0;\n    while ((1 << bits) < lanes) ++bits;\n"
                     "    for (int i = 0; i < 1 << bits; ++i) {{\n"
                     "      const int lane = bits ? (int)(__brev((unsigned)i) >> (32 - bits)) : 0;\n"
                     "      ks_lane* sum = held[11];\n      long long e = lane;\n", chunk_lanes) +
         (group.values.size() <= few_values ? rows(4) : "") + rows(1) +
         // A lane without elements leaves what waits for it as it is.
         "      int level = 0;\n      for (; i >> level & 1; ++level) {\n        ks_lane* const before = held[level];\n"
         "        if (level > 0 || lane < lanes) {\n" + over(join("before[j]", "sum[j]", "            "), "          ") +
         "        }\n        held[level] = sum;\n        sum = before;\n      }\n"
         "      held[11] = held[level];\n      held[level] = sum;\n    }\n" +
         "    for (int j = 0; j < n; ++j) {\n" + store_column(group, "held[bits][j]", "      ") + "    }\n  }\n";
}

/// The joins of a thread's lane number `i`, in the order of the tree, with those that wait for it in `held`.
std::string join_waiting(const std::string& sum, const std::string& indent) {
  return fmt::format("{0}int level = 0;\n{0}for (; i >> level & 1; ++level) {1} = ks_join(held[level], {1});\n{0}held[level] = {1};\n", indent, sum);
}

/// A thread has a row of at most 16 elements, each a lane.
std::string rows_of_threads(const Group& group) {
  return fmt::format("  for (long long pair = (long long)blockIdx.x * {0} + threadIdx.x; pair < pairs; pair += (long long)gridDim.x * {0}) {{\n", threads_of_block) +
         pair_numbers(group) + positions(group, 0, group.kept_rank, "(ks_index)o", true, 0, 'b', "    ") +
         fmt::format("    ks_lane held[6];\n    int bits = 0;\n    while ((1 << bits) < count) ++bits;\n    for (int i = 0; i < 1 << bits; ++i) {{\n"
                     "      const int row = bits ? (int)(__brev((unsigned)i) >> (32 - bits)) : 0;\n      ks_lane acc = {};\n      if (row < count) {{\n", identity(group)) +
         reduced_positions(group, "begin + row", "        ") + lane_of(group, {"0"}, "(begin + row)", "        ") + join("acc", "value", "        ") + "      }\n" +
         join_waiting("acc", "      ") + "    }\n" + store(group, "pair", "held[bits]", "    ") + "  }\n";
}

/// A thread has a column, and of its lanes those that the last five steps of the tree join with those of the block's other warps:
/// so many at once as take 32 bytes, which stay in registers. Many warps read neighbouring rows at a time, which memory likes.
std::string simt_columns(const Group& group) {
  constexpr int parts = threads_of_columns / 32;
  const int most = std::max(2, static_cast<int>(32 / (info(register_dtype(group.accumulate)).size * (is_arg(group) ? 2 : 1))));
  const int at_once = std::min(most, copies_of_element(group)), passes = static_cast<int>(chunk_lanes) / parts / at_once;
  const std::string number = fmt::format("part + {} * ({} * q + pass) + k", parts, passes), unrolled = "#pragma unroll\n";
  const auto lanes = [&](const std::string& limit, const std::string& condition) {
    return fmt::format("        for (int k = 0; k < {}; k += {}) {{\n{}          for (int q = 0; q < {}; ++q) {{\n            const int e = {};\n{}",
                       limit, chunk_lanes, unrolled, at_once, number, condition) +
           reduced_positions(group, "begin + e", "            ") + lane_of(group, {"j"}, "begin + e", "            ") + join("acc[q]", "value", "            ") +
           "          }\n        }\n";
  };
  return fmt::format("  __shared__ ks_lane shared[{0}];\n  const int j = threadIdx.x & 31, part = threadIdx.x >> 5;\n"
                     "  for (long long pair = blockIdx.x; pair < pairs; pair += gridDim.x) {{\n", threads_of_columns) +
         pair_numbers(group) + strip_of_columns(group) +
         fmt::format("    if (j < n) {{\n      ks_lane sums[{0}];\n#pragma unroll 1\n      for (int pass = 0; pass < {0}; ++pass) {{\n        ks_lane acc[{1}];\n{2}"
                     "        for (int q = 0; q < {1}; ++q) acc[q] = {3};\n        if (count == {4}) {{\n", passes, at_once, unrolled, identity(group), chunk_elements) +
         lanes(std::to_string(chunk_elements), "") + "        } else {\n" + lanes("count", "            if (e >= count) continue;\n") +
         fmt::format("        }}\n{0}        for (int s = {1}; s > 0; s >>= 1)\n{0}          for (int q = 0; q < s; ++q) ", unrolled, at_once / 2) + join("acc[q]", "acc[q + s]", "") +
         fmt::format("        sums[pass] = acc[0];\n      }}\n      for (int s = {}; s > 0; s >>= 1)\n        for (int q = 0; q < s; ++q) ", passes / 2) + join("sums[q]", "sums[q + s]", "") +
         fmt::format("      shared[threadIdx.x] = sums[0];\n    }}\n    for (int s = {}; s > 0; s >>= 1) {{\n      __syncthreads();\n      if (part < s && part + s < count && j < n) {{\n", parts / 2) +
         join("shared[threadIdx.x]", "shared[threadIdx.x + 32 * s]", "        ") + "      }\n    }\n    if (part == 0 && j < n) {\n" + store_column(group, "shared[j]", "      ") +
         "    }\n    __syncthreads();\n  }\n";
}

/// A block's 256 threads hold the lanes of a chunk, 4t … 4t+3 each; then one of its warps combines them,
/// while the others go on to the next chunk: hence two places for lanes.
std::string simt_rows(const Group& group) {
  const int first = group.kept_rank, last = group.rank();
  std::string text = fmt::format("  __shared__ ks_four<ks_lane> shared[{}];\n", 2 * chunk_lanes / 4);
  text += "  const int t = threadIdx.x;\n  int turn = 0;\n"
          "  for (long long pair = blockIdx.x; pair < pairs; pair += gridDim.x, ++turn) {\n" + pair_numbers(group) +
          positions(group, 0, group.kept_rank, "(ks_index)o", true, 0, 'b', "    ");
  for (int k = 0; k < 4; ++k) text += fmt::format("    ks_lane acc{} = {};\n", k, identity(group));
  const auto take_in = [&](int k, const Place& place, const std::string& indent) {
    return lane_of(group, place, (has_short_positions(group) ? "(row + " : "(begin + row + ") + std::to_string(k) + ")", indent) + join(fmt::format("acc{}", k), "value", indent);
  };
  const auto row_start = [&] { return reduced_positions(group, "begin + row", "        ") + (group.by_fours ? calls_for_four(group, "0", "        ") : ""); };
  const bool is_row = last - first == 1;
  if (is_row) {
    // A whole chunk: no guards, 16 bytes at a time.
    text += fmt::format("    if (count == {} && {}) {{\n", chunk_elements, is_aligned(group, 'b', " + begin")) +
            unroll(group, chunk_elements / chunk_lanes, 4) +
            fmt::format("      for (int k = 0; k < {}; ++k) {{\n        const int row = 4 * t + k * {};\n", chunk_elements / chunk_lanes, chunk_lanes) +
            row_start() + loads_of_four(group, "        ");
    for (int k = 0; k < 4; ++k) text += "        {\n" + take_in(k, {std::to_string(k), k, true}, "          ") + "        }\n";
    text += "      }\n    } else {\n";
  } else {
    text += "    {\n";
  }
  text += fmt::format("      for (int row = 4 * t; row < count; row += {}) {{\n", chunk_lanes);
  if (group.by_fours) text += row_start();
  for (int k = 0; k < 4; ++k) {
    const std::string indent = "          ";
    text += fmt::format("        if (row + {} < count) {{\n", k);
    if (!group.by_fours) text += reduced_positions(group, fmt::format("begin + row + {}", k), indent);
    text += take_in(k, group.by_fours ? Place(std::to_string(k), k) : Place("0"), indent) + "        }\n";
  }
  text += fmt::format("      }}\n    }}\n    ks_four<ks_lane>* const lanes = shared + (turn & 1) * {};\n    lanes[t] = {{{{acc0, acc1, acc2, acc3}}}};\n"
                      "    __syncthreads();\n    if ((t >> 5) == (turn & 7)) {{\n      const ks_lane sum = ks_join_chunk(lanes, t & 31);\n      if ((t & 31) == 0) {{\n",
                      chunk_lanes / 4);
  return text + store(group, "pair", "sum", "        ") + "      }\n    }\n  }\n";
}

/// A warp's thread holds lanes l, l + 32, …: the tree's upper steps are in its registers.
/// Lanes beyond the row have the identity, so steps over them alone are left out.
std::string rows_of_warps(const Group& group) {
  constexpr int64_t held = warp_row / 32;
  std::string text = "  const int l = threadIdx.x & 31, warp = threadIdx.x >> 5;\n";
  text += fmt::format("  for (long long pair = (long long)blockIdx.x * {0} + warp; pair < pairs; pair += (long long)gridDim.x * {0}) {{\n", warps_of_block) +
          pair_numbers(group) + positions(group, 0, group.kept_rank, "(ks_index)o", true, 0, 'b', "    ") +
          fmt::format("    ks_lane acc[{0}];\n#pragma unroll\n    for (int k = 0; k < {0}; ++k) {{\n      const int row = l + 32 * k;\n"
                      "      acc[k] = {1};\n      if (row < count) {{\n", held, identity(group)) +
          reduced_positions(group, "begin + row", "        ") + lane_of(group, {"0"}, "(begin + row)", "        ") + join("acc[k]", "value", "        ") + "      }\n    }\n";
  text += fmt::format("#pragma unroll\n    for (int s = {}; s > 0; s >>= 1)\n#pragma unroll\n      for (int k = 0; k < s; ++k) {{\n", held / 2) +
          join("acc[k]", "acc[k + s]", "        ") + "      }\n    ks_lane sum = acc[0];\n#pragma unroll\n    for (int s = 16; s > 0; s >>= 1) sum = ks_join(sum, ks_from_lane(sum, s));\n    if (l == 0) {\n";
  return text + store(group, "pair", "sum", "      ") + "    }\n  }\n";
}

}  // namespace

std::string lanes_text(const Group& group) {
  const std::string_view type = lane_type(group);
  std::string text;
  if (is_arg(group))
    text = fmt::format("struct ks_lane {{ {} value; {} at; }};\n"
                       "ks_helper ks_lane ks_join(ks_lane a, ks_lane b) {{ return ks_goes_first({}, a.value, a.at, b.value, b.at) ? b : a; }}\n",
                       type, has_short_positions(group) ? "int" : "long long", joined(group, "b.value", "a.value"));
  else
    text = fmt::format("typedef {} ks_lane;\nks_helper ks_lane ks_join(ks_lane a, ks_lane b) {{ return {}; }}\n", type, joined(group, "a", "b"));
  if (!group.is_simt || group.form == ReduceForm::columns || group.form == ReduceForm::threads) return text;
  text += "// What the lane of the warp holds whose number differs by the bit s.\n"
          "ks_helper ks_lane ks_from_lane(ks_lane x, int s) {\n"
          "  int words[(sizeof(ks_lane) + 3) / 4] = {};\n  memcpy(words, &x, sizeof x);\n#pragma unroll\n"
          "  for (int i = 0; i < (int)(sizeof words / 4); ++i) words[i] = __shfl_xor_sync(0xffffffffu, words[i], s);\n"
          "  memcpy(&x, words, sizeof x);\n  return x;\n}\n";
  if (group.form == ReduceForm::warps) return text;
  return text + "// Both halves of a warp hold a and b: the lower one joins all of a, the upper one all of b.\n"
                "ks_helper ks_lane ks_join_halves(ks_lane a, ks_lane b, int i, int s) {\n"
                "  const bool is_upper = i & s;\n  const ks_lane own = is_upper ? b : a, other = ks_from_lane(is_upper ? a : b, s);\n"
                "  return ks_join(is_upper ? other : own, is_upper ? own : other);\n}\n"
                "// Thread i of a warp has the lanes 4t ... 4t+3 of each eighth t of the chunk's threads.\n"
                "ks_helper ks_lane ks_join_chunk(const ks_four<ks_lane>* lanes, int i) {\n"
                "  ks_four<ks_lane> of[8];\n#pragma unroll\n  for (int w = 0; w < 8; ++w) of[w] = lanes[32 * w + i];\n#pragma unroll\n"
                "  for (int s = 4; s > 0; s >>= 1)\n#pragma unroll\n    for (int w = 0; w < s; ++w)\n#pragma unroll\n"
                "      for (int k = 0; k < 4; ++k) of[w].v[k] = ks_join(of[w].v[k], of[w + s].v[k]);\n"
                "  ks_lane sum = ks_join_halves(ks_join_halves(of[0].v[0], of[0].v[2], i, 16), ks_join_halves(of[0].v[1], of[0].v[3], i, 16), i, 8);\n"
                "#pragma unroll\n  for (int s = 4; s > 0; s >>= 1) sum = ks_join(sum, ks_from_lane(sum, s));\n"
                "  sum = ks_join(sum, ks_from_lane(sum, 16));\n  return ks_join(sum, ks_from_lane(sum, 8));\n}\n";
}

std::string emit_reduce(const Group& group) {
  switch (group.form) {
    case ReduceForm::columns: return group.is_simt ? simt_columns(group) : serial_columns(group);
    case ReduceForm::warps: return rows_of_warps(group);
    case ReduceForm::threads: return rows_of_threads(group);
    default: return group.is_simt ? simt_rows(group) : serial_rows(group);
  }
}

}  // namespace codegen

}  // namespace kasoku
