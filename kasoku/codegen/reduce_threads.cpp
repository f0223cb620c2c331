/// \file kasoku/codegen/reduce_threads.cpp
/// Reductions by threads that run side by side. reduce_tree.cpp has the legend of the names in the text.
#include "kasoku/codegen/reduce_lanes.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku::tree {
namespace {

/// A lane that nothing was joined to.
std::string fresh_lane(const Reduction& r, const std::string& name, const std::string& indent) {
  const std::string start = joins_all(r) ? identity(r) : r.start;
  return fmt::format("{}ks_lane {}{};\n", indent, name, start.empty() ? "" : " = " + start);
}

std::string lanes_array(const Reduction& r, const std::string& name, int64_t n, const std::string& indent) {
  return fmt::format("{}ks_lane {}[{}]{};\n", indent, name, n, starts(r, n));
}

std::string loads_of_columns(const Loop& loop, const std::string& indent) {
  std::string text;
  for (const LoopOperand& x : loop.operands)
    if (is_row_of_memory(x)) text += fmt::format("{0}const ks_four<{1}> _f_{2} = *(const ks_four<{1}>*)(_p_{2} + 4 * _column);\n", indent, x.type, x.name);
  return text;
}

/// Whether steps from row to row leave the addresses of four columns as aligned as they are.
std::string are_rows_aligned(const Loop& loop) {
  std::string bits;
  for (const LoopOperand& x : loop.operands)
    for (int d = 0; d < loop.rank; ++d)
      if (is_row_of_memory(x) && d != loop.inner) bits += fmt::format("{}((size_t)_s{}_{} & (sizeof(ks_four<{}>) - 1))", bits.empty() ? "" : " | ", d, x.name, x.type);
  return bits.empty() ? "true" : fmt::format("(({}) & 15) == 0", bits);
}

/// What a thread's columns are to the text of columns_of_threads().
struct OfColumns {
  int own;                 ///< how many it has
  size_t bytes_in_registers;  ///< of a column's lanes at once
  std::string first;       ///< the number of the first of them
  std::string type;        ///< of their lanes in shared memory
  std::string result;      ///< lane `_v` there
  std::string loads;       ///< their elements of a row, read at once
  Place loaded;            ///< where those elements are
  std::string are_whole;   ///< the condition under which that may be
};

OfColumns one_column() { return {1, 32, "_column", "ks_lane", "_shared[_column]", "", Place("_place"), ""}; }

OfColumns four_columns(const Reduction& r) {
  return {4, 16, "4 * _column", "ks_four<ks_lane>", "_shared[_column].v[_v]", loads_of_columns(r.loop, "            "), Place("_place", "_v", Place::neighbours),
          fmt::format(" && 4 * _column + 4 <= _n && {} && {}", is_aligned(r.loop, 'b', ""), are_rows_aligned(r.loop))};
}

/// Lanes of a result, `step` apart from the one named `first` on, in as many registers, and the tree's steps between them: into `_acc[0]`.
/// Lanes beyond the result's elements have the identity, so steps over them alone are left out.
std::string lanes_in_registers(const Reduction& r, const std::string& first, int64_t step, int64_t held) {
  const auto lane = [&](const std::string& k) { return fmt::format("{} + {} * {}", first, step, k); };
  return lanes_array(r, "_acc", held, "    ") + fmt::format("{}    for (int _k = 0; _k < {}; ++_k) {{\n      const int _row = {};\n", unrolled, held, lane("_k")) +
         (joins_all(r) ? fmt::format("      _acc[_k] = {};\n", identity(r)) : "") + "      if (_row < _count) {\n" +
         reduced_positions(r, "_begin + _row", "        ") + lane_of(r, {"0"}, "(_begin + _row)", "        ") +
         (joins_all(r) ? join("_acc[_k]", "_value", "        ") : set("_acc[_k]", "_value", "        ")) + "      }\n    }\n" +
         fmt::format("{0}    for (int _s = {1}; _s > 0; _s >>= 1)\n{0}      for (int _k = 0; _k < _s; ++_k) {{\n", unrolled, held / 2) +
         join_below(r, lane("(_k + _s)"), "_acc[_k]", "_acc[_k + _s]", "        ") + "      }\n";
}

}  // namespace

