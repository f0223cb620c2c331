// The fixed form of scans. A row of up to scan_row elements (1024) is joined one element after the other, so it has NumPy's bits. A longer
// one is chunks of scan_chunk (128): one kernel gives the chunks' totals, one (befores_text) what is before each chunk, and one the elements,
// each joined to that; or, of a single row by threads, one kernel does all of it. What is before a chunk is joined in groups of
// scan_group (32): the totals of its group up to it, behind what is before its group, of which the totals are groups again. So the bits
// are the same on all devices and with any number of threads, and little waits for one sum.
//
// Legend of the text, beside those of loop_text.cpp and reduce_tree.cpp.
//   _pair, _o, _c       a pair of a row (or strip of rows) and one of its chunks
//   _chunk              elements of a chunk; of a row that is one chunk, at least its own
//   _begin, _count      the chunk's first element, and how many it has
//   _before             what is before each chunk: [rows][chunks]; nothing is before a row's first one
//   _told, _launch      one trip: what tiles, groups of tiles, groups of these, ... gave, once they did in this launch
//   _heard, _outer      one trip: what a warp heard of a level's items; what is before the tile on each level
//   _some               one trip: neighbours that a thread moves at once
#include "kasoku/codegen/scan_text.h"

#include "kasoku/base/error.h"
#include "kasoku/base/rounding.h"
#include "kasoku/codegen/group.h"
#include "kasoku/codegen/scans.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

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

