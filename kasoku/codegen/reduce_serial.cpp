/// \file kasoku/codegen/reduce_serial.cpp
/// Reductions whose blocks are one thread: lanes are an array, and loops over them become vectors. reduce_tree.cpp has the
/// legend of the names in the text.
#include "kasoku/codegen/reduce_lanes.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku::tree {
namespace {

constexpr const char* vectorise = "#pragma clang loop vectorize(assume_safety)\n";

/// Elements that lie apart are gathered, which takes many cycles and then waits for the same of the vector before: four at a time do not.
std::string vectorised(const Reduction& r) {
  const bool gathers = std::ranges::any_of(r.loop.operands, [](const LoopOperand& x) { return x.kind == Walk::memory && x.inner == Inner::strided; });
  return gathers ? "#pragma clang loop vectorize(assume_safety) interleave_count(4)\n" : vectorise;
}

/// A tile's squares: elements of so many lines, so many of each; and how many lines' squares are side by side.
constexpr int64_t tile_side = 16, lines_at_once = 64;

bool has_moments(const Reduction& r) { return r.type.starts_with("ks_moments"); }

/// The type of so many lanes in memory.
std::string lanes_typedef(const Reduction& r, const std::string& name, int64_t n) {
  return has_moments(r) ? fmt::format("  typedef ks_moments_row{}, {}> {};\n", r.type.substr(std::string_view("ks_moments").size(), r.type.size() - std::string_view("ks_moments>").size()), n, name)
                        : fmt::format("  typedef ks_lane {}[{}];\n", name, n);
}

/// A block without threads takes some pairs.
std::string pairs_of_block(const Reduction& r) {
  if (r.is_range) return pairs_of_range;
  return "  const long long _last = (blockIdx.x + 1ll) * _per_block < _pairs ? (blockIdx.x + 1ll) * _per_block : _pairs;\n"
         "  for (long long _pair = blockIdx.x * _per_block; _pair < _last; ++_pair) {\n";
}

/// Rank 1: positions are affine in the element's number. Else the walk goes from
/// one row of the innermost axis to the next.
std::string walk(const Reduction& r, const std::string& start, const std::string& limit,
                 const std::string& indent, const auto& loop) {
  const int first = r.kept_rank, last = r.loop.rank;
  if (last - first == 1)
    return fmt::format("{0}const long long _at = {1}, _n = {2}, _done = 0;\n", indent, start, limit) +
           positions(r.loop, first, last, "_at", false, 'b', 'p', indent) + loop(indent);
  const std::string deeper = indent + "  ";
  return fmt::format("{0}for (long long _done = 0, _n; _done < {1}; _done += _n) {{\n{2}const long long _at = {3} + _done;\n", indent, limit, deeper, start) +
         positions(r.loop, first, last, "_at", false, 'b', 'p', deeper) +
         fmt::format("{0}const long long _left = _n{1} - _i{1};\n{0}_n = _left < {2} - _done ? _left : {2} - _done;\n", deeper, last - 1, limit) +
         loop(deeper) + indent + "}\n";
}

/// Numbers of a chunk's elements are as wide as the values, so that both fill a vector.
const char* number_type(const Reduction& r) { return r.value_bytes <= 2 ? "short" : r.value_bytes == 4 ? "int" : "long long"; }

/// Whether `value` takes the place of `known`, which came before it; their numbers are not asked for.
std::string goes_first(const Reduction& r, const std::string& value, const std::string& known) {
  return fmt::format("{1} | ({0} != {0} & {2} == {2})", value, r.join(value, known), known);
}
/// The same where an equal value may take it too, which is two comparisons and not three.
std::string goes_first_or_is_equal(const Reduction& r, const std::string& value, const std::string& known) {
  return fmt::format("!({}) & ({} == {})", r.join(known, value), known, known);
}

/// The best value of a chunk whose elements cost little, and then its first place, for which the chunk is looked at again: both by strips
/// of a constant length, which are straight vectors. What is best depends on no order, and an element may be met twice, so the last
/// strip begins where it ends with the last element. A NaN equals nothing, and where the best is none there is none.
std::string best_and_its_place(const Reduction& r) {
  constexpr int strip = 64, few = 8;
  const char* const wide = r.value_bytes == 1 ? "signed char" : r.value_bytes == 2 ? "short" : r.value_bytes == 4 ? "int" : "long long";  // as wide as values
  const auto element = [&](const std::string& place, const std::string& indent) { return r.element({place}, fmt::format("(_at + {})", place), indent); };
  const auto over = [&](int n, const std::string& indent, const std::string& body) {
    return fmt::format("{0}{1}for (int _k = 0; _k < {2}; ++_k) {{\n{1}  const long long _place = _from + _k;\n{3}{1}}}\n", vectorise, indent, n, element("_place", indent + "  ") + body);
  };
  const auto strips = [&](int n, const std::string& goes_on, const std::string& indent, const std::string& body) {
    return fmt::format("{0}for (long long _from = 0, _end = _n - {1}; {2}; _from += {1}) {{\n{3}{0}  if (_from == _end) break;\n"
                       "{0}  if (_from + {1} > _end) _from = _end - {1};\n{0}}}\n", indent, n, goes_on, body);
  };
  const auto one_by_one = [&](const std::string& goes_on, const std::string& indent, const std::string& body) {
    return fmt::format("{0}for (long long _place = 0; _place < _n{1}; ++_place) {{\n{2}{0}}}\n", indent, goes_on, element("_place", indent + "  ") + body);
  };
  const auto better = [&](const std::string& best, const std::string& value, const std::string& indent) {
    return fmt::format("{0}{1} = {2};\n", indent, best, choice(r, goes_first_or_is_equal(r, value, best), value, best));
  };
  // Lanes of a strip that nobody else has stay in registers.
  const auto best_of_strips = [&](int n, const std::string& indent) {
    std::string text = fmt::format("{0}{1} _best[{2}];\n{3}{0}for (int _k = 0; _k < {2}; ++_k) _best[_k] = {4};\n", indent, r.type, n, unrolled, r.identity) +
                       strips(n, "", indent, over(n, indent + "  ", better("_best[_k]", r.value, indent + "    ")));
    for (int half = n / 2; half > 0; half /= 2)
      text += fmt::format("{0}{1}for (int _k = 0; _k < {2}; ++_k) {3}", half >= few ? vectorise : unrolled, indent, half, better("_best[_k]", fmt::format("_best[_k + {}]", half), ""));
    return text + better("_wanted", "_best[0]", indent);
  };
  std::string text = fmt::format("    {0} _wanted = {1};\n    {{\n", r.type, r.identity);
  text += walk(r, "_begin", "_count", "      ", [&](const std::string& indent) {
    return fmt::format("{0}if (_n >= {1}) {{\n{2}{0}}} else if (_n >= {3}) {{\n{4}{0}}} else {{\n{5}{0}}}\n", indent, strip, best_of_strips(strip, indent + "  "), few,
                       best_of_strips(few, indent + "  "), one_by_one("", indent + "  ", better("_wanted", r.value, indent + "    ")));
  }) + "    }\n    long long _found = -1;\n    {\n";
  const std::string is_wanted = fmt::format("{} == _wanted", r.value);
  text += walk(r, "_begin", "_count", "      ", [&](const std::string& indent) {
    const std::string deeper = indent + "    ";
    const auto in_strip = [&](int n) {
      return fmt::format("{0}{1} _is_here = 0;\n", deeper, wide) + over(n, deeper, fmt::format("{0}  _is_here |= ({1})({2});\n", deeper, wide, is_wanted)) +
             fmt::format("{0}if (_is_here) {{\n{0}  {1} _first = {2};\n", deeper, wide, n) +
             over(n, deeper + "  ", fmt::format("{0}    const {1} _here = {2} ? ({1})_k : ({1}){3};\n{0}    _first = _here < _first ? _here : _first;\n", deeper, wide, is_wanted, n)) +
             fmt::format("{0}  _found = _done + _from + _first;\n{0}  break;\n{0}}}\n", deeper);
    };
    return (r.loop.rank - r.kept_rank == 1 ? "" : indent + "if (_found >= 0) break;\n") +
           fmt::format("{0}if (_wanted != _wanted) {{\n{1}{0}}} else if (_n >= {2}) {{\n{3}{0}}} else if (_n >= {4}) {{\n{5}{0}}} else {{\n{6}{0}}}\n", indent,
                       one_by_one(" && _found < 0", indent + "  ", fmt::format("{0}if ({1} != {1}) _found = _done + _place;\n", deeper, r.value)), strip,
                       strips(strip, "", indent + "  ", in_strip(strip)), few, strips(few, "", indent + "  ", in_strip(few)),
                       one_by_one(" && _found < 0", indent + "  ", fmt::format("{}if ({}) _found = _done + _place;\n", deeper, is_wanted)));
  }) + "    }\n";
  return text;
}

/// A chunk in which no lane has two elements: those that the tree's first step joins are read together.
std::string one_row_of_lanes(const Reduction& r) {
  const auto there = [&](const char* number, const char* name) {
    const std::string given = joins_all(r) ? fmt::format("ks_join({}, _value)", identity(r)) : "_value";
    return fmt::format("        {{\n        const long long _place = {};\n", number) + lane_of(r, {"_place"}, "(_at + _place)", "        ") +
           set(name, given, "        ") + "        }\n";
  };
  const std::string start = r.start.empty() ? "" : " = " + r.start;
  const auto over = [&](const char* from, const char* to, const std::string& body) {
    return fmt::format("{}      for (int _l = {}; _l < {}; ++_l) {{\n{}      }}\n", vectorise, from, to, body);
  };
  return fmt::format("    if (_count > 1 && _count <= {}) {{\n      _active = _half = 1 << (31 - __clz((int)_count - 1));\n      const int _both = (int)_count - _half;\n"
                     "      const long long _at = _begin;\n", chunk_lanes) +
         positions(r.loop, r.kept_rank, r.loop.rank, "_at", false, 'b', 'p', "      ") +
         over("0", "_both", fmt::format("        ks_lane _first{0}, _second{0};\n", start) + there("_l", "_first") + there("_l + _half", "_second") + set("_acc[_l]", "ks_join(_first, _second)", "        ")) +
         over("_both", "_half", there("_l", "_acc[_l]")) + "    }\n";
}

/// The first rows of a chunk, where lanes are so many numbers that to read and write them for each row were most of the work: several
/// rows are joined in registers, where it is known how many elements a lane has.
std::string first_rows_in_registers(const Reduction& r) {
  const auto rows = [&](int n) {
    std::string text = fmt::format("      const long long _at = _begin;\n") + positions(r.loop, r.kept_rank, r.loop.rank, "_at", false, 'b', 'p', "      ") +
                       fmt::format("{}      for (int _l = 0; _l < {}; ++_l) {{\n        ks_lane _lane = {};\n", vectorise, chunk_lanes, identity(r));
    for (int k = 0; k < n; ++k)
      text += fmt::format("        {{\n          const long long _place = _l + {};\n", k * chunk_lanes) + lane_of(r, {"_place"}, "(_at + _place)", "          ") +
              join("_lane", "_value", "          ") + "        }\n";
    return text + fmt::format("        _acc[_l] = _lane;\n      }}\n      _row = {};\n", n * chunk_lanes);
  };
  constexpr int all = chunk_elements / chunk_lanes, half = all / 2;
  return fmt::format("    long long _row = 0;\n    if (_count == {}) {{\n{}    }} else if (_count >= {}) {{\n{}    }} else {{\n", chunk_elements, rows(all), half * chunk_lanes, rows(half));
}

/// Lanes are an array, and the loops over it become vectors. `memory` of them, and what reduces a chunk.
struct SerialRows {
  std::string memory, chunk;
};

SerialRows serial_chunks(const Reduction& r) {
  const bool by_fours = !r.head_of_fours.empty();
  // Within a lane the elements' numbers grow.
  const bool has_numbers = tree::has_numbers(r) && !by_fours;
  if (has_numbers && r.is_short) return {"", best_and_its_place(r) + "    const ks_lane _best_lane = {_wanted, _begin + _found};\n" + store(r, number_of_pair(r), "_best_lane", "    ")};
  // Else each lane starts from the identity.
  const bool starts_with_elements = has_numbers || !joins_all(r);
  const char* const number = number_type(r);
  // Of a user's type memory alone, as it may have no value to begin with.
  std::string memory = r.is_users && r.value_bytes == 0 ? fmt::format("  __align__(16) unsigned char _storage[{} * sizeof(ks_lane)];\n  ks_lane* const _acc = (ks_lane*)_storage;\n", chunk_lanes)
                     : has_numbers ? fmt::format("  {} _best[{}];\n", r.type, chunk_lanes)
                                   : lanes_typedef(r, "ks_lanes", chunk_lanes) + "  ks_lanes _acc;\n";
  if (has_numbers) memory += fmt::format("  {} _at_best[{}];\n", number, chunk_lanes);
  std::string text = fmt::format("    const int _lanes = (int)({1} ? {0} : _count < {0} ? _count : {0});\n", chunk_lanes, int{by_fours});
  if (starts_with_elements && !r.start.empty()) text += set("_acc[0]", r.start, "    ");
  // The tree's step from some lanes to half of them.
  const std::string step =
      has_numbers ? fmt::format("        const bool _goes_first = ks_goes_first({}, _best[_l], _at_best[_l], _best[_l + _s], _at_best[_l + _s]);\n"
                                  "        _best[_l] = {};\n        _at_best[_l] = _goes_first ? _at_best[_l + _s] : _at_best[_l];\n",
                                  r.join("_best[_l + _s]", "_best[_l]"), choice(r, "_goes_first", "_best[_l + _s]", "_best[_l]"))
                    : join("_acc[_l]", "_acc[_l + _s]", "        ");
  const bool meets_halves = !by_fours && r.is_short && r.loop.rank - r.kept_rank == 1 && !has_numbers;
  if (!by_fours) text += "    int _active = _lanes, _half = 0;\n";
  if (meets_halves) text += one_row_of_lanes(r) + "    if (_half == 0) {\n";
  const bool begins_in_registers = r.counts_elements && meets_halves;
  text += begins_in_registers ? first_rows_in_registers(r) : "    long long _row = 0;\n";
  if (!starts_with_elements) text += fmt::format("    for (int _l = 0; _l < _lanes; ++_l) _acc[_l] = {};\n", identity(r));
  text += fmt::format("{1}    for (; _row < _count; _row += {0}) {{\n"
                      "      const long long _here = _count - _row < {0} ? _count - _row : {0};\n", chunk_lanes, begins_in_registers ? "    }\n" : "");
  if (by_fours) {
    const int first = r.kept_rank;
    text += "      const long long _at = _begin + _row;\n" + positions(r.loop, first, first + 1, "_at", false, 'b', 'p', "      ");
    text += "      const long long fours = _here >> 2;\n" + r.head_of_fours;
    for (int k = 0; k < 4; ++k)
      text += "        {\n" + lane_of(r, {fmt::format("(4 * t + {})", k), k}, fmt::format("(_at + 4 * t + {})", k), "          ") +
              join(fmt::format("_acc[{} + t]", 256 * k), "_value", "          ") + "        }\n";
    text += "      }\n      for (long long _place = 4 * fours; _place < _here; ++_place) {\n" + lane_of(r, {"_place"}, "(_at + _place)", "        ") +
            join("_acc[256 * (_place & 3) + (_place >> 2)]", "_value", "        ") + "      }\n";
  } else {
    text += walk(r, "_begin + _row", "_here", "      ", [&](const std::string& indent) {
      const auto over = [&](const std::string& body) { return fmt::format("{0}{1}for (long long _place = 0; _place < _n; ++_place) {{\n{2}{1}}}\n", vectorised(r), indent, body); };
      const std::string deeper = indent + "  ";
      if (!starts_with_elements) return over(lane_of(r, {"_place"}, "(_at + _place)", deeper) + take(r, "_acc[_done + _place]", fmt::format("_row / {}", chunk_lanes), deeper));
      std::string start, next;
      if (has_numbers) {
        start = next = r.element({"_place"}, "(_at + _place)", deeper);
        start += fmt::format("{0}_best[_done + _place] = {1};\n", deeper, r.value);
        next += fmt::format("{0}const auto _known = _best[_done + _place];\n{0}const bool _goes_first = {1};\n"
                            "{0}_best[_done + _place] = {2};\n", deeper, goes_first(r, r.value, "_known"),
                            choice(r, "_goes_first", r.value, "_known"));
        start += fmt::format("{0}_at_best[_done + _place] = ({1})(_done + _place);\n", deeper, number);
        next += fmt::format("{0}_at_best[_done + _place] = _goes_first ? ({1})(_row + _done + _place) : _at_best[_done + _place];\n", deeper, number);
      } else {
        const std::string lane = lane_of(r, {"_place"}, "(_at + _place)", deeper);
        start = lane + set("_acc[_done + _place]", "_value", deeper);
        next = lane + join("_acc[_done + _place]", "_value", deeper);
      }
      return indent + "if (_row == 0) {\n" + over(start) + indent + "} else {\n" + over(next) + indent + "}\n";
    });
  }
  text += meets_halves ? "    }\n    }\n" : "    }\n";
  if (by_fours) {
    text += fmt::format("    for (int _s = 128; _s > 0; _s >>= 1)\n      for (int _k = 0; _k < {0}; _k += 256) {{\n{1}        for (int _l = 0; _l < _s; ++_l) {{\n", chunk_lanes, vectorise) +
            join("_acc[_k + _l]", "_acc[_k + _l + _s]", "          ") + "        }\n      }\n";
    for (const auto& [a, b] : {std::pair{0, 512}, {256, 768}, {0, 256}}) text += join(fmt::format("_acc[{}]", a), fmt::format("_acc[{}]", b), "    ");
  } else {
    // The last steps have constant lengths where lanes are many: they are straight vectors.
    std::string last_steps;
    for (const int n : {8, 4, 2, 1})
      last_steps += fmt::format("        {{\n        constexpr int _s = {0};\n{1}        for (int _l = 0; _l < {0}; ++_l) {{\n{2}        }}\n        }}\n", n, unrolled, step);
    text += fmt::format("    for (int _s = _half > 0 ? _half >> 1 : {}; _s > 0; _s >>= 1) {{\n      if (_s == 8 && _active == 16) {{\n{}        break;\n      }}\n"
                        "      const int _m = _active - _s < _s ? _active - _s : _s;\n{}      for (int _l = 0; _l < _m; ++_l) {{\n{}      }}\n      if (_active > _s) _active = _s;\n    }}\n",
                        chunk_lanes / 2, last_steps, vectorise, step);
  }
  if (has_numbers) text += "    const ks_lane _best_lane = {_best[0], _begin + _at_best[0]};\n";
  return {memory, text + store(r, number_of_pair(r), has_numbers ? "_best_lane" : "_acc[0]", "    ")};
}

}  // namespace