/// A thread meets the lanes of a row in the order in which the tree joins them, so that few of them wait. Each element of a short row
/// is a lane.
std::string rows_of_threads(const Reduction& r) {
  const std::string joined = "ks_join(_held[_level], _sum)";
  const std::string pairs = r.is_range ? pairs_of_range : fmt::format("  for (long long _pair = (long long)blockIdx.x * {0} + threadIdx.x; _pair < _pairs; _pair += (long long)gridDim.x * {0}) {{\n", threads_of_block);
  const std::string each = r.is_range ? fmt::format("      for (int _row = _lane; _row < _count; _row += {}) {{\n", chunk_lanes) : "      const int _row = _lane;\n      if (_row < _count) {\n";
  const int held = r.is_range ? 12 : 6;
  return pairs + pair_numbers(r) + output_positions(r) + lanes_array(r, "_held", held, "    ") +
         fmt::format("    const int _lanes = _count < {0} ? _count : {0};\n    int _bits = 0;\n    while ((1 << _bits) < _lanes) ++_bits;\n    for (int _i = 0; _i < 1 << _bits; ++_i) {{\n"
                     "      const int _lane = _bits ? (int)(__brev((unsigned)_i) >> (32 - _bits)) : 0;\n", chunk_lanes) +
         fresh_lane(r, "_sum", "      ") + each +
         reduced_positions(r, "_begin + _row", "        ") + lane_of(r, {"0"}, "(_begin + _row)", "        ") +
         (joins_all(r) ? join("_sum", "_value", "        ")
          : r.is_range ? "        if (_row < " + std::to_string(chunk_lanes) + ") _sum = _value;\n        else " + join("_sum", "_value", "")
                       : set("_sum", "_value", "        ")) + "      }\n" +
         "      int _level = 0;\n      for (; _i >> _level & 1; ++_level) _sum = " +
         (joins_all(r) ? joined : fmt::format("_level > 0 || _lane < _count ? {} : _held[0]", joined)) + ";\n      _held[_level] = _sum;\n" +
         "    }\n" + store(r, number_of_pair(r), "_held[_bits]", "    ") + "  }\n";
}