namespace {

constexpr const char* vectorise = "#pragma clang loop vectorize(assume_safety)\n";

std::string at_element(const Scan& scan, const std::string& number, const std::string& indent) {
  return fmt::format("{}const ks_index _at = (ks_index)({});\n", indent, number) + positions(scan.loop, scan.kept_rank, scan.loop.rank, "_at", false, 'b', 'p', indent);
}

std::string row_positions_of(const Scan& scan) { return positions(scan.loop, 0, scan.kept_rank, "(ks_index)_o", true, 0, 'b', "    "); }

std::string numbers_of_chunk(const char* number) {
  return fmt::format("    const long long _begin = _c * _chunk;\n    const {0} _count = ({0})(_length - _begin < _chunk ? _length - _begin : _chunk);\n", number);
}

/// Of pair number `_pair`, rows one after the other.
std::string pair_of_rows(const Scan& scan) {
  return (scan.kept_rank == 0 ? std::string("    const long long _o = 0, _c = _pair;\n")
                              : fmt::format("    const long long _o = ({0})_pair / ({0})_chunks, _c = ({0})_pair % ({0})_chunks;\n", scan.count_type())) +
         numbers_of_chunk("int") + row_positions_of(scan);
}

constexpr const char* pairs_of_block = "  const long long _last = (blockIdx.x + 1ll) * _per_block < _pairs ? (blockIdx.x + 1ll) * _per_block : _pairs;\n";

/// Four chunks side by side: a sum waits for the one before it, and a processor adds four meanwhile. Their memory is not a whole
/// number of pages apart: a processor that compares the low bits of addresses first takes a load of one chunk for what was
/// just stored of another, and waits for it.
std::string serial_rows(const Scan& scan) {
  constexpr int64_t apart = 16;
  const auto of_each = [&](const std::string& body) {
    return fmt::format("    for (int _q = 0; _q < _n; ++_q) {{\n    const long long _pair = _first + _q;\n    {}* const _own = _held[_q];\n", scan.type) + pair_of_rows(scan) + body + "    }\n";
  };
  const auto over = [&](const std::string& body, int first = 0) { return fmt::format("{}    for (long long _j = {}; _j < _count; ++_j) {{\n{}    }}\n", vectorise, first, body); };
  std::string text = fmt::format("  __align__(16) unsigned char _storage[4 * {1} * sizeof({0})];\n  {0}* const _held[4] = {{({0}*)_storage, ({0}*)_storage + {1}, ({0}*)_storage + 2 * {1}, ({0}*)_storage + 3 * {1}}};\n", scan.type, scan_row + apart) +
                     pairs_of_block +
                     "  for (long long _first = blockIdx.x * _per_block; _first < _last; _first += 4) {\n"
                     "    const int _n = (int)(_last - _first < 4 ? _last - _first : 4);\n" +
                     "    const int _longest = (int)(_length < _chunk ? _length : _chunk);\n    bool _are_whole = _n == 4;\n" +
                     of_each("    _are_whole &= _count == _longest;\n" + at_element(scan, "_begin", "    ") + over(scan.element({"_j"}, "      ") + fmt::format("      _own[_j] = {};\n", scan.value)));
  text += "    if (_are_whole) {\n";
  for (int q = 0; q < 4; ++q) text += fmt::format("    {} _a{} = _held[{}][0];\n", scan.type, q, q);
  text += "    for (int _j = 1; _j < _longest; ++_j) {\n";
  for (int q = 0; q < 4; ++q) text += fmt::format("      _a{0} = {1};\n      _held[{0}][_j] = _a{0};\n", q, scan.join(fmt::format("_a{}", q), fmt::format("_held[{}][_j]", q)));
  text += "    }\n    } else {\n" + of_each(fmt::format("    {0} _sum = _own[0];\n    for (int _j = 1; _j < _count; ++_j) {{\n      _sum = {1};\n      _own[_j] = _sum;\n    }}\n", scan.type, scan.join("_sum", "_own[_j]"))) + "    }\n";
  if (scan.gives_totals) return text + of_each("    y[_pair] = _own[_count - 1];\n") + "  }\n";
  const std::string stores = !scan.is_exclusive ? over(scan.store({"_j"}, "_own[_j]", "      "))
                                                : fmt::format("    if (_c > 0) {{\n{}    }} else {{\n{}    }}\n", scan.store({"0"}, "_before[_pair]", "      "), scan.store({"0"}, scan.start, "      ")) +
                                                      over(scan.store({"_j"}, "_own[_j - 1]", "      "), 1);
  return text +
         of_each(at_element(scan, "_begin", "    ") + fmt::format("    if (_c > 0) {{\n    const {} _earlier = _before[_pair];\n", scan.type) +
                 over(fmt::format("      _own[_j] = {};\n", scan.join("_earlier", "_own[_j]"))) + "    }\n" + stores) +
         "  }\n";
}

/// Each sum waits for the one before it, but of integers for a clock alone. Totals become vectors.
std::string serial_rows_of_integers(const Scan& scan) {
  const auto first = [&](const std::string& sum, const std::string& then) { return "    {\n" + scan.element({"0"}, "      ") + fmt::format("      _sum = {};\n", sum) + then + "    }\n"; };
  const auto others = [&](const std::string& then) {
    return fmt::format("    for (long long _j = 1; _j < _count; ++_j) {{\n{}      _sum = {};\n{}    }}\n", scan.element({"_j"}, "      "), scan.join("_sum", scan.value), then);
  };
  const auto store = [&](const std::string& place) { return scan.store({place}, "_sum", "      "); };
  return pairs_of_block + std::string("  for (long long _pair = blockIdx.x * _per_block; _pair < _last; ++_pair) {\n") + pair_of_rows(scan) + at_element(scan, "_begin", "    ") +
         fmt::format("    {} _sum;\n", scan.type) +
         (scan.gives_totals ? first(scan.value, "") + vectorise + others("") + "    y[_pair] = _sum;\n"
                            : first(fmt::format("_c > 0 ? {} : {}", scan.join("_before[_pair]", scan.value), scan.value), store("0")) + others(store("_j"))) +
         "  }\n";
}

/// Vectors of columns.
std::string serial_columns(const Scan& scan) {
  const auto over = [&](const std::string& body) { return fmt::format("{}      for (int _j = 0; _j < _n; ++_j) {{\n{}      }}\n", vectorise, body); };
  std::string text = fmt::format("  {0} _sum[{1}], _earlier[{1}];\n", scan.type, columns_at_once(scan.value_bytes, scan.form, false)) + pairs_of_block +
                     "  for (long long _pair = blockIdx.x * _per_block; _pair < _last; ++_pair) {\n    const long long _o = _pair / _chunks, _c = _pair % _chunks;\n" +
                     numbers_of_chunk("long long") + strip_of_columns(scan);
  if (!scan.gives_totals) text += "    if (_c > 0)\n      for (int _j = 0; _j < _n; ++_j) _earlier[_j] = _before[(_start + _j) * _chunks + _c];\n";
  const auto rows = [&](const std::string& first, const std::string& stop, const std::string& value, const std::string& stored) {
    return fmt::format("    for (long long _e = {}; _e < {}; ++_e) {{\n", first, stop) + at_element(scan, "_begin + _e", "      ") +
           over(scan.element({"_j"}, "        ") + fmt::format("        const {} _joined = {};\n        _sum[_j] = _joined;\n", scan.type, value) +
                (scan.gives_totals ? "" : scan.store({"_j"}, stored, "        "))) +
           "    }\n";
  };
  const std::string next = scan.join("_sum[_j]", scan.value);
  if (scan.gives_totals) return text + rows("0", "1", scan.value, "") + rows("1", "_count", next, "") + "    for (int _j = 0; _j < _n; ++_j) y[(_start + _j) * _chunks + _c] = _sum[_j];\n  }\n";
  const std::string both = scan.join("_earlier[_j]", "_joined");
  return text + "    if (_c == 0) {\n" + rows("0", "1", scan.value, "_joined") + rows("1", "_count", next, "_joined") + "    } else {\n" + rows("0", "1", scan.value, both) + rows("1", "_count", next, both) + "    }\n  }\n";
}

/// What a thread that has a chunk keeps: its sum so far, what is before the chunk, and what the last element of an exclusive scan was given.
std::string state_of_chunk(const Scan& scan) { return fmt::format("    {0} _sum{1}{2};\n", scan.type, scan.gives_totals ? "" : ", _earlier", scan.is_exclusive ? ", _given" : ""); }

/// Joins an element of the chunk, of which the text `is_first` says whether it is the first, and gives `to` its result: statements, where
/// `to` stores the text of a value.
std::string join_next(const Scan& scan, const std::string& is_first, const std::string& value, const std::function<std::string(const std::string&)>& to) {
  const auto sum = [&](const std::string& next) { return fmt::format("      if ({}) _sum = {};\n      else _sum = {};\n", is_first, next, scan.join("_sum", next)); };
  if (scan.gives_totals) return sum(value);
  const std::string joined = scan.join("_earlier", "_sum");
  if (!scan.is_exclusive) return sum(value) + fmt::format("      if (_c > 0) {{\n{}      }} else {{\n{}      }}\n", to(joined), to("_sum"));
  return fmt::format("      if ({}) {{\n        if (_c > 0) _given = _earlier;\n        else _given = {};\n      }}\n      const {} _next = {};\n", is_first, scan.start, scan.type, value) + to("_given") +
         sum("_next") + fmt::format("      if (_c > 0) _given = {};\n      else _given = _sum;\n", joined);
}

/// A thread has a chunk; neighbours have neighbouring rows.
std::string chunks_of_threads(const Scan& scan) {
  std::string text = "  const long long _results = _pairs / _chunks;\n"
                     "  for (long long _number = (long long)blockIdx.x * blockDim.x + threadIdx.x; _number < _pairs; _number += (long long)gridDim.x * blockDim.x) {\n"
                     "    const long long _c = _chunks == 1 ? 0 : _number / _results, _o = _number - _c * _results, _pair = _o * _chunks + _c;\n" +
                     numbers_of_chunk("int") + row_positions_of(scan) + state_of_chunk(scan);
  if (!scan.gives_totals) text += "    if (_c > 0) _earlier = _before[_pair];\n";
  text += "    for (int _j = 0; _j < _count; ++_j) {\n" + at_element(scan, "_begin + _j", "      ") + scan.element({"0"}, "      ") +
          join_next(scan, "_j == 0", scan.value, [&](const std::string& value) { return scan.store({"0"}, value, "        "); }) + "    }\n";
  return text + (scan.gives_totals ? "    y[_pair] = _sum;\n" : "") + "  }\n";
}

/// A warp has 32 chunks, of which it reads and writes 32 neighbours at a time; each of its threads joins those of one.
/// Loads of several chunks are on their way at once: one alone would wait for memory 32 times a tile.
std::string tiles_of_warps(const Scan& scan) {
  constexpr int at_once = 16;
  const auto of_rows = [&](const std::string& body) {
    return fmt::format("#pragma unroll\n      for (int _q = 0; _q < {}; ++_q) {{\n    const long long _pair = _own + _r + _q;\n    if (_pair < _pairs) {{\n", at_once) + pair_of_rows(scan) +
           "    if (_k + _l < _count) {\n" + at_element(scan, "_begin + _k + _l", "      ") + body + "    }\n    }\n      }\n";
  };
  const auto of_tile = [&](const std::string& body) { return fmt::format("      for (int _r = 0; _r < 32; _r += {}) {{\n{}      }}\n", at_once, body); };
  const std::string value = "_tile[33 * _l + _i]";
  const auto step = [&](const char* is_first) {
    return join_next(scan, is_first, value, [&](const std::string& joined) { return fmt::format("        {} = {};\n", value, joined); });
  };
  std::string text = fmt::format("  __shared__ __align__(16) unsigned char _storage[{1} * 32 * 33 * sizeof({0})];\n  {0}* const _shared = ({0}*)_storage;\n"
                                 "  const int _l = threadIdx.x & 31, _warp = threadIdx.x >> 5;\n  {0}* const _tile = _shared + _warp * (32 * 33);\n"
                                 "  for (long long _first = (long long)blockIdx.x * {2}; _first < _pairs; _first += (long long)gridDim.x * {2}) {{\n"
                                 "    const long long _own = _first + 32 * _warp;\n",
                                 scan.type, threads_of_scan / 32, threads_of_scan) +
                     state_of_chunk(scan) + "    for (int _k = 0; _k < (_length < _chunk ? _length : _chunk); _k += 32) {\n" +
                     of_tile(fmt::format("      {} _loaded[{}];\n", scan.type, at_once) + of_rows(scan.element({"0"}, "      ") + fmt::format("      _loaded[_q] = {};\n", scan.value)) +
                             fmt::format("#pragma unroll\n      for (int _q = 0; _q < {}; ++_q) _tile[33 * (_r + _q) + _l] = _loaded[_q];\n", at_once)) +
                     "      __syncthreads();\n      if (_own + _l < _pairs) {\n    const long long _pair = _own + _l;\n" + pair_of_rows(scan);
  if (!scan.gives_totals) text += "    if (_c > 0 && _k == 0) _earlier = _before[_pair];\n";
  text += "    int _i = 0;\n    if (_k == 0 && _count > 0) {\n" + step("true") + "      _i = 1;\n    }\n#pragma unroll 8\n    for (; _i < (_count - _k < 32 ? _count - _k : 32); ++_i) {\n" + step("false") + "    }\n";
  if (scan.gives_totals) text += "    if (_k + 32 >= _count && _k < _count) y[_pair] = _sum;\n";
  text += "      }\n      __syncthreads();\n";
  if (!scan.gives_totals) text += of_tile(of_rows(scan.store({"0"}, "_tile[33 * (_r + _q) + _l]", "      "))) + "      __syncthreads();\n";
  return text + "    }\n  }\n";
}

constexpr int64_t bytes_at_once = 16;

/// Chunks lie in shared memory a little behind where banks of memory begin again.
int64_t per_load(const Scan& scan) { return std::max<int64_t>(1, bytes_at_once / static_cast<int64_t>(scan.value_bytes)); }

/// Joins the `_count` elements of `_own` in `_sum`, and stores for each what it and those before it give: several loads at once, ahead of
/// those that are joined.
std::string join_in_shared(const Scan& scan) {
  constexpr int64_t ahead = 8;
  const int64_t of_load = per_load(scan), loads = std::max<int64_t>(1, ahead / of_load), at_once = loads * of_load;
  const auto of_some = [&](int64_t n, const std::string& body) { return fmt::format("#pragma unroll\n      for (int _u = 0; _u < {}; ++_u) {{\n{}      }}\n", n, body); };
  const auto step = [&](const char* is_first, const std::string& value) {
    return fmt::format("      if ({0}) _sum = {1};\n      else _sum = {2};\n      {1} = _sum;\n", is_first, value, scan.join("_sum", value));
  };
  return fmt::format("    struct __align__({}) _Some {{ {} x[{}]; }} _now[{}], _next_ones[{}];\n    _Some* const _all = (_Some*)_own;\n", of_load * static_cast<int64_t>(scan.value_bytes), scan.type, of_load, loads, loads) +
         of_some(loads, fmt::format("      if ({} <= _count) _now[_u] = _all[_u];\n", at_once)) +
         fmt::format("    int _i = 0;\n    for (; _i + {0} <= _count; _i += {0}) {{\n", at_once) +
         of_some(loads, fmt::format("        if (_i + {} <= _count) _next_ones[_u] = _all[_i / {} + {} + _u];\n", 2 * at_once, of_load, loads)) +
         of_some(at_once, step("_u == 0 && _i == 0", fmt::format("_now[_u / {0}].x[_u % {0}]", of_load))) +
         of_some(loads, fmt::format("        _all[_i / {} + _u] = _now[_u];\n", of_load)) + of_some(loads, "        _now[_u] = _next_ones[_u];\n") +
         "    }\n    for (; _i < _count; ++_i) {\n" + step("_i == 0", "_own[_i]") + "    }\n";
}

/// Rows that a block has in 32 KiB of shared memory.
int64_t rows_of_block(size_t value_bytes) { return std::clamp<int64_t>(32768 / (scan_row * static_cast<int64_t>(value_bytes)), 1, 8); }

/// Of rows that are one chunk. Warps bring a row each into shared memory and back. Threads of one warp join them, a thread a row, some
/// elements ahead of memory: a thread of each warp would take as many instructions of a processor as all of its warp.
std::string rows_of_blocks(const Scan& scan) {
  const int64_t rows = rows_of_block(scan.value_bytes), pitch = scan_row + per_load(scan);
  const auto of_row = [&](const char* number, const std::string& condition, const std::string& body) {
    return fmt::format("    if ({0}_first + {1} < _pairs) {{\n    const long long _pair = _first + {1};\n    {2}* const _own = ({2}*)_storage + {1} * {3};\n", condition, number, scan.type, pitch) + pair_of_rows(scan) + body +
           "    }\n    __syncthreads();\n";
  };
  const auto by_lanes = [&](const std::string& body) {
    return of_row("_warp", "", "#pragma unroll 16\n    for (int _j = threadIdx.x & 31; _j < _count; _j += 32) {\n" + at_element(scan, "_begin + _j", "      ") + body + "    }\n");
  };
  return fmt::format("  __shared__ __align__(16) unsigned char _storage[{1} * {2} * sizeof({0})];\n  const int _warp = threadIdx.x >> 5;\n", scan.type, rows, pitch) +
         fmt::format("  for (long long _first = (long long)blockIdx.x * {0}; _first < _pairs; _first += (long long)gridDim.x * {0}) {{\n", rows) +
         by_lanes(scan.element({"0"}, "      ") + fmt::format("      _own[_j] = {};\n", scan.value)) +
         of_row("threadIdx.x", fmt::format("threadIdx.x < {} && ", rows), fmt::format("    {} _sum;\n", scan.type) + join_in_shared(scan)) + by_lanes(scan.store({"0"}, "_own[_j]", "      ")) + "  }\n";
}

/// A text of one_trip(), with its type and its lengths.
std::string filled(const Scan& scan, std::string_view text) {
  using fmt::arg;
  return fmt::format(fmt::runtime(text), arg("T", scan.type), arg("G", scan_group), arg("C", scan_chunk), arg("pitch", scan_chunk + per_load(scan)), arg("tile", tile_of_trip), arg("threads", threads_of_trip));
}

/// A loop over a tile's elements.
struct OverTile {
  std::string one;     ///< of one element
  std::string of_few;  ///< of each of some neighbours, which go from and to memory as one value
  std::string before;  ///< before those neighbours, and
  std::string after;   ///< behind them
};

/// From memory into the tile, and from the tile into memory. In a whole tile a thread moves 16 bytes at once, beside those of its
/// neighbour: so a trip of a warp to memory leaves no gaps.
std::pair<std::string, std::string> moves_of_tile(const Scan& scan) {
  const int64_t n = std::clamp<int64_t>(per_load(scan), 2, 4);
  const std::string_view few = n == 2 ? "ks_neighbours" : "ks_four";
  const std::string place = filled(scan, "_j / {C} * {pitch} + _j % {C}"), element = "_tile[" + place + "]", element_of_few = "_some.v[_k]";
  const std::string some = fmt::format("{}<{}>", few, scan.type), some_of_tile = fmt::format("*({}*)(_tile + {})", some, place);
  const auto over_tile = [&](const OverTile& text) {
    return filled(scan, "  if (_there == {tile} && ") + is_aligned(scan.loop, 'b', "") + fmt::format(") {{\n#pragma unroll 8\n  for (int _j = {0} * threadIdx.x; _j < {1}; _j += {2}) {{\n", n, tile_of_trip, n * threads_of_trip) +
           at_element(scan, "_first + _j", "    ") + text.before + fmt::format("#pragma unroll\n    for (int _k = 0; _k < {}; ++_k) {{\n", n) + text.of_few + "    }\n" + text.after +
           filled(scan, "  }}\n  }} else {{\n#pragma unroll 16\n  for (int _j = threadIdx.x; _j < _there; _j += {threads}) {{\n") + at_element(scan, "_first + _j", "    ") + text.one + "  }\n  }\n";
  };
  const Place of_few("_k", "_k", Place::neighbours);
  const auto result = [&](const std::string& element) { return fmt::format("_number > 0 || _j >= {0} ? {1} : {2}", scan_chunk, scan.join(fmt::format("_befores[_j / {}]", scan_chunk), element), element); };
  const auto results_of_few = [&](bool is_store) {
    std::string text;
    for (const LoopOperand& y : scan.loop.operands)
      if (y.is_output && y.inner == Inner::unit) text += fmt::format(fmt::runtime(is_store ? "    *({0}<{1}>*)_p_{2} = _f_{2};\n" : "    {0}<{1}> _f_{2};\n"), few, y.type, y.name);
    return text;
  };
  return {over_tile({
              .one = scan.element({"0"}, "    ") + fmt::format("    {} = {};\n", element, scan.value),
              .of_few = scan.element(of_few, "    ") + fmt::format("    {} = {};\n", element_of_few, scan.value),
              .before = loads_of_few(scan.loop, few, "    ") + fmt::format("    {} _some;\n", some),
              .after = fmt::format("    {} = _some;\n", some_of_tile),
          }),
          over_tile({
              .one = scan.store({"0"}, result(element), "    "),
              .of_few = scan.store(of_few, result(element_of_few), "    "),
              .before = fmt::format("    const {} _some = {};\n", some, some_of_tile) + results_of_few(false),
              .after = results_of_few(true),
          })};
}

/// The first warp joins each chunk in the tile, and these: `_in_tile` is what is before a thread's chunk there, `_of_tile` all of it, which
/// is told.
std::string joins_in_tile(const Scan& scan) {
  return filled(scan, R"(  __syncthreads();
  {T} _of_tile, _in_tile;
  if (_warp == 0) {{
    {T}* const _own = _tile + _lane * {pitch};
    const int _left = _there - {C} * _lane, _count = _left < {C} ? _left : {C};
    {T} _sum;
)") + join_in_shared(scan) +
         filled(scan, R"(    if (_count > 0) _heard[_lane] = _sum;
    __syncwarp();
    _of_tile = _heard[0];
#pragma unroll 8
    for (int _q = 1; _q < {G} && _q * {C} < _there; ++_q) {{
      if (_q == _lane) _in_tile = _of_tile;
)") + fmt::format("      _of_tile = {};\n", scan.join("_of_tile", "_heard[_q]")) +
         filled(scan, R"(    }}
    __syncwarp();
    if (_lane == 0) ks_tell(_told + _number, _of_tile, _launch);
  }}
)");
}

/// A warp for each level: `_outer[_l]` is what is before the tile on it. Of tiles a group's total is told at once.
std::string heard_of_levels(const Scan& scan) {
  return filled(scan, R"(  {{
    ks_told* _level = _told;
    long long _items = _pairs, _at = _number;
    for (int _l = 0; _items > 1; ++_l) {{
      const int _n = (int)(_at % {G});
      if (_l % ({threads} / 32) == _warp && _n > 0) {{
        if (_lane < _n) _heard[_lane] = ks_heard<{T}>(_level + _at - _n + _lane, _launch);
        __syncwarp();
        {T} _sum = _heard[0];
#pragma unroll 8
)") + fmt::format("        for (int _q = 1; _q < _n; ++_q) _sum = {};\n", scan.join("_sum", "_heard[_q]")) +
         filled(scan, R"(        __syncwarp();
        if (_lane == 0) {{
          _outer[_l] = _sum;
)") + fmt::format("          if (_l == 0 && _n == {0} - 1) ks_tell(_level + _items + _at / {0}, {1}, _launch);\n", scan_group, scan.join("_sum", "_of_tile")) +
         filled(scan, R"(        }}
      }}
      _level += _items, _items = (_items + {G} - 1) / {G}, _at /= {G};
    }}
  }}
)");
}

/// The first warp tells the totals of groups that end with the tile, and adds up what the levels have: `_befores` is what is before each
/// chunk.
std::string befores_of_chunks(const Scan& scan) {
  return filled(scan, R"(  __syncthreads();
  if (_warp == 0) {{
    int _l = 0;
    ks_told* _level = _told;
    {T} _of_group = _of_tile;
    for (long long _items = _pairs, _at = _number; _items > 1; ++_l) {{
      const bool _is_last = _at % {G} == {G} - 1;
      _level += _items, _items = (_items + {G} - 1) / {G}, _at /= {G};
      if (!_is_last) break;
)") + fmt::format("      _of_group = {};\n", scan.join("_outer[_l]", "_of_group")) +
         filled(scan, R"(      if (_l > 0 && _lane == 0) ks_tell(_level + _at, _of_group, _launch);
    }}
    {T} _before_tile;
    bool _has_before = false;
    for (_l = 0; _number >> 5 * _l; ++_l) {{}}
    while (_l-- > 0) {{
      if (!(_number >> 5 * _l & 31)) continue;
)") + fmt::format("      if (_has_before) _before_tile = {};\n", scan.join("_before_tile", "_outer[_l]")) +
         filled(scan, R"(      else _before_tile = _outer[_l];
      _has_before = true;
    }}
    if (_lane == 0) _in_tile = _before_tile;
)") + fmt::format("    else if (_has_before) _in_tile = {};\n", scan.join("_before_tile", "_in_tile")) +
         "    _befores[_lane] = _in_tile;\n  }\n  __syncthreads();\n";
}

/// Of one row: a block has a tile, a group of chunks, of which the threads of one warp join one each. As soon as the tile's total is there
/// the block tells it, and its warps add up what is before the tile, each on a level of its own: in its group of tiles, in that group's
/// group, ... Where a group ends with the tile, the block tells the group's total; of tiles, for which most blocks wait, before it waits
/// for others. It waits for earlier blocks alone, which a GPU begins first.
std::string one_trip(const Scan& scan) {
  static_assert(scan_group == 32, "a warp has a group, and a level is five bits of a tile's number");
  const auto [reads, writes] = moves_of_tile(scan);
  return filled(scan, R"(  __shared__ __align__(16) unsigned char _storage[{G} * {pitch} * sizeof({T})], _storage_of_few[({threads} + {G} + 8) * sizeof({T})];
  {T} *const _tile = ({T}*)_storage, *const _few = ({T}*)_storage_of_few;
  {T} *const _heard = _few + (threadIdx.x & ~31), *const _befores = _few + {threads}, *const _outer = _befores + {G};
  const long long _number = blockIdx.x, _first = _number * {tile};
  const int _there = (int)(_length - _first < {tile} ? _length - _first : {tile}), _warp = threadIdx.x >> 5, _lane = threadIdx.x & 31;
  const long long _o = 0;
)") + row_positions_of(scan) + reads + joins_in_tile(scan) + heard_of_levels(scan) + befores_of_chunks(scan) + writes;
}

}  // namespace

std::string scan_text(const Scan& scan) {
  if (!scan.by_threads) return scan.form == ReduceForm::columns ? serial_columns(scan) : scan.is_of_integers ? serial_rows_of_integers(scan) : serial_rows(scan);
  if (scan.form == ReduceForm::few_rows) return rows_of_blocks(scan);
  if (scan.form == ReduceForm::one_trip) return one_trip(scan);
  return scan.form == ReduceForm::rows ? tiles_of_warps(scan) : chunks_of_threads(scan);
}

std::string scan_parameters(const Scan& scan) {
  const std::string loop = loop_parameters(scan.loop);
  return loop + (loop.empty() ? "" : ",\n    ") + "long long _pairs, long long _per_block, long long _chunks, long long _length, long long _chunk" + (scan.form == ReduceForm::columns ? ", long long _width" : "") +
         (scan.gives_totals                   ? ""
          : scan.form == ReduceForm::one_trip ? ", ks_told* _told, unsigned long long _launch"
                                              : fmt::format(", const {}* __restrict__ _before", scan.type));
}

std::string befores_text(const std::string& type, const JoinedLoop::Join& join) {
  const std::string joined = join("_sum", "_of[_i]");
  return fmt::format(R"(  for (long long _row = blockIdx.x * (long long)blockDim.x + threadIdx.x; _chunks <= {1} && _row < _rows; _row += (long long)gridDim.x * blockDim.x) {{
    {0} _sum = _totals[_row * _chunks];
    for (long long _c = 1; _c < _chunks; ++_c) {{
      _before[_row * _chunks + _c] = _sum;
      _sum = {2};
    }}
  }}
  for (long long _row = blockIdx.x; _chunks > {1} && _row < _rows; _row += gridDim.x) {{
    {0}* const _groups = _of_groups + _row * _groups_of_row;
    int _level = 0;
    {0}* _to = _groups;
    const {0}* _of = _totals + _row * _chunks;
    for (long long _n = _chunks; _n > {1}; ++_level) {{
      const long long _next = (_n + {1} - 1) / {1};
      for (long long _g = threadIdx.x; _g < _next; _g += blockDim.x) {{
        const long long _end = ({1} * _g + {1} < _n ? {1} * _g + {1} : _n);
        {0} _sum = _of[{1} * _g];
        for (long long _i = {1} * _g + 1; _i < _end; ++_i) _sum = {3};
        _to[_g] = _sum;
      }}
      __syncthreads();
      _of = _to, _to += _next, _n = _next;
    }}
    for (; _level >= 0; --_level) {{
      long long _n = _chunks, _at = 0;
      for (int _l = 0; _l < _level; ++_l) _at += _l > 0 ? _n : 0, _n = (_n + {1} - 1) / {1};
      const {0}* const _of = _level > 0 ? _groups + _at : _totals + _row * _chunks;
      const {0}* const _above = _level > 0 ? _groups + _at + _n : _groups;
      {0}* const _to = _level > 0 ? _groups + _at : _before + _row * _chunks;
      for (long long _g = threadIdx.x; {1} * _g < _n; _g += blockDim.x) {{
        const long long _end = ({1} * _g + {1} < _n ? {1} * _g + {1} : _n);
        {0} _sum = _of[{1} * _g];
        if (_g > 0) _to[{1} * _g] = _above[_g];
        for (long long _i = {1} * _g + 1; _i < _end; ++_i) {{
          const {0} _next = {3};
          if (_g > 0) _to[_i] = {4};
          else _to[_i] = _sum;
          _sum = _next;
        }}
      }}
      __syncthreads();
    }}
  }}
)", type, scan_group, join("_sum", "_totals[_row * _chunks + _c]"), joined, join("_above[_g]", "_sum"));
}

std::string befores_parameters(const std::string& type) {
  return fmt::format("{0}* _before, const {0}* _totals, {0}* _of_groups, long long _rows, long long _chunks, long long _groups_of_row", type);
}

LaunchShape befores_launch(int64_t rows, int64_t chunks, bool by_threads, int workers) {
  LaunchShape shape;
  const bool has_block = chunks > scan_group;  // a row; else a thread has one
  if (by_threads) shape.block[0] = threads_of_befores;
  const int64_t blocks = has_block || !by_threads ? rows : divide_up(rows, threads_of_befores);
  shape.grid[0] = static_cast<uint32_t>(std::min<int64_t>(blocks, by_threads ? int64_t{16} * workers : int64_t{4} * workers));
  return shape;
}

ReduceLaunch scan_launch(const IterationSpace& space, ReduceForm form, bool by_threads, size_t value_bytes, int workers) {
  const int64_t length = space.lengths.back(), rows = space.size() / length, chunk = chunk_of_scan(length), chunks = divide_up(length, chunk);
  int64_t pairs = rows * chunks, elements = std::min(length, chunk), width = 1;
  if (form == ReduceForm::columns && !by_threads) {
    const int64_t columns = space.lengths[space.lengths.size() - 2];
    width = strip_width(columns, elements, pairs / columns, columns_at_once(value_bytes, form, false), workers);
    pairs = pairs / columns * divide_up(columns, width);
    elements *= std::min(columns, width);
  }
  if (form == ReduceForm::one_trip) pairs = divide_up(length, tile_of_trip);
  const int64_t per_block = std::max({int64_t{1}, round_up(elements_per_block / elements, int64_t{4}), divide_up(pairs, int64_t{1} << 30)});
  ReduceLaunch launch{{}, {pairs, per_block, chunks, length, chunk, width}, form == ReduceForm::columns ? 6 : 5};
  if (by_threads) {
    constexpr int64_t blocks_of_multiprocessor = 64;
    const int64_t of_block = form == ReduceForm::one_trip ? 1 : form == ReduceForm::few_rows ? rows_of_block(value_bytes) : threads_of_scan;
    launch.shape.block[0] = static_cast<uint32_t>(form == ReduceForm::one_trip ? threads_of_trip : form == ReduceForm::few_rows ? 32 * of_block : threads_of_scan);
    const int64_t blocks = divide_up(pairs, of_block);
    launch.shape.grid[0] = static_cast<uint32_t>(form == ReduceForm::one_trip ? blocks : std::min(blocks, blocks_of_multiprocessor * workers));
  } else {
    launch.shape.grid[0] = static_cast<uint32_t>(divide_up(pairs, per_block));
  }
  return launch;
}

}  // namespace kasoku