std::string serial_rows(const Reduction& r) {
  const SerialRows rows = serial_chunks(r);
  return rows.memory + pairs_of_block(r) + pair_numbers(r) + output_positions(r) + rows.chunk + "  }\n";
}

/// Neighbours in memory lie in neighbouring lines: elements that one step along the loop's axis takes. So a block brings the elements
/// of several chunks into its memory, by squares of which lines of memory are read whole, and reduces them there as rows.
std::string serial_tiles(const Reduction& r) {
  const int first = r.kept_rank, last = r.loop.rank, along = r.loop.inner;
  const int64_t most = chunks_of_tile(r.value_bytes);
  Reduction there = r;
  there.loop = Loop{{{"_tile", r.type, Inner::unit}}, 1, 0, true};
  there.kept_rank = 0;
  there.is_short = true;
  there.element = [&there](const Place& place, const std::string&, const std::string& indent) {
    return fmt::format("{}const {}& _left_there = {};\n", indent, there.type, value_at(there.loop, there.loop.operands[0], place));
  };
  there.value = "_left_there";
  const SerialRows rows = serial_chunks(there);
  const auto memory = [&](const char* name, int64_t n) {
    // A user's type may have a constructor.
    return r.is_users ? fmt::format("  __align__(16) unsigned char {0}_storage[{1} * sizeof({2})];\n  {2}* const {0} = ({2}*){0}_storage;\n", name, n, r.type)
                      : fmt::format("  {} {}[{}];\n", r.type, name, n);
  };
  const std::string numbers = last - first == 2 ? fmt::format("              const ks_index _i{} = _line + _first_line, _i{} = _i + _r;\n", first, first + 1) : "";
  // The next square's lines are far from these, so that no processor fetches them by itself.
  std::string ahead;
  for (const LoopOperand& x : r.loop.operands)
    if (x.kind == Walk::memory) ahead += fmt::format("              __builtin_prefetch((const char*)_p_{0} + {1} * _s{2}_{0});\n", x.name, tile_side, last - 1);
  const auto square = [&](const char* lines, const char* pragma) {
    return fmt::format("            for (int _r = 0; _r < _m; ++_r) {{\n              const ks_index _at = (_line + _first_line) * _inner + _i + _r;\n{}", numbers) +
           positions(r.loop, first, last, numbers.empty() ? "_at" : "", false, 'b', 'p', "              ") + ahead +
           fmt::format("{}              for (int _place = 0; _place < {}; ++_place) {{\n", pragma, lines) +
           r.element({"_place"}, "(_at + _place * _inner)", "                ") + fmt::format("                _square[{} * _r + _place] = {};\n              }}\n            }}\n", tile_side, r.value);
  };
  return memory("_chunks_there", most * chunk_elements) + memory("_square", tile_side * tile_side) + rows.memory +
         "  const long long _last = (blockIdx.x + 1ll) * _per_block < _pairs ? (blockIdx.x + 1ll) * _per_block : _pairs;\n"
         "  for (long long _set = blockIdx.x * _per_block; _set < _last; ++_set) {\n"
         "    const long long _o = _set / _sets, _in_output = _set % _sets;\n" + output_positions(r) +
         // What is taken: neighbouring chunks, or where lines are longer, those of neighbouring lines that have about the same place in them.
         fmt::format("    const bool _are_long = _inner > {0};\n    const long long _end_chunk = _first_chunk + _chunks, _all_lines = _length / _inner;\n"
                     "    long long _taken[{1}], _q = 0, _q_end = 0, _start = 0, _end = 0;\n    int _slot[{2}], _count_taken = 0, _n_lines = 0;\n"
                     "    if (_are_long) {{\n"
                     "      const long long _steps = _inner / {0} + 2, _of_lines = _in_output / _steps, _turns = (_n{3} + _together - 1) / _together;\n"
                     "      const long long _place_along = _of_lines % _turns * _together;\n"
                     "      _q = _of_lines / _turns * _n{3} + _place_along;\n"
                     "      _n_lines = (int)(_n{3} - _place_along < _together ? _n{3} - _place_along : _together);\n"
                     "      for (int _k = 0; _k < _n_lines; ++_k) {{\n"
                     "        const long long _c = ((_q + _k) * _inner + {0} - 1) / {0} + _in_output % _steps, _until = ((_q + _k + 1) * _inner + {0} - 1) / {0};\n"
                     "        const bool _is_taken = _c < _until && _c >= _first_chunk && _c < _end_chunk;\n"
                     "        _slot[_k] = _is_taken ? _count_taken : -1;\n        if (_is_taken) _taken[_count_taken++] = _c;\n      }}\n"
                     "    }} else {{\n"
                     "      for (long long _c = _first_chunk + _in_output * _together; _count_taken < _together && _c < _end_chunk; ++_c) _taken[_count_taken++] = _c;\n"
                     "      _start = _taken[0] * {0};\n      _end = (_taken[_count_taken - 1] + 1) * {0} < _length ? (_taken[_count_taken - 1] + 1) * {0} : _length;\n"
                     "      _q = _start / _inner;\n      _q_end = (_end - 1) / _inner + 1;\n    }}\n",
                     chunk_elements, most, tile_side, along) +
         // Some lines at a time: where the elements of each go, and which of them are taken. Of a chunk that goes on in the next line
         // that is taken afterwards, with the other ends; the last line's alone, as the axis may end there.
         fmt::format("    for (int _turn = 0; _are_long ? _turn < 3 : _q < _q_end; ++_turn) {{\n"
                     "      long long _line = _q, _to[{2}], _low[{2}], _high[{2}], _least = _inner, _most = 0;\n      int _lines;\n"
                     "      if (_are_long) {{\n"
                     "        const int _from = _turn == 2 ? _n_lines - 1 : 0;\n        _line = _q + _from + (_turn > 0);\n"
                     "        _lines = _turn == 0 ? _n_lines : _turn == 1 ? _n_lines - 1 : 1;\n"
                     "        for (int _k = 0; _k < _lines; ++_k) {{\n"
                     "          const int _s = _slot[_from + _k];\n          const long long _before = (_line + _k) * _inner - (_s < 0 ? 0 : _taken[_s] * {0});\n"
                     "          _to[_k] = _s * {0}ll + _before;\n          _low[_k] = _before < 0 ? -_before : 0;\n"
                     "          _high[_k] = _s < 0 || _line + _k >= _all_lines ? 0 : {0} - _before < _inner ? {0} - _before : _inner;\n        }}\n"
                     "      }} else {{\n"
                     "        const long long _place_along = _q % _n{3}, _to_end = _n{3} - _place_along < _q_end - _q ? _n{3} - _place_along : _q_end - _q, _whole = {2} - _place_along % {2};\n"
                     "        _lines = (int)(_to_end < _whole ? _to_end : _whole);\n        _q += _lines;\n"
                     "        for (int _k = 0; _k < _lines; ++_k) {{\n          _to[_k] = (_line + _k) * _inner - _start;\n          _low[_k] = _to[_k] < 0 ? -_to[_k] : 0;\n"
                     "          _high[_k] = _end - (_line + _k) * _inner < _inner ? _end - (_line + _k) * _inner : _inner;\n        }}\n      }}\n"
                     "      for (int _k = 0; _k < _lines; ++_k) {{\n        if (_low[_k] >= _high[_k]) continue;\n"
                     "        _least = _low[_k] < _least ? _low[_k] : _least;\n        _most = _high[_k] > _most ? _high[_k] : _most;\n      }}\n"
                     "      for (long long _i = _least / {4} * {4}; _i < _most; _i += {4})\n        for (int _first_line = 0; _first_line < _lines; _first_line += {4}) {{\n"
                     "          const int _m = (int)(_inner - _i < {4} ? _inner - _i : {4}), _w = _lines - _first_line < {4} ? _lines - _first_line : {4};\n"
                     "          if (_w == {4}) {{\n",
                     chunk_elements, most, lines_at_once, along, tile_side) +
         square(std::to_string(tile_side).c_str(), vectorise) + "          } else {\n" + square("_w", "") + "          }\n" +
         fmt::format("          for (int _k = 0; _k < _w; ++_k) {{\n            const long long _from = _low[_first_line + _k] - _i, _until = _high[_first_line + _k] - _i;\n"
                     "            {1}* const _row = _chunks_there + (_to[_first_line + _k] + _i);\n            if (_from <= 0 && _until >= {0}) {{\n"
                     "{2}              for (int _r = 0; _r < {0}; ++_r) _row[_r] = _square[{0} * _r + _k];\n            }} else {{\n"
                     "              for (int _r = 0; _r < {0}; ++_r)\n                if (_r >= _from && _r < _until) _row[_r] = _square[{0} * _r + _k];\n            }}\n          }}\n        }}\n    }}\n",
                     tile_side, r.type, unrolled) +
         "    for (int _t = 0; _t < _count_taken; ++_t) {\n    const long long _pair = _o * _chunks + _taken[_t] - _first_chunk;\n" + pair_numbers(r) +
         fmt::format("    const {}* const _b__tile = _chunks_there + (_t * {}ll - _begin);\n", r.type, chunk_elements) + rows.chunk + "    }\n  }\n";
}

