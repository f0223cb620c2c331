// The fixed tree of reductions. A chunk is chunk_elements (8192) in the logical order of
// the reduced axes. Lane l of chunk_lanes (1024) takes elements l, l + 1024, …, in order; then
// lane l takes lane l + s for s = 512, 256, … 1. Chunks' results are a sequence
// that is reduced in the same way, by the same kernel over that sequence. The
// identity fills lanes without elements: combining it changes no value, so a
// device may skip it.
//
// On a CPU a block walks over lanes in an inner loop that vectorises; on CUDA 256
// threads hold lanes 4t … 4t+3.
#include "kasoku/codegen/emit.h"

#include <fmt/format.h>

namespace kasoku::codegen {

namespace {

bool is_arg(const Group& group) { return info(group.reduce_op).keeps_position(); }

std::string identity(const Group& group) { return identity_text(group.reduce_op, group.accumulate, register_text(group.accumulate)); }

/// `a` is an lvalue that takes `b` in; positions go along where they are kept.
std::string take(const Group& group, const std::string& a, const std::string& b,
                 const std::string& a_at, const std::string& b_at, const std::string& indent) {
  const auto joined = [&](const std::string& x, const std::string& y) {
    const std::string operands[] = {x, y};
    return filled_text(info(group.reduce_op).join, group.accumulate, register_text(group.accumulate), operands);
  };
  if (!is_arg(group)) return fmt::format("{}{} = {};\n", indent, a, joined(a, b));
  return fmt::format(
      "{0}{{ const bool goes_first = ks_goes_first({1}, {2}, {3}, {4}, {5}); "
      "{2} = goes_first ? {4} : {2}; {3} = goes_first ? {5} : {3}; }}\n",
      indent, joined(b, a), a, a_at, b, b_at);
}

constexpr const char* vectorise = "#pragma clang loop vectorize(assume_safety)\n";
constexpr const char* no_position = "0x7fffffffffffffffll";

/// The index that goes with the value: a partial result's own, or the element's number.
std::string value_at(const Group& group, const std::string& number) {
  return group.has_indices ? last_value(group, 0) : number;
}
std::string value_of(const Group& group) { return last_value(group, group.has_indices ? 1 : 0); }

std::string pair_numbers(const Group& group) {
  return fmt::format(
      "    const long long o = pair / chunks, c = first_chunk + pair % chunks;\n"
      "    const long long begin = c * {0};\n"
      "    const long long count = length - begin < {0} ? length - begin : {0};\n",
      chunk_elements);
}

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
         fmt::format("{0}const long long row = _n{1} - _i{1};\n{0}n = row < {2} - done ? row : {2} - done;\n", deeper, last - 1, limit) +
         loop(deeper) + indent + "}\n";
}

std::string cpu_rows(const Group& group) {
  const bool arg = is_arg(group);
  const auto t = register_text(group.accumulate);
  std::string text = fmt::format("  {} acc[{}];\n", t, chunk_lanes);
  if (arg) text += fmt::format("  long long acc_at[{}];\n", chunk_lanes);
  text += "  const long long last = (blockIdx.x + 1ll) * per_block < pairs ? (blockIdx.x + 1ll) * per_block : pairs;\n"
          "  for (long long pair = blockIdx.x * per_block; pair < last; ++pair) {\n" + pair_numbers(group) +
          positions(group, 0, group.kept_rank, "o", true, 0, 'b', "    ") +
          fmt::format("    const int lanes = (int)({1} ? {0} : count < {0} ? count : {0});\n"
                      "    for (int l = 0; l < lanes; ++l) {{ acc[l] = {2};{3} }}\n", chunk_lanes, int{group.by_fours}, identity(group),
                      arg ? fmt::format(" acc_at[l] = {};", no_position) : "");
  text += fmt::format("    for (long long row = 0; row < count; row += {0}) {{\n"
                      "      const long long here = count - row < {0} ? count - row : {0};\n", chunk_lanes);
  if (group.by_fours) {
    const int first = group.kept_rank;
    text += "      const long long at = begin + row;\n" + positions(group, first, first + 1, "at", false, 'b', 'p', "      ");
    text += "      const long long fours = here >> 2;\n" + loop_of_fours(group, "      ");
    for (int k = 0; k < 4; ++k)
      text += "        {\n" + element(group, {fmt::format("(4 * t + {})", k), k}, "          ") +
              take(group, fmt::format("acc[{} + t]", 256 * k), value_of(group), fmt::format("acc_at[{} + t]", 256 * k),
                   value_at(group, fmt::format("(at + 4 * t + {})", k)), "          ") + "        }\n";
    text += "      }\n      for (long long j = 4 * fours; j < here; ++j) {\n" + element(group, {"j"}, "        ") +
            take(group, "acc[256 * (j & 3) + (j >> 2)]", value_of(group), "acc_at[256 * (j & 3) + (j >> 2)]", value_at(group, "(at + j)"), "        ") + "      }\n";
  } else {
    text += walk(group, "begin + row", "here", "      ", [&](const std::string& indent) {
      return vectorise + fmt::format("{}for (long long j = 0; j < n; ++j) {{\n", indent) + element(group, {"j"}, indent + "  ") +
             take(group, "acc[done + j]", value_of(group), "acc_at[done + j]", value_at(group, "(at + j)"), indent + "  ") + indent + "}\n";
    });
  }
  text += "    }\n";
  if (group.by_fours) {
    text += fmt::format("    for (int s = 128; s > 0; s >>= 1)\n      for (int k = 0; k < {0}; k += 256) {{\n{1}        for (int l = 0; l < s; ++l) {{\n", chunk_lanes, vectorise) +
            take(group, "acc[k + l]", "acc[k + l + s]", "acc_at[k + l]", "acc_at[k + l + s]", "          ") + "        }\n      }\n";
    for (const auto& [a, b] : {std::pair{0, 512}, {256, 768}, {0, 256}})
      text += take(group, fmt::format("acc[{}]", a), fmt::format("acc[{}]", b), fmt::format("acc_at[{}]", a), fmt::format("acc_at[{}]", b), "    ");
  } else {
    text += fmt::format("    for (int s = {}, active = lanes; s > 0; s >>= 1) {{\n      const int m = active - s < s ? active - s : s;\n{}      for (int l = 0; l < m; ++l) {{\n", chunk_lanes / 2, vectorise) +
            take(group, "acc[l]", "acc[l + s]", "acc_at[l]", "acc_at[l + s]", "        ") +
            "      }\n      if (active > s) active = s;\n    }\n";
  }
  text += fmt::format("    y[pair] = {};\n", store_text(group.accumulate, "acc[0]"));
  if (arg) text += "    y_at[pair] = acc_at[0];\n";
  return text + "  }\n";
}

std::string cpu_columns(const Group& group) {
  const bool arg = is_arg(group);
  const int inner = group.kept_rank - 1;
  const auto t = register_text(group.accumulate);
  std::string text = fmt::format("  {} acc[{}];\n", t, chunk_lanes * column_width);
  if (arg) text += fmt::format("  long long acc_at[{}];\n", chunk_lanes * column_width);
  text += "  const long long last = (blockIdx.x + 1ll) * per_block < pairs ? (blockIdx.x + 1ll) * per_block : pairs;\n"
          "  for (long long pair = blockIdx.x * per_block; pair < last; ++pair) {\n" + pair_numbers(group);
  // Here o counts strips of columns, not columns.
  text += fmt::format("    const long long strips = (_n{0} + {1}) / {2}, strip = o % strips;\n"
                      "    const long long start = (o / strips) * _n{0} + strip * {2};\n"
                      "    const long long left = _n{0} - strip * {2}, width = left < {2} ? left : {2};\n", inner, column_width - 1, column_width) +
          positions(group, 0, group.kept_rank, "start", true, 0, 'b', "    ") +
          fmt::format("    const int lanes = (int)(count < {0} ? count : {0});\n"
                      "    for (int l = 0; l < lanes * {1}; ++l) {{ acc[l] = {2};{3} }}\n", chunk_lanes, column_width, identity(group),
                      arg ? fmt::format(" acc_at[l] = {};", no_position) : "") +
          "    for (long long e = 0; e < count; ++e) {\n      const long long at = begin + e;\n" +
          positions(group, group.kept_rank, group.rank(), "at", false, 'b', 'p', "      ") +
          fmt::format("      const long long lane = (e & {}) * {};\n{}      for (long long j = 0; j < width; ++j) {{\n", chunk_lanes - 1, column_width, vectorise) +
          element(group, {"j"}, "        ") +
          take(group, "acc[lane + j]", value_of(group), "acc_at[lane + j]", value_at(group, "at"), "        ") + "      }\n    }\n" +
          fmt::format("    for (int s = {0}, active = lanes; s > 0; s >>= 1) {{\n      const int m = (active - s < s ? active - s : s) * {1};\n"
                      "{2}      for (int l = 0; l < m; ++l) {{\n", chunk_lanes / 2, column_width, vectorise) +
          take(group, "acc[l]", fmt::format("acc[l + s * {}]", column_width), "acc_at[l]", fmt::format("acc_at[l + s * {}]", column_width), "        ") +
          "      }\n      if (active > s) active = s;\n    }\n" +
          fmt::format("    for (long long j = 0; j < width; ++j) {{ y[(start + j) * chunks + c - first_chunk] = {};{} }}\n",
                      store_text(group.accumulate, "acc[j]"), arg ? " y_at[(start + j) * chunks + c - first_chunk] = acc_at[j];" : "");
  return text + "  }\n";
}

/// A block's 256 threads hold the lanes of a chunk; then one of its warps combines them,
/// while the others go on to the next chunk: hence two places for lanes.
std::string cuda_rows(const Group& group) {
  const bool arg = is_arg(group);
  const auto t = register_text(group.accumulate);
  const int first = group.kept_rank, last = group.rank();
  std::string text = fmt::format("  __shared__ {} shared[{}];\n", t, 2 * chunk_lanes);
  if (arg) text += fmt::format("  __shared__ long long shared_at[{}];\n", 2 * chunk_lanes);
  text += "  const int t = threadIdx.x;\n  int turn = 0;\n"
          "  for (long long pair = blockIdx.x; pair < pairs; pair += gridDim.x, ++turn) {\n" + pair_numbers(group) +
          positions(group, 0, group.kept_rank, "(ks_index)o", true, 0, 'b', "    ");
  for (int k = 0; k < 4; ++k) {
    text += fmt::format("    {} acc{} = {};\n", t, k, identity(group));
    if (arg) text += fmt::format("    long long acc{}_at = {};\n", k, no_position);
  }
  const auto take_in = [&](int k, const std::string& indent) {
    return take(group, fmt::format("acc{}", k), value_of(group), fmt::format("acc{}_at", k),
                value_at(group, fmt::format("(begin + row + {})", k)), indent);
  };
  const auto row_start = [&] {
    return "        const ks_index at = (ks_index)(begin + row);\n" +
           positions(group, first, first + 1, "at", false, 'b', 'p', "        ") +
           (group.by_fours ? calls_for_four(group, "0", "        ") : "");
  };
  const bool is_row = last - first == 1;
  if (is_row) {
    // A whole chunk: no guards, 16 bytes at a time.
    const std::string start = " + begin";
    text += fmt::format("    if (count == {} && {}) {{\n", chunk_elements, is_aligned(group, 'b', start)) +
            (group.by_fours ? "" : unroll(group, chunk_elements / chunk_lanes, 4)) +
            fmt::format("      for (int k = 0; k < {}; ++k) {{\n        const int row = 4 * t + k * {};\n", chunk_elements / chunk_lanes, chunk_lanes) +
            row_start() + loads_of_four(group, "        ");
    for (int k = 0; k < 4; ++k)
      text += "        {\n" + element(group, {std::to_string(k), k, true}, "          ") + take_in(k, "          ") + "        }\n";
    text += "      }\n    } else {\n";
  } else {
    text += "    {\n";
  }
  text += fmt::format("      for (int row = 4 * t; row < count; row += {}) {{\n", chunk_lanes);
  if (group.by_fours) text += row_start();
  for (int k = 0; k < 4; ++k) {
    const std::string indent = "          ";
    text += fmt::format("        if (row + {} < count) {{\n", k);
    if (group.by_fours)
      text += element(group, {std::to_string(k), k}, indent);
    else
      text += fmt::format("{}const ks_index at = (ks_index)(begin + row + {});\n", indent, k) +
              positions(group, first, last, "at", false, 'b', 'p', indent) + element(group, {"0"}, indent);
    text += take_in(k, indent) + "        }\n";
  }
  text += fmt::format("      }}\n    }}\n    {}* const lanes = shared + (turn & 1) * {};\n", t, chunk_lanes);
  if (arg) text += fmt::format("    long long* const lanes_at = shared_at + (turn & 1) * {};\n", chunk_lanes);
  for (int k = 0; k < 4; ++k) {
    text += fmt::format("    lanes[{} + t] = acc{};\n", 256 * k, k);
    if (arg) text += fmt::format("    lanes_at[{} + t] = acc{}_at;\n", 256 * k, k);
  }
  text += "    __syncthreads();\n    if ((t >> 5) == (turn & 7)) {\n      const int in_warp = t & 31;\n#pragma unroll\n"
          "      for (int s = 128; s > 0; s >>= 1) {\n#pragma unroll\n"
          "        for (int k = 0; k < 1024; k += 256)\n#pragma unroll\n"
          "          for (int l = k + in_warp; l < k + s; l += 32) {\n" +
          take(group, "lanes[l]", "lanes[l + s]", "lanes_at[l]", "lanes_at[l + s]", "            ") +
          "          }\n        __syncwarp();\n      }\n      if (in_warp == 0) {\n";
  for (const auto& [a, b] : {std::pair{0, 512}, {256, 768}, {0, 256}})
    text += take(group, fmt::format("lanes[{}]", a), fmt::format("lanes[{}]", b), fmt::format("lanes_at[{}]", a), fmt::format("lanes_at[{}]", b), "        ");
  text += fmt::format("        y[pair] = {};\n", store_text(group.accumulate, "lanes[0]"));
  if (arg) text += "        y_at[pair] = lanes_at[0];\n";
  return text + "      }\n    }\n  }\n";
}

/// A warp's thread holds lanes l, l + 32, …: the tree's upper steps are in its registers.
/// Lanes beyond the row have the identity, so steps over them alone are left out.
std::string cuda_short_rows(const Group& group) {
  const bool arg = is_arg(group);
  const auto t = register_text(group.accumulate);
  const int first = group.kept_rank, last = group.rank();
  constexpr int64_t held = warp_row / 32;
  std::string text = fmt::format("  __shared__ {} shared[256];\n", t);
  if (arg) text += "  __shared__ long long shared_at[256];\n";
  text += fmt::format("  const int l = threadIdx.x & 31, warp = threadIdx.x >> 5;\n  {}* const lanes = shared + 32 * warp;\n", t);
  if (arg) text += "  long long* const lanes_at = shared_at + 32 * warp;\n";
  text += fmt::format("  for (long long pair = (long long)blockIdx.x * {0} + warp; pair < pairs; pair += (long long)gridDim.x * {0}) {{\n", warps_of_block) +
          pair_numbers(group) + positions(group, 0, group.kept_rank, "(ks_index)o", true, 0, 'b', "    ") +
          fmt::format("    {} acc[{}];\n", t, held);
  if (arg) text += fmt::format("    long long acc_at[{}];\n", held);
  text += fmt::format("#pragma unroll\n    for (int k = 0; k < {}; ++k) {{\n      const long long row = l + 32 * k;\n      acc[k] = {};\n", held, identity(group));
  if (arg) text += fmt::format("      acc_at[k] = {};\n", no_position);
  text += "      if (row < count) {\n        const ks_index at = (ks_index)(begin + row);\n" +
          positions(group, first, last, "at", false, 'b', 'p', "        ") + element(group, {"0"}, "        ") +
          take(group, "acc[k]", value_of(group), "acc_at[k]", value_at(group, "(begin + row)"), "        ") + "      }\n    }\n";
  text += fmt::format("#pragma unroll\n    for (int s = {}; s > 0; s >>= 1)\n#pragma unroll\n      for (int k = 0; k < s; ++k) {{\n", held / 2) +
          take(group, "acc[k]", "acc[k + s]", "acc_at[k]", "acc_at[k + s]", "        ") + "      }\n    lanes[l] = acc[0];\n";
  if (arg) text += "    lanes_at[l] = acc_at[0];\n";
  text += "    __syncwarp();\n    for (int s = 16; s > 0; s >>= 1) {\n      if (l < s) {\n" +
          take(group, "lanes[l]", "lanes[l + s]", "lanes_at[l]", "lanes_at[l + s]", "        ") +
          "      }\n      __syncwarp();\n    }\n    if (l == 0) {\n" +
          fmt::format("      y[pair] = {};\n", store_text(group.accumulate, "lanes[0]"));
  if (arg) text += "      y_at[pair] = lanes_at[0];\n";
  return text + "    }\n    __syncwarp();\n  }\n";
}

}  // namespace

std::string emit_reduce(const Group& group) {
  if (group.for_cuda) return group.by_warps ? cuda_short_rows(group) : cuda_rows(group);
  return group.by_columns ? cpu_columns(group) : cpu_rows(group);
}

}  // namespace kasoku::codegen
