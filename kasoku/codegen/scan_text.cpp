// The fixed form of scans. A chunk is scan_chunk (1024) elements, joined one after the other. A row of several is two kernels:
// one gives the chunks' totals, which are scanned in the same way, and one gives the elements, each joined to what the chunks
// before it give together; or, of a single long row by threads, one kernel that does both. So the bits are the same on all devices
// and with any number of threads, and short rows have NumPy's.
//
// Legend of the text, beside those of loop_text.cpp and reduce_tree.cpp.
//   _pair, _o, _c       a pair of a row (or strip of rows) and one of its chunks
//   _begin, _count      the chunk's first element, and how many it has
//   _before             what the rows' chunks up to each give: [rows][chunks]
//   _states, _sums      one trip: a ticket, then whether a chunk's total is there, and a group's; the totals themselves
#include "kasoku/codegen/scan_text.h"

#include "kasoku/base/error.h"
#include "kasoku/base/rounding.h"
#include "kasoku/codegen/group.h"
#include "kasoku/codegen/scans.h"

#include <fmt/format.h>

#include <algorithm>

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
  return fmt::format("    const long long _begin = _c * {0};\n    const {1} _count = ({1})(_length - _begin < {0} ? _length - _begin : {0});\n", scan_chunk, number);
}

/// Of pair number `_pair`, rows one after the other; a quotient of 64 bits takes a GPU long.
std::string pair_of_rows(const Scan& scan) {
  const char* const number = scan.has_narrow_pairs ? "unsigned int" : "long long";
  return (scan.kept_rank == 0 ? std::string("    const long long _o = 0, _c = _pair;\n")
                              : fmt::format("    const long long _o = ({0})_pair / ({0})_chunks, _c = ({0})_pair % ({0})_chunks;\n", number)) +
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
  std::string text = fmt::format("  __align__(16) unsigned char _storage[4 * {1} * sizeof({0})];\n  {0}* const _held[4] = {{({0}*)_storage, ({0}*)_storage + {1}, ({0}*)_storage + 2 * {1}, ({0}*)_storage + 3 * {1}}};\n", scan.type, scan_chunk + apart) +
                     pairs_of_block +
                     "  for (long long _first = blockIdx.x * _per_block; _first < _last; _first += 4) {\n"
                     "    const int _n = (int)(_last - _first < 4 ? _last - _first : 4);\n" +
                     fmt::format("    const int _longest = (int)(_length < {0} ? _length : {0});\n    bool _are_whole = _n == 4;\n", scan_chunk) +
                     of_each("    _are_whole &= _count == _longest;\n" + at_element(scan, "_begin", "    ") + over(scan.element({"_j"}, "      ") + fmt::format("      _own[_j] = {};\n", scan.value)));
  text += "    if (_are_whole) {\n";
  for (int q = 0; q < 4; ++q) text += fmt::format("    {} _a{} = _held[{}][0];\n", scan.type, q, q);
  text += "    for (int _j = 1; _j < _longest; ++_j) {\n";
  for (int q = 0; q < 4; ++q) text += fmt::format("      _a{0} = {1};\n      _held[{0}][_j] = _a{0};\n", q, scan.join(fmt::format("_a{}", q), fmt::format("_held[{}][_j]", q)));
  text += "    }\n    } else {\n" + of_each(fmt::format("    {0} _sum = _own[0];\n    for (int _j = 1; _j < _count; ++_j) {{\n      _sum = {1};\n      _own[_j] = _sum;\n    }}\n", scan.type, scan.join("_sum", "_own[_j]"))) + "    }\n";
  if (scan.gives_totals) return text + of_each("    y[_pair] = _own[_count - 1];\n") + "  }\n";
  const std::string stores = !scan.is_exclusive ? over(scan.store({"_j"}, "_own[_j]", "      "))
                                                : fmt::format("    if (_c > 0) {{\n{}    }} else {{\n{}    }}\n", scan.store({"0"}, "_before[_pair - 1]", "      "), scan.store({"0"}, scan.start, "      ")) +
                                                      over(scan.store({"_j"}, "_own[_j - 1]", "      "), 1);
  return text +
         of_each(at_element(scan, "_begin", "    ") + fmt::format("    if (_c > 0) {{\n    const {} _earlier = _before[_pair - 1];\n", scan.type) +
                 over(fmt::format("      _own[_j] = {};\n", scan.join("_earlier", "_own[_j]"))) + "    }\n" + stores) +
         "  }\n";
}