/// A thread has a column, or four neighbours, and of their lanes those that the last five steps of the tree join with those of the
/// block's other warps: so many at once as stay in registers. Many warps read neighbouring rows at a time, which memory likes. Where there
/// is much to read, blocks have parts of a chunk's lanes and neighbouring blocks neighbouring rows: all of them then read near one another.
std::string columns_of_threads(const Reduction& r) {
  const OfColumns of = has_four_columns(r.form) ? four_columns(r) : one_column();
  const bool is_split = r.form == ReduceForm::split_columns;
  const int parts = static_cast<int>(threads_of_columns(r.form) / 32), lanes_of_warp = static_cast<int>(chunk_lanes / parts_of_chunk(r.form)) / parts;
  const int own = of.own, most = std::max(2, static_cast<int>(of.bytes_in_registers / (r.value_bytes * (r.keeps_position ? 2 : 1))));
  const int at_once = std::min({most, r.copies, lanes_of_warp}), passes = lanes_of_warp / at_once;
  const auto of_chunk = [&](const std::string& lane) { return is_split ? fmt::format("({}) * {} + _apart", lane, lanes_apart) : lane; };
  const auto lane_number = [&](const std::string& q) { return of_chunk(fmt::format("_part + {} * ({} * {} + _pass)", parts, passes, q)); };
  const auto of_own = [&](const std::string& body, const std::string& indent) {
    return fmt::format("{0}{1}for (int _v = 0; _v < {2}; ++_v) {{\n{1}  const int _place = {3} + _v;\n{4}{1}}}\n", unrolled, indent, own, of.first, body);
  };
  const auto lanes = [&](const std::string& first, const std::string& limit, bool is_whole, bool is_start) {
    // Counts that are constants leave no quotient of moments to be computed.
    return fmt::format("{}        for (int _k = {}; _k < {}; _k += {}) {{\n{}          for (int _q = 0; _q < {}; ++_q) {{\n            const int _e = {} + _k;\n{}",
                       is_whole && r.counts_elements ? unrolled : "", first, limit, chunk_lanes, unrolled, at_once, lane_number("_q"), is_whole ? "" : "            if (_e >= _count) continue;\n") +
           reduced_positions(r, "_begin + _e", "            ") + (is_whole ? of.loads : "") +
           of_own((is_whole ? "" : "              if (_place >= _n) continue;\n") + lane_of(r, is_whole ? of.loaded : Place("_place"), "_begin + _e", "              ") +
                      (is_start ? set("_acc[_q][_v]", "_value", "              ")
                       : is_whole ? take(r, "_acc[_q][_v]", fmt::format("_k / {}", chunk_lanes), "              ")
                                  : join("_acc[_q][_v]", "_value", "              ")), "            ") +
           "          }\n        }\n";
  };
  const auto all_lanes = [&](const std::string& limit, bool is_whole) {
    if (joins_all(r)) return lanes("0", limit, is_whole, false);
    return lanes("0", "1", is_whole, true) + lanes(std::to_string(chunk_lanes), limit, is_whole, false);
  };
  // A thread's columns are one value of shared memory, which is read and written in one piece. A user's type may have a constructor, which
  // nothing that is shared may have.
  const std::string shared = "_shared[32 * _part + _column]", below = "_shared[32 * (_part + _s) + _column]";
  // A thread's own columns, in the one piece that is written.
  const auto whole = [&](const std::string& from, const std::string& body, const std::string& indent) {
    return fmt::format("{0}ks_four<ks_lane> _own{1};\n", indent, from) + of_own(body, indent) + set(shared, "_own", indent);
  };
  return (r.is_users ? fmt::format("  __shared__ __align__(16) unsigned char _storage[{} * sizeof(ks_lane)];\n  ks_lane* const _shared = (ks_lane*)_storage;\n", threads_of_columns(r.form))
                     : fmt::format("  __shared__ {} _shared[{}];\n", of.type, threads_of_columns(r.form))) +
         "  const int _column = threadIdx.x & 31, _part = threadIdx.x >> 5;\n" +
         // A block of a split chunk has no other: a loop's bounds would take registers from what waits for memory.
         (is_split ? fmt::format("  {{\n    const {0} _block = blockIdx.x, _pair = _block / {1};\n    const int _apart = (int)(_block % {1});\n", r.count_type(), lanes_apart)
                   : std::string("  for (long long _pair = blockIdx.x; _pair < _pairs; _pair += gridDim.x) {\n")) +
         pair_numbers(r) + strip_of_columns(r) +
         fmt::format("    if ({} < _n) {{\n      ks_lane _sums[{}][{}]{};\n", of.first, passes, own, starts(r, passes * own)) +
         fmt::format("#pragma unroll 1\n      for (int _pass = 0; _pass < {}; ++_pass) {{\n        ks_lane _acc[{}][{}]{};\n", passes, at_once, own, starts(r, at_once * own)) +
         (joins_all(r) ? fmt::format("{}        for (int _q = 0; _q < {}; ++_q)\n", unrolled, at_once) + of_own(set("_acc[_q][_v]", identity(r), "            "), "          ") : "") +
         fmt::format("        if (_count == {}{}) {{\n", chunk_elements, of.are_whole) +
         all_lanes(std::to_string(chunk_elements), true) + "        } else {\n" + all_lanes("_count", false) +
         fmt::format("        }}\n{0}        for (int _s = {1}; _s > 0; _s >>= 1)\n{0}          for (int _q = 0; _q < _s; ++_q)\n", unrolled, at_once / 2) +
         of_own(join_below(r, lane_number("(_q + _s)"), "_acc[_q][_v]", "_acc[_q + _s][_v]", "              "), "            ") +
         of_own(set("_sums[_pass][_v]", "_acc[0][_v]", "          "), "        ") +
         fmt::format("      }}\n      for (int _s = {}; _s > 0; _s >>= 1)\n        for (int _q = 0; _q < _s; ++_q)\n", passes / 2) +
         of_own(join_below(r, of_chunk(fmt::format("_part + {} * (_q + _s)", parts)), "_sums[_q][_v]", "_sums[_q + _s][_v]", "            "), "          ") +
         (own > 1 ? whole("", set("_own.v[_v]", "_sums[0][_v]", "        "), "      ") : set(shared, "_sums[0][0]", "      ")) +
         fmt::format("    }}\n    for (int _s = {}; _s > 0; _s >>= 1) {{\n      __syncthreads();\n      if (_part < _s && {} < _count && {} < _n) {{\n", parts / 2, of_chunk("_part + _s"), of.first) +
         (own > 1 ? whole(" = " + shared, join("_own.v[_v]", below + ".v[_v]", "          "), "        ") : join(shared, below, "        ")) +
         "      }\n    }\n    if (_part == 0)\n" + of_own("        if (_place < _n) {\n" + store_column(r, of.result, "          ") + "        }\n", "      ") +
         "    __syncthreads();\n  }\n";
}