namespace {

/// Where the first of the best elements is does not depend on the order in which they are met: rows of memory are, one after the other,
/// four at a time, and each column has the best value so far and its number.
std::string serial_columns_with_numbers(const Reduction& r) {
  const auto over = [&](int rows, const std::string& indent) {
    std::string text = fmt::format("{0}{1}for (int _place = 0; _place < _n; ++_place) {{\n{1}  auto _known = _best[_place];\n{1}  auto _at_known = _at_best[_place];\n", vectorise, indent);
    const std::string deeper = indent + "    ";
    for (int k = 0; k < rows; ++k)
      text += fmt::format("{0}  {{\n", indent) + reduced_positions(r, fmt::format("_begin + _row + {}", k), deeper) + r.element({"_place"}, "_at", deeper) +
              fmt::format("{0}const bool _goes_first = {1};\n{0}_at_known = _goes_first ? ({2})(_row + {3}) : _at_known;\n{0}_known = {4};\n{5}  }}\n", deeper,
                          goes_first(r, r.value, "_known"), number_type(r), k, choice(r, "_goes_first", r.value, "_known"), indent);
    return text + fmt::format("{0}  _best[_place] = _known;\n{0}  _at_best[_place] = _at_known;\n{0}}}\n", indent);
  };
  const int64_t most = columns_at_once(r.value_bytes, r.form, false);
  return fmt::format("  {0} _best[{1}];\n  {2} _at_best[{1}];\n", r.type, most, number_type(r)) + pairs_of_block(r) + pair_numbers(r) + strip_of_columns(r) +
         fmt::format("    {{\n{0}{1}      for (int _place = 0; _place < _n; ++_place) {{\n{2}        _best[_place] = {3};\n        _at_best[_place] = 0;\n      }}\n    }}\n",
                     reduced_positions(r, "_begin", "      "), vectorise, r.element({"_place"}, "_at", "        "), r.value) +
         "    long long _row = 1;\n" + (r.is_short ? "    for (; _row + 3 < _count; _row += 4) {\n" + over(4, "      ") + "    }\n" : "") +
         "    for (; _row < _count; ++_row) {\n" + over(1, "      ") + "    }\n" +
         "    for (int _place = 0; _place < _n; ++_place) {\n      const ks_lane _best_lane = {_best[_place], _begin + _at_best[_place]};\n" +
         store_column(r, "_best_lane", "      ") + "    }\n  }\n";
}

}  // namespace

