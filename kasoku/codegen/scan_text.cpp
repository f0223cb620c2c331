// The fixed form of scans. A chunk is scan_chunk (1024) elements, joined one after the other. A row of several is two groups:
// one gives the chunks' totals, which are scanned in the same way, and one gives the elements, each joined to what the chunks
// before it give together. So the bits are the same on all devices and with any number of threads, and short rows have NumPy's.
//
// Legend of the text, beside those of emit.cpp, loop_text.cpp and reduce_tree.cpp.
//   pair, o, c          a pair of a row (or strip of rows) and one of its chunks
//   begin, count        the chunk's first element, and how many it has
//   before              what the rows' chunks up to each give: [rows][chunks]
#include "kasoku/codegen/emit.h"
#include "kasoku/codegen/scans.h"

#include "kasoku/base/error.h"

#include <fmt/format.h>

namespace kasoku {

OpTypes scan_types(ScanOp op, Dtype dtype, std::optional<Dtype> wanted) {
  const ScanInfo& row = info(op);
  if (dtype == Dtype::opaque) throw Error(ErrorKind::type, "records have no " + std::string(row.name));
  Dtype compute = wanted.value_or(dtype);
  if (!wanted && row.result == ReductionInfo::wide && text_column(dtype) < 2)
    compute = info(dtype).kind == DtypeKind::unsigned_ ? Dtype::uint64 : Dtype::int64;
  const std::string_view text = info(row.join).text[text_column(compute)];
  if (text.empty() || text == "refused") throw Error(ErrorKind::type, std::string(row.name) + " is not defined for " + std::string(info(compute).name) + " arrays");
  return {register_dtype(compute), compute};
}

namespace codegen {

namespace {

constexpr const char* vectorise = "#pragma clang loop vectorize(assume_safety)\n";

std::string joined(const Group& group, const std::string& a, const std::string& b) {
  const std::string operands[] = {a, b};
  const auto type = register_text(group.accumulate);
  return fmt::format("({})({})", type, filled_text(group.scan->join, group.accumulate, type, operands));
}

std::string at_element(const Group& group, const std::string& number, const std::string& indent) {
  return fmt::format("{}const ks_index at = (ks_index)({});\n", indent, number) + positions(group, group.kept_rank, group.rank(), "at", false, 'b', 'p', indent);
}

std::string result(const Group& group, const Place& place, const std::string& value, const std::string& indent) {
  const Loop loop = group;
  return fmt::format("{}{} = {};\n", indent, value_at(loop, loop.operands[0], place), store_text(group.store_dtype, cast_text(group.accumulate, group.store_dtype, value)));
}

std::string numbers_of_chunk(const char* number) {
  return fmt::format("    const long long begin = c * {0};\n    const {1} count = ({1})(length - begin < {0} ? length - begin : {0});\n", scan_chunk, number);
}

/// Of pair number `pair`, rows one after the other; a quotient of 64 bits takes a GPU long.
std::string pair_of_rows(const Group& group) {
  const char* const number = group.is_simt && !group.wide_index ? "unsigned int" : "long long";
  return (group.kept_rank == 0 ? std::string("    const long long o = 0, c = pair;\n")
                               : fmt::format("    const long long o = ({0})pair / ({0})chunks, c = ({0})pair % ({0})chunks;\n", number)) +
         numbers_of_chunk("int") + positions(group, 0, group.kept_rank, "(ks_index)o", true, 0, 'b', "    ");
}

/// Four chunks side by side: a sum waits for the one before it, and a processor adds four meanwhile.
std::string serial_rows(const Group& group) {
  const auto type = register_text(group.accumulate);
  const auto of_each = [&](const std::string& body) {
    return fmt::format("    for (int q = 0; q < n; ++q) {{\n    const long long pair = first + q;\n    {}* const own = held[q];\n", type) + pair_of_rows(group) + body + "    }\n";
  };
  const auto over = [&](const std::string& body) { return fmt::format("{}    for (long long j = 0; j < count; ++j) {{\n{}    }}\n", vectorise, body); };
  std::string text = fmt::format("  {0} held[4][{1}];\n  for (int q = 0; q < 4; ++q)\n    for (int j = 0; j < {1}; ++j) held[q][j] = ({0})0;\n", type, scan_chunk) +
                     "  const long long last = (blockIdx.x + 1ll) * per_block < pairs ? (blockIdx.x + 1ll) * per_block : pairs;\n"
                     "  for (long long first = blockIdx.x * per_block; first < last; first += 4) {\n"
                     "    const int n = (int)(last - first < 4 ? last - first : 4);\n" +
                     fmt::format("    const int longest = (int)(length < {0} ? length : {0});\n", scan_chunk) +
                     of_each(at_element(group, "begin", "    ") + over(element(group, {"j"}, "      ") + fmt::format("      own[j] = {};\n", last_value(group))));
  for (int q = 0; q < 4; ++q) text += fmt::format("    {} a{} = held[{}][0];\n", type, q, q);
  text += "    for (int j = 1; j < longest; ++j) {\n";
  for (int q = 0; q < 4; ++q) text += fmt::format("      a{0} = {1};\n      held[{0}][j] = a{0};\n", q, joined(group, fmt::format("a{}", q), fmt::format("held[{}][j]", q)));
  text += "    }\n";
  if (group.scan->gives_totals) return text + of_each("    y[pair] = own[count - 1];\n") + "  }\n";
  return text +
         of_each(at_element(group, "begin", "    ") + fmt::format("    if (c > 0) {{\n    const {} earlier = before[pair - 1];\n", type) +
                 over(fmt::format("      own[j] = {};\n", joined(group, "earlier", "own[j]"))) + "    }\n" + over(result(group, {"j"}, "own[j]", "      "))) +
         "  }\n";
}

/// Vectors of columns.
std::string serial_columns(const Group& group) {
  const auto type = register_text(group.accumulate);
  const auto over = [&](const std::string& body) { return fmt::format("{}      for (int j = 0; j < n; ++j) {{\n{}      }}\n", vectorise, body); };
  std::string text = fmt::format("  {0} sum[{1}], earlier[{1}];\n", type, columns_at_once(group.accumulate, false)) +
                     "  const long long last = (blockIdx.x + 1ll) * per_block < pairs ? (blockIdx.x + 1ll) * per_block : pairs;\n"
                     "  for (long long pair = blockIdx.x * per_block; pair < last; ++pair) {\n    const long long o = pair / chunks, c = pair % chunks;\n" +
                     numbers_of_chunk("long long") + strip_of_columns(group);
  if (!group.scan->gives_totals) text += "    if (c > 0)\n      for (int j = 0; j < n; ++j) earlier[j] = before[(start + j) * chunks + c - 1];\n";
  const auto rows = [&](const std::string& first, const std::string& stop, const std::string& value, const std::string& stored) {
    return fmt::format("    for (long long e = {}; e < {}; ++e) {{\n", first, stop) + at_element(group, "begin + e", "      ") +
           over(element(group, {"j"}, "        ") + fmt::format("        const {} joined = {};\n        sum[j] = joined;\n", type, value) +
                (group.scan->gives_totals ? "" : result(group, {"j"}, stored, "        "))) +
           "    }\n";
  };
  const std::string value = last_value(group), next = joined(group, "sum[j]", value);
  if (group.scan->gives_totals) return text + rows("0", "1", value, "") + rows("1", "count", next, "") + "    for (int j = 0; j < n; ++j) y[(start + j) * chunks + c] = sum[j];\n  }\n";
  const std::string both = joined(group, "earlier[j]", "joined");
  return text + "    if (c == 0) {\n" + rows("0", "1", value, "joined") + rows("1", "count", next, "joined") + "    } else {\n" + rows("0", "1", value, both) + rows("1", "count", next, both) + "    }\n  }\n";
}

/// A thread has a chunk; neighbours have neighbouring rows.
std::string chunks_of_threads(const Group& group) {
  const auto type = register_text(group.accumulate);
  std::string text = "  const long long results = pairs / chunks;\n"
                     "  for (long long number = (long long)blockIdx.x * blockDim.x + threadIdx.x; number < pairs; number += (long long)gridDim.x * blockDim.x) {\n"
                     "    const long long c = chunks == 1 ? 0 : number / results, o = number - c * results, pair = o * chunks + c;\n" +
                     numbers_of_chunk("int") + positions(group, 0, group.kept_rank, "(ks_index)o", true, 0, 'b', "    ") + fmt::format("    {} sum;\n", type);
  if (!group.scan->gives_totals) text += fmt::format("    {} earlier;\n    if (c > 0) earlier = before[pair - 1];\n", type);
  text += "    for (int j = 0; j < count; ++j) {\n" + at_element(group, "begin + j", "      ") + element(group, {"0"}, "      ") +
          fmt::format("      if (j > 0) sum = {};\n      else sum = {};\n", joined(group, "sum", last_value(group)), last_value(group));
  if (group.scan->gives_totals) return text + "    }\n    y[pair] = sum;\n  }\n";
  return text + fmt::format("      {} given = sum;\n      if (c > 0) given = {};\n", type, joined(group, "earlier", "sum")) + result(group, {"0"}, "given", "      ") + "    }\n  }\n";
}

/// A warp has 32 chunks, of which it reads and writes 32 neighbours at a time; each of its threads joins those of one.
/// Loads of several chunks are on their way at once: one alone would wait for memory 32 times a tile.
std::string tiles_of_warps(const Group& group) {
  const auto type = register_text(group.accumulate);
  constexpr int at_once = 16;
  const auto of_rows = [&](const std::string& first, const std::string& body, const std::string& otherwise) {
    return fmt::format("#pragma unroll\n      for (int q = 0; q < {}; ++q) {{\n    const long long pair = own + {} + q;\n", at_once, first) + otherwise +
           "    if (pair < pairs) {\n" + pair_of_rows(group) + "    if (k + l < count) {\n" + at_element(group, "begin + k + l", "      ") + body + "    }\n    }\n      }\n";
  };
  const auto of_tile = [&](const std::string& body) { return fmt::format("      for (int r = 0; r < 32; r += {}) {{\n{}      }}\n", at_once, body); };
  std::string text = fmt::format("  __shared__ ks_four<{0}> storage[{1} * 32 * 33 / 4];\n  {0}* const shared = ({0}*)storage;\n"
                                 "  const int l = threadIdx.x & 31, warp = threadIdx.x >> 5;\n  {0}* const tile = shared + warp * (32 * 33);\n"
                                 "  for (long long first = (long long)blockIdx.x * {2}; first < pairs; first += (long long)gridDim.x * {2}) {{\n"
                                 "    const long long own = first + 32 * warp;\n    {0} sum = ({0})0;\n",
                                 type, threads_of_scan / 32, threads_of_scan) +
                     fmt::format("    for (int k = 0; k < (length < {0} ? length : {0}); k += 32) {{\n", scan_chunk) +
                     of_tile(fmt::format("      {} held[{}];\n", type, at_once) +
                             of_rows("r", element(group, {"0"}, "      ") + fmt::format("      held[q] = {};\n", last_value(group)), fmt::format("    held[q] = ({})0;\n", type)) +
                             fmt::format("#pragma unroll\n      for (int q = 0; q < {}; ++q) tile[33 * (r + q) + l] = held[q];\n", at_once)) +
                     "      __syncthreads();\n      if (own + l < pairs) {\n    const long long pair = own + l;\n" + pair_of_rows(group);
  if (!group.scan->gives_totals) text += fmt::format("    {0} earlier = ({0})0;\n    if (c > 0) earlier = before[pair - 1];\n", type);
  const auto step = [&](const std::string& sum) {
    std::string text = fmt::format("      sum = {};\n", sum);
    if (!group.scan->gives_totals) text += fmt::format("      tile[33 * l + i] = c > 0 ? {} : sum;\n", joined(group, "earlier", "sum"));
    return text;
  };
  text += "    int i = 0;\n    if (k == 0 && count > 0) {\n" + step("tile[33 * l]") + "      i = 1;\n    }\n#pragma unroll 8\n    for (; i < (count - k < 32 ? count - k : 32); ++i) {\n" +
          step(joined(group, "sum", "tile[33 * l + i]")) + "    }\n";
  if (group.scan->gives_totals) text += "    if (k + 32 >= count) y[pair] = sum;\n";
  text += "      }\n      __syncthreads();\n";
  if (!group.scan->gives_totals) text += of_tile(of_rows("r", result(group, {"0"}, "tile[33 * (r + q) + l]", "      "), "")) + "      __syncthreads();\n";
  return text + "    }\n  }\n";
}

}  // namespace

std::string emit_scan(const Group& group) {
  if (!group.is_simt) return group.form == ReduceForm::columns ? serial_columns(group) : serial_rows(group);
  return group.form == ReduceForm::rows ? tiles_of_warps(group) : chunks_of_threads(group);
}

}  // namespace codegen

}  // namespace kasoku