/// A block's 256 threads hold the lanes of a chunk. Where memory is read four neighbours at a time they are 4t … 4t+3, and one of the
/// block's warps joins them while the others go on to the next chunk: hence two places for lanes, if they have room. Else they are t,
/// t + 256, t + 512 and t + 768, of which each thread joins its own, so that a value of any size finds room. Where elements may be joined
/// in any order, all chunks of a block go into the same lanes, which are joined at its end.
std::string rows_of_blocks(const Reduction& r) {
  constexpr size_t room = 48 << 10;
  const int places = 2 * chunk_lanes * r.value_bytes * (r.keeps_position ? 2 : 1) <= room ? 2 : 1;
  const bool is_row = r.loop.rank - r.kept_rank == 1, by_fours = r.calls_for_four != nullptr, joins_at_end = r.form == ReduceForm::any_order;
  const auto first_of = [&](int k) { return r.loads_fours ? std::to_string(k) : std::to_string(threads_of_block * k); };
  const auto lane_name = [](int k) { return fmt::format("_acc{}", k); };
  std::string text = joins_at_end    ? fmt::format("  __shared__ ks_four<ks_lane> _shared[{}];\n", chunk_lanes / 4)
                     : r.loads_fours ? fmt::format("  __shared__ ks_four<ks_lane> _shared[{}];\n  int _turn = 0;\n", places * chunk_lanes / 4)
                                     : fmt::format("  __shared__ __align__(16) unsigned char _storage[{} * sizeof(ks_lane)];\n  ks_lane* const _shared = (ks_lane*)_storage;\n", threads_of_block);
  std::string lanes;
  for (int k = 0; k < 4; ++k) lanes += fresh_lane(r, lane_name(k), joins_at_end ? "  " : "    ");
  text += "  const int _t = threadIdx.x;\n" + (joins_at_end ? lanes : "") +
          fmt::format("  for (long long _pair = blockIdx.x; _pair < _pairs; _pair += gridDim.x{}) {{\n", r.loads_fours && !joins_at_end ? ", ++_turn" : "") +
          pair_numbers(r) + output_positions(r) + (joins_at_end ? "" : lanes);
  const bool starts_with_elements = has_numbers(r) || !joins_all(r);
  const auto lane_there = [&](int k, const Place& place, const std::string& indent) {
    const std::string number = fmt::format("(_begin + _row + {})", first_of(k));
    return lane_of(r, place, number, has_short_positions(r) ? fmt::format("(_row + {})", first_of(k)) : number, indent);
  };
  const auto take = [&](int k, const std::string& indent) {
    const std::string lane = lane_name(k);
    if (!has_numbers(r)) return fmt::format("{0}{1} = {2}({1}, _value);\n", indent, lane, r.take);
    return fmt::format("{0}{1} = ks_one_of({2} | (_value.value != _value.value & {1}.value == {1}.value), {1}, _value);\n", indent, lane, r.join("_value.value", lane + ".value"));
  };
  const auto calls = [&](const std::string& indent) { return by_fours ? r.calls_for_four("0", indent) : std::string(); };
  const auto row_start = [&] { return reduced_positions(r, "_begin + _row", "        ") + calls("        "); };
  const std::string own = r.loads_fours ? "4 * _t" : "_t";
  // A whole chunk: no guards, and of neighbours 16 bytes at a time.
  const auto whole = [&](int first, int turns, bool is_start) {
    std::string body = fmt::format("{0}      for (int _k = {1}; _k < {2}; ++_k) {{\n        const int _row = {3} + _k * {4};\n",
                                   turns > 1 ? r.copies / 4 >= turns ? std::string(unrolled) : fmt::format("#pragma unroll {}\n", std::max(1, r.copies / 4)) : "", first, first + turns, own, chunk_lanes);
    if (r.loads_fours) body += row_start() + loads_of_few(r.loop, "ks_four", "        ");
    for (int k = 0; k < 4; ++k) {
      body += "        {\n";
      if (!r.loads_fours) body += reduced_positions(r, fmt::format("_begin + _row + {}", first_of(k)), "          ");
      body += lane_there(k, r.loads_fours ? Place(std::to_string(k), k, true) : Place("0"), "          ") + (is_start ? set(lane_name(k), "_value", "          ") : take(k, "          ")) + "        }\n";
    }
    return body + "      }\n";
  };
  constexpr int turns = chunk_elements / chunk_lanes;
  const std::string alignment = r.loads_fours ? is_aligned(r.loop, 'b', " + _begin") : "true";
  const bool has_whole = is_row || !r.loads_fours;
  if (has_whole) text += fmt::format("    if (_count == {} && {}) {{\n", chunk_elements, alignment) + (starts_with_elements ? whole(0, 1, true) + whole(1, turns - 1, false) : whole(0, turns, false)) + "    } else {\n";
  else text += "    {\n";
  text += fmt::format("      for (int _row = {}; _row < _count; _row += {}) {{\n", own, chunk_lanes);
  if (by_fours) text += row_start();
  for (int k = 0; k < 4; ++k) {
    const std::string indent = "          ", deeper = indent + "  ";
    text += fmt::format("        if (_row + {} < _count) {{\n", first_of(k));
    if (!by_fours) text += reduced_positions(r, fmt::format("_begin + _row + {}", first_of(k)), indent);
    const Place place = by_fours ? Place(std::to_string(k), k) : Place("0");
    text += lane_there(k, place, indent);
    if (starts_with_elements) text += fmt::format("{0}if (_row < {1}) {2} = _value;\n{0}else\n", indent, chunk_lanes, lane_name(k)) + take(k, deeper);
    else text += take(k, indent);
    text += "        }\n";
  }
  text += "      }\n    }\n";
  if (joins_at_end)
    return text + "  }\n  _shared[_t] = {{_acc0, _acc1, _acc2, _acc3}};\n  __syncthreads();\n  if (_t < 32) {\n    const ks_lane _sum = ks_join_chunk(_shared, _t, 0);\n    if (_t == 0) {\n" +
           store(r, "blockIdx.x", "_sum", "      ") + "    }\n  }\n";
  if (r.loads_fours) {
    const auto joined = [](int n) { return fmt::format("ks_join_chunk(_lanes, _t & 31, {})", n); };
    // A count that is known folds the divisions by it away, for which the other warps would wait.
    const std::string sum = r.counts_elements ? fmt::format("_count == {} ? {} : {}", chunk_elements, joined(turns), joined(0))
                            : joins_all(r)    ? joined(0)
                                              : fmt::format("_count < {} ? ks_join_few(&_lanes->v[0], _t & 31, _count) : {}", chunk_lanes, joined(0));
    text += fmt::format("    ks_four<ks_lane>* const _lanes = _shared + (_turn & {}) * {};\n    _lanes[_t] = {{{{_acc0, _acc1, _acc2, _acc3}}}};\n"
                        "    __syncthreads();\n    if ((_t >> 5) == (_turn & 7)) {{\n      const ks_lane _sum = {};\n      if ((_t & 31) == 0) {{\n",
                        places - 1, chunk_lanes / 4, sum);
    return text + store(r, number_of_pair(r), "_sum", "        ") + "      }\n    }\n" + (places == 1 ? "    __syncthreads();\n" : "") + "  }\n";
  }
  text += join_below(r, "_t + 512", "_acc0", "_acc2", "    ") + join_below(r, "_t + 768", "_acc1", "_acc3", "    ") + join_below(r, "_t + 256", "_acc0", "_acc1", "    ") +
          "    _shared[_t] = _acc0;\n    __syncthreads();\n"
          "    for (int _s = 128; _s > 16; _s >>= 1) {\n      if (_t < _s && _t + _s < _count) _shared[_t] = ks_join(_shared[_t], _shared[_t + _s]);\n      __syncthreads();\n    }\n"
          "    for (int _s = 16; _s > 0; _s >>= 1) {\n      if (_t < _s && _t + _s < _count) _shared[_t] = ks_join(_shared[_t], _shared[_t + _s]);\n      __syncwarp();\n    }\n"
          "    if (_t == 0) {\n";
  return text + store(r, number_of_pair(r), "_shared[0]", "      ") + "    }\n    __syncthreads();\n  }\n";
}