/// Vectors of columns.
std::string serial_columns(const Scan& scan) {
  const auto over = [&](const std::string& body) { return fmt::format("{}      for (int _j = 0; _j < _n; ++_j) {{\n{}      }}\n", vectorise, body); };
  std::string text = fmt::format("  {0} _sum[{1}], _earlier[{1}];\n", scan.type, columns_at_once(scan.value_bytes, scan.form, false)) + pairs_of_block +
                     "  for (long long _pair = blockIdx.x * _per_block; _pair < _last; ++_pair) {\n    const long long _o = _pair / _chunks, _c = _pair % _chunks;\n" +
                     numbers_of_chunk("long long") + strip_of_columns(scan.loop, scan.kept_rank);
  if (!scan.gives_totals) text += "    if (_c > 0)\n      for (int _j = 0; _j < _n; ++_j) _earlier[_j] = _before[(_start + _j) * _chunks + _c - 1];\n";
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
  if (!scan.gives_totals) text += "    if (_c > 0) _earlier = _before[_pair - 1];\n";
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
                     state_of_chunk(scan) + fmt::format("    for (int _k = 0; _k < (_length < {0} ? _length : {0}); _k += 32) {{\n", scan_chunk) +
                     of_tile(fmt::format("      {} _loaded[{}];\n", scan.type, at_once) + of_rows(scan.element({"0"}, "      ") + fmt::format("      _loaded[_q] = {};\n", scan.value)) +
                             fmt::format("#pragma unroll\n      for (int _q = 0; _q < {}; ++_q) _tile[33 * (_r + _q) + _l] = _loaded[_q];\n", at_once)) +
                     "      __syncthreads();\n      if (_own + _l < _pairs) {\n    const long long _pair = _own + _l;\n" + pair_of_rows(scan);
  if (!scan.gives_totals) text += "    if (_c > 0 && _k == 0) _earlier = _before[_pair - 1];\n";
  text += "    int _i = 0;\n    if (_k == 0 && _count > 0) {\n" + step("true") + "      _i = 1;\n    }\n#pragma unroll 8\n    for (; _i < (_count - _k < 32 ? _count - _k : 32); ++_i) {\n" + step("false") + "    }\n";
  if (scan.gives_totals) text += "    if (_k + 32 >= _count && _k < _count) y[_pair] = _sum;\n";
  text += "      }\n      __syncthreads();\n";
  if (!scan.gives_totals) text += of_tile(of_rows(scan.store({"0"}, "_tile[33 * (_r + _q) + _l]", "      "))) + "      __syncthreads();\n";
  return text + "    }\n  }\n";
}

/// Chunks that a block has in 32 KiB of shared memory, each a little behind where banks of memory begin again.
int64_t chunks_of_block(size_t value_bytes) { return std::clamp<int64_t>(32768 / (scan_chunk * static_cast<int64_t>(value_bytes)), 1, 8); }

/// Warps bring a chunk each into shared memory and back. Threads of one warp join them, a thread a chunk, some elements ahead of memory: a
/// thread of each warp would take as many instructions of a processor as all of its warp.
class ChunksOfBlocks {
 public:
  explicit ChunksOfBlocks(const Scan& scan)
      : scan_(scan), chunks_(chunks_of_block(scan.value_bytes)), per_load_(std::max<int64_t>(1, bytes_at_once / static_cast<int64_t>(scan.value_bytes))), pitch_(scan_chunk + per_load_) {}

  std::string two_trips() const {
    std::string join = state_of_chunk(scan_);
    if (!scan_.gives_totals) join += "    if (_c > 0) _earlier = _before[_pair - 1];\n";
    join += joins(scan_.gives_totals, [&](const char* is_first, const std::string& value) {
      return join_next(scan_, is_first, value, [&](const std::string& joined) { return fmt::format("        {} = {};\n", value, joined); });
    });
    if (scan_.gives_totals) join += "    y[_pair] = _sum;\n";
    std::string text = storage() + fmt::format("  for (long long _first = (long long)blockIdx.x * {0}; _first < _pairs; _first += (long long)gridDim.x * {0}) {{\n", chunks_) + loads() + by_joiners(join);
    if (!scan_.gives_totals) text += stores("_own[_j]");
    return text + "  }\n";
  }