/// Lanes along columns are vectors of columns. They are met in the order in which the tree joins them, l, l + 512,
/// l + 256, l + 768, …, so that few of them wait, and each row of memory is read once and as wide as it is.
std::string serial_columns(const Reduction& r) {
  if (has_numbers(r)) return serial_columns_with_numbers(r);
  const int64_t most = columns_at_once(r.value_bytes, r.form, false);
  const auto over = [&](const std::string& body, const std::string& indent) {
    return fmt::format("{0}{1}for (int _place = 0; _place < _n; ++_place) {{\n{2}{1}}}\n", vectorise, indent, body);
  };
  const auto row = [&](int k, const std::string& end) {
    const std::string number = fmt::format("_begin + _e + {}", k * chunk_lanes);
    return "            {\n" + reduced_positions(r, number, "              ") + lane_of(r, {"_place"}, "_at", "              ") + end + "            }\n";
  };
  const auto there = [](const std::string& row) { return fmt::format("(*{})[_place]", row); };
  // Rows of one lane. Four side by side are four streams from memory, whose latencies overlap; each is a copy of the text.
  const auto rows = [&](int n) {
    std::string text;
    for (int k = 0; k < n; ++k) text += row(k, join("_lane_sum", "_value", "              "));
    const std::string start = !joins_all(r)       ? there("_sum")
                              : r.counts_elements ? fmt::format("ks_of_n(_e / {0}, ks_one_of(_e < {0}, {1}, {2}))", chunk_lanes, there("_sum"), identity(r))
                                                  : fmt::format("ks_one_of(_e < {}, {}, {})", chunk_lanes, there("_sum"), identity(r));
    return fmt::format("        for (; _e {1}< _count; _e += {2}) {{\n{0}        }}\n",
                       over(fmt::format("            ks_lane _lane_sum = {};\n", start) + text + set(there("_sum"), "_lane_sum", "            "), "          "),
                       n > 1 ? fmt::format("+ {} ", (n - 1) * chunk_lanes) : "", n * chunk_lanes);
  };
  const std::string first_row = joins_all(r) ? "" : "        if (_e < _count) {\n" + over(row(0, set(there("_sum"), "_value", "              ")), "          ") + fmt::format("          _e += {};\n        }}\n", chunk_lanes);
  // Lanes of a row each, which the tree joins two by two: four rows are read and one stored.
  const auto lane_there = [&](const std::string& number, const std::string& name) {
    return "            {\n" + reduced_positions(r, "_begin + " + number, "              ") + lane_of(r, {"_place"}, "_at", "              ") +
           set(name, joins_all(r) ? fmt::format("ks_join({}, _value)", identity(r)) : "_value", "              ") + "            }\n";
  };
  const auto lanes_at_once = [&](int n) {
    const std::string left = n == 2 ? "_first" : "ks_join(_first, _second)";
    return over(fmt::format("            ks_lane _first{0}, _second{0};\n", starts(r, 1).empty() ? "" : " = " + r.start) + lane_there("_lane", "_first") +
                    (n > 2 ? lane_there("_lane + _half", "_second") : "") + fmt::format("            const ks_lane _left = {};\n", left) +
                    lane_there("_lane + _quarter", "_first") + (n > 3 ? lane_there("_lane + _half + _quarter", "_second") : "") +
                    set(there("_sum"), fmt::format("ks_join(_left, {})", n > 3 ? "ks_join(_first, _second)" : "_first"), "            "), "          ");
  };
  // Of four lanes that are joined the second half may have no elements; the first has.
  const std::string four_lanes =
      fmt::format("      const int _half = 1 << _bits >> 1, _quarter = _half >> 1;\n"
                  "      if (_bits > 1 && (_i & 3) == 0 && _count <= {}) {{\n", chunk_lanes) +
      "        if (_lane + _half + _quarter < _lanes) {\n" + lanes_at_once(4) + "        } else if (_lane + _half < _lanes) {\n" + lanes_at_once(3) + "        } else {\n" +
      lanes_at_once(2) + "        }\n        _i += 3;\n        _level = 2;\n      } else {\n";
  // Rows are met in an order that no processor guesses: those of the next lane, or of the next four, are fetched while this one's are joined.
  std::string ahead;
  for (const LoopOperand& x : r.loop.operands)
    if (is_row_of_memory(x)) ahead += fmt::format("          for (int _place = 0; _place < _n; _place += (int)(64 / sizeof({}))) __builtin_prefetch(&_p_{}[_place], 0, 2);\n", x.type, x.name);
  if (!ahead.empty() && r.is_short)
    ahead = fmt::format("      const bool _are_four = _bits > 1 && _count <= {0};\n      const int _following = _i + (_are_four ? 4 : 1);\n"
                        "      if (_following < 1 << _bits) {{\n        const int _next = (int)(__brev((unsigned)_following) >> (32 - _bits));\n"
                        "        for (int _k = _next; _k < _count; _k += _are_four ? 1 << _bits >> 2 : {0}) {{\n", chunk_lanes) +
            reduced_positions(r, "_begin + _k", "          ") + ahead + "        }\n      }\n";
  else ahead.clear();
  return lanes_typedef(r, "ks_lanes", most) + "  ks_lanes _memory[12], *_held[12];\n  for (int _k = 0; _k < 12; ++_k) _held[_k] = _memory + _k;\n" +
         pairs_of_block(r) + pair_numbers(r) + strip_of_columns(r) +
         fmt::format("    const int _lanes = (int)(_count < {0} ? _count : {0});\n    int _bits = 0;\n    while ((1 << _bits) < _lanes) ++_bits;\n"
                     "    for (int _i = 0; _i < 1 << _bits; ++_i) {{\n"
                     "      const int _lane = _bits ? (int)(__brev((unsigned)_i) >> (32 - _bits)) : 0;\n"
                     "      ks_lanes* _sum = _held[11];\n      long long _e = _lane;\n      int _level = 0;\n", chunk_lanes) +
         ahead + (r.is_short ? four_lanes : "      {\n") + first_row + (r.is_short ? rows(4) : "") + rows(1) + "      }\n" +
         // A lane without elements leaves what waits for it as it is.
         "      for (; _i >> _level & 1; ++_level) {\n        ks_lanes* const _before = _held[_level];\n"
         "        if (_level > 0 || _lane < _lanes) {\n" + over(join(there("_before"), there("_sum"), "            "), "          ") +
         "        }\n        _held[_level] = _sum;\n        _sum = _before;\n      }\n"
         "      _held[11] = _held[_level];\n      _held[_level] = _sum;\n    }\n" +
         "    for (int _place = 0; _place < _n; ++_place) {\n" + store_column(r, there("_held[_bits]"), "      ") + "    }\n  }\n";
}

}  // namespace kasoku::tree