/// A warp's thread holds lanes l, l + 32, …: the tree's upper steps are in its registers.
std::string rows_of_warps(const Reduction& r) {
  return "  const int _l = threadIdx.x & 31, _warp = threadIdx.x >> 5;\n" +
         fmt::format("  for (long long _pair = (long long)blockIdx.x * {0} + _warp; _pair < _pairs; _pair += (long long)gridDim.x * {0}) {{\n", warps_of_block) +
         pair_numbers(r) + output_positions(r) + lanes_in_registers(r, "_l", 32, warp_row / 32) +
         fmt::format("    ks_lane _sum = _acc[0];\n{}    for (int _s = 16; _s > 0; _s >>= 1) ", unrolled) +
         (joins_all(r) ? "_sum = ks_join(_sum, ks_from_lane(_sum, _s));\n"
                       : "{\n      const ks_lane _other = ks_from_lane(_sum, _s);\n      if (_l < _s && _l + _s < _count) _sum = ks_join(_sum, _other);\n    }\n") +
         "    if (_l == 0) {\n" + store(r, number_of_pair(r), "_sum", "      ") + "    }\n  }\n";
}

/// Neighbouring threads have neighbouring columns.
std::string columns_of_one_thread(const Reduction& r) {
  return fmt::format("  for (long long _pair = (long long)blockIdx.x * {0} + threadIdx.x; _pair < _pairs; _pair += (long long)gridDim.x * {0}) {{\n", threads_of_block) +
         pair_numbers(r) + output_positions(r) + lanes_in_registers(r, "0", 1, short_column) + store(r, number_of_pair(r), "_acc[0]", "    ") + "  }\n";
}

}  // namespace kasoku::tree