  /// Of one row. A block that has its chunks' totals tells them, and adds up those of the chunks before it, as a scan of the totals
  /// does: of its group of scan_chunk chunks, then of the groups. It waits for blocks of earlier tickets alone, which run already.
  std::string one_trip() const {
    const std::string join = fmt::format("    {} _sum;\n", scan_.type) + joins(false, [&](const char* is_first, const std::string& value) {
      return fmt::format("      if ({0}) _sum = {1};\n      else _sum = {2};\n      {1} = _sum;\n", is_first, value, scan_.join("_sum", value));
    }) + "    _sums[_pair] = _sum;\n    _own_totals[threadIdx.x] = _sum;\n    __threadfence();\n    _are_there[_pair] = 1;\n";
    // Totals from `first` on, as they come, into shared memory.
    const auto gather = [&](const char* count, const char* first) {
      return fmt::format("  for (int _j = threadIdx.x; _j < {0}; _j += blockDim.x) {{\n    while (!_are_there[{1} + _j]) {{}}\n    __threadfence();\n    _totals[_j] = _sums[{1} + _j];\n  }}\n  __syncthreads();\n", count, first);
    };
    const auto added = [&](const char* count) { return fmt::format("#pragma unroll 8\n    for (int _j = 1; _j < {}; ++_j) _sum = {};\n", count, scan_.join("_sum", "_totals[_j]")); };
    return storage() +
           fmt::format("  __shared__ __align__(16) unsigned char _total_storage[({0} + 2 * {1}) * sizeof({2})];\n  {2} *const _totals = ({2}*)_total_storage, *const _own_totals = _totals + {0}, *const _befores = _own_totals + {1};\n"
                       "  __shared__ unsigned int _ticket;\n  if (threadIdx.x == 0) _ticket = atomicAdd(_states, 1u);\n  __syncthreads();\n"
                       "  volatile unsigned int* const _are_there = _states + 1;\n"
                       "  const long long _first = (long long)_ticket * {1}, _group = _first / {0}, _group_first = _group * {0};\n  const int _earlier = (int)(_first - _group_first);\n", scan_chunk, chunks_, scan_.type) +
           loads() + by_joiners(join) + gather("_earlier", "_group_first") +
           fmt::format("  if (threadIdx.x == 0) {{\n    {} _sum = _earlier > 0 ? _totals[0] : _own_totals[0];\n", scan_.type) + added("_earlier") +
           fmt::format("    if (_earlier > 0) {{\n      _befores[0] = _sum;\n      _sum = {};\n    }}\n    for (int _q = 1; _q < {} && _first + _q < _pairs; ++_q) {{\n      _befores[_q] = _sum;\n      _sum = {};\n    }}\n",
                       scan_.join("_sum", "_own_totals[0]"), chunks_, scan_.join("_sum", "_own_totals[_q]")) +
           fmt::format("    if (_earlier + {} == {}) {{\n      _sums[_pairs + _group] = _sum;\n      __threadfence();\n      _are_there[_pairs + _group] = 1;\n    }}\n  }}\n  __syncthreads();\n  if (_group > 0) {{\n", chunks_, scan_chunk) +
           gather("_group", "_pairs") + fmt::format("  if (threadIdx.x == 0) {{\n    {} _sum = _totals[0];\n", scan_.type) + added("_group") +
           fmt::format("    for (int _q = 0; _q < {}; ++_q) {{\n      if (_earlier + _q > 0) _befores[_q] = {};\n      else _befores[_q] = _sum;\n    }}\n  }}\n  __syncthreads();\n  }}\n", chunks_, scan_.join("_sum", "_befores[_q]")) +
           stores(fmt::format("_c > 0 ? {} : _own[_j]", scan_.join("_befores[_warp]", "_own[_j]")));
  }

 private:
  static constexpr int64_t ahead = 8, bytes_at_once = 16;

  std::string storage() const { return fmt::format("  __shared__ __align__(16) unsigned char _storage[{1} * {2} * sizeof({0})];\n  const int _warp = threadIdx.x >> 5;\n", scan_.type, chunks_, pitch_); }

  std::string of_chunk(const char* number, const std::string& condition, const std::string& body) const {
    return fmt::format("    if ({0}_first + {1} < _pairs) {{\n    const long long _pair = _first + {1};\n    {2}* const _own = ({2}*)_storage + {1} * {3};\n", condition, number, scan_.type, pitch_) + pair_of_rows(scan_) + body +
           "    }\n    __syncthreads();\n";
  }
  std::string by_lanes(const std::string& body) const {
    return of_chunk("_warp", "", "#pragma unroll 16\n    for (int _j = threadIdx.x & 31; _j < _count; _j += 32) {\n" + at_element(scan_, "_begin + _j", "      ") + body + "    }\n");
  }
  std::string by_joiners(const std::string& body) const { return of_chunk("threadIdx.x", fmt::format("threadIdx.x < {} && ", chunks_), body); }
  std::string loads() const { return by_lanes(scan_.element({"0"}, "      ") + fmt::format("      _own[_j] = {};\n", scan_.value)); }
  std::string stores(const std::string& value) const { return by_lanes(scan_.store({"0"}, value, "      ")); }

  /// All elements of `_own` by `step`, of several loads at once; they are stored again where they are not only read.
  std::string joins(bool are_read, const std::function<std::string(const char* is_first, const std::string& value)>& step) const {
    const auto of_some = [&](int64_t n, const std::string& body) { return fmt::format("#pragma unroll\n      for (int _u = 0; _u < {}; ++_u) {{\n{}      }}\n", n, body); };
    const int64_t loads = std::max<int64_t>(1, ahead / per_load_), at_once = loads * per_load_;
    std::string text = fmt::format("    struct __align__({}) _Some {{ {} x[{}]; }} _now[{}], _next_ones[{}];\n    _Some* const _all = (_Some*)_own;\n", per_load_ * static_cast<int64_t>(scan_.value_bytes), scan_.type, per_load_, loads, loads) +
                       of_some(loads, fmt::format("      if ({} <= _count) _now[_u] = _all[_u];\n", at_once)) +
                       fmt::format("    int _i = 0;\n    for (; _i + {0} <= _count; _i += {0}) {{\n", at_once) +
                       of_some(loads, fmt::format("        if (_i + {} <= _count) _next_ones[_u] = _all[_i / {} + {} + _u];\n", 2 * at_once, per_load_, loads)) +
                       of_some(at_once, step("_u == 0 && _i == 0", fmt::format("_now[_u / {0}].x[_u % {0}]", per_load_)));
    if (!are_read) text += of_some(loads, fmt::format("        _all[_i / {} + _u] = _now[_u];\n", per_load_));
    return text + of_some(loads, "        _now[_u] = _next_ones[_u];\n") + "    }\n    for (; _i < _count; ++_i) {\n" + step("_i == 0", "_own[_i]") + "    }\n";
  }

  const Scan& scan_;
  const int64_t chunks_, per_load_, pitch_;  ///< of a block; elements of a load; elements from a chunk to the next in shared memory
};

}  // namespace

std::string scan_text(const Scan& scan) {
  if (!scan.by_threads) return scan.form == ReduceForm::columns ? serial_columns(scan) : serial_rows(scan);
  if (scan.form == ReduceForm::few_chunks) return ChunksOfBlocks(scan).two_trips();
  if (scan.form == ReduceForm::one_trip) return ChunksOfBlocks(scan).one_trip();
  return scan.form == ReduceForm::rows ? tiles_of_warps(scan) : chunks_of_threads(scan);
}

std::string scan_parameters(const Scan& scan) {
  const std::string loop = loop_parameters(scan.loop);
  return loop + (loop.empty() ? "" : ",\n    ") + "long long _pairs, long long _per_block, long long _chunks, long long _length" + (scan.form == ReduceForm::columns ? ", long long _width" : "") +
         (scan.gives_totals                         ? ""
          : scan.form == ReduceForm::one_trip ? fmt::format(", unsigned int* _states, {}* _sums", scan.type)
                                              : fmt::format(", const {}* __restrict__ _before", scan.type));
}

ReduceLaunch scan_launch(const IterationSpace& space, ReduceForm form, bool by_threads, size_t value_bytes, int workers) {
  const int64_t length = space.lengths.back(), rows = space.size() / length, chunks = divide_up(length, scan_chunk);
  int64_t pairs = rows * chunks, elements = std::min(length, scan_chunk), width = 1;
  if (form == ReduceForm::columns && !by_threads) {
    const int64_t columns = space.lengths[space.lengths.size() - 2];
    width = strip_width(columns, elements, pairs / columns, columns_at_once(value_bytes, form, false), workers);
    pairs = pairs / columns * divide_up(columns, width);
    elements *= std::min(columns, width);
  }
  const int64_t per_block = std::max({int64_t{1}, round_up(elements_per_block / elements, int64_t{4}), divide_up(pairs, int64_t{1} << 30)});
  ReduceLaunch launch{{}, {pairs, per_block, chunks, length, width}, form == ReduceForm::columns ? 5 : 4};
  if (by_threads) {
    constexpr int64_t blocks_of_multiprocessor = 64;
    const bool are_few = form == ReduceForm::few_chunks || form == ReduceForm::one_trip;
    launch.shape.block[0] = static_cast<uint32_t>(are_few ? 32 * chunks_of_block(value_bytes) : threads_of_scan);
    const int64_t blocks = divide_up(pairs, are_few ? chunks_of_block(value_bytes) : threads_of_scan);
    launch.shape.grid[0] = static_cast<uint32_t>(form == ReduceForm::one_trip ? blocks : std::min(blocks, blocks_of_multiprocessor * workers));
  } else {
    launch.shape.grid[0] = static_cast<uint32_t>(divide_up(pairs, per_block));
  }
  return launch;
}

}  // namespace kasoku
