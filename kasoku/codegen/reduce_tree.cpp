// The fixed tree of reductions. A chunk is chunk_elements (8192) in the logical order of
// the reduced axes. Lane l of chunk_lanes (1024) takes elements l, l + 1024, …, in order; then
// lane l takes lane l + s for s = 512, 256, … 1. Chunks' results are a sequence
// that is reduced in the same way, by the same kernel over that sequence. Lanes without
// elements change no value: the identity fills them, or nothing is joined with them.
//
// Legend of the text, beside that of loop_text.cpp.
//   ks_lane, ks_join(a, b)  what a lane holds, with its position where that is kept; two of them become one
//   _pair, _o, _c           a pair of an output (or strip of outputs) and one of its chunks
//   _begin, _count          the chunk's first element, and how many it has
//   _value                  an element's lane
#include "kasoku/codegen/reduce_text.h"

#include "kasoku/base/rounding.h"
#include "kasoku/codegen/reductions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

namespace kasoku {
namespace {

constexpr const char* vectorise = "#pragma clang loop vectorize(assume_safety)\n";
constexpr const char* unrolled = "#pragma unroll\n";

/// A tile's squares: elements of so many lines, so many of each; and how many lines' squares are side by side.
constexpr int64_t tile_side = 16, lines_at_once = 64;

/// The most chunks that a block brings into its memory at once: lines of memory then serve as many lines as they have values.
int64_t chunks_of_tile(size_t value_bytes) { return std::clamp(64 / static_cast<int64_t>(value_bytes), int64_t{4}, int64_t{16}); }

/// An axis along which neighbours share a line of memory that those along the last axis do not: elements along the last one are far
/// from one another. None where there is no such.
std::optional<size_t> axis_of_tiles(const IterationSpace& space) {
  constexpr int64_t line = 64, few = 4;
  const size_t last = space.lengths.size() - 1;
  for (size_t d = space.kept; d < last; ++d)
    if (space.lengths[d] >= few && std::ranges::any_of(space.walks, [&](const Walk& walk) {
          const int64_t near = std::abs(walk.strides[d]), far = std::abs(walk.strides[last]);
          return walk.kind == Walk::memory && near > 0 && near <= line / few && far >= line;
        }))
      return d;
  return std::nullopt;
}

/// One of two values; of several numbers part by part: of two structs an address would be chosen, and a vector's lanes have one copy of
/// what has an address.
std::string choice(const Reduction& r, const std::string& condition, const std::string& first, const std::string& second) {
  for (const std::string_view parts : {"ks_complex", "ks_moments"})
    if (r.type.starts_with(parts)) return fmt::format("{}_choice({}, {}, {})", parts, condition, first, second);
  return fmt::format("{} ? {} : {}", condition, first, second);
}

bool brings_position(const Reduction& r) { return !r.position.empty(); }

/// A block of threads keeps positions within its chunk, which take half the room.
bool has_short_positions(const Reduction& r) {
  return r.keeps_position && r.by_threads && r.form == ReduceForm::rows && !brings_position(r);
}

std::string identity(const Reduction& r) {
  if (!r.keeps_position) return r.identity;
  return fmt::format("ks_lane{{{}, {}}}", r.identity, has_short_positions(r) ? "0x7fffffff" : "0x7fffffffffffffffll");
}

bool joins_all(const Reduction& r) { return !r.identity.empty(); }

/// Whether an element of a lane comes after all that the lane has: then its position needs no comparison.
bool has_numbers(const Reduction& r) { return r.keeps_position && !brings_position(r); }

/// Statements that make the element there a ks_lane, `_value`; `number` is its position, unless it brings one along.
std::string lane_of(const Reduction& r, const Place& place, const std::string& number, const std::string& position, const std::string& indent) {
  return r.element(place, number, indent) +
         (r.keeps_position ? fmt::format("{}const ks_lane _value = {{{}, {}}};\n", indent, r.value, brings_position(r) ? r.position : position)
                           : fmt::format("{}const ks_lane _value = {};\n", indent, r.value));
}
std::string lane_of(const Reduction& r, const Place& place, const std::string& number, const std::string& indent) {
  return lane_of(r, place, number, number, indent);
}

std::string join(const std::string& a, const std::string& b, const std::string& indent) { return fmt::format("{0}{1} = ks_join({1}, {2});\n", indent, a, b); }
std::string set(const std::string& a, const std::string& b, const std::string& indent) { return fmt::format("{}{} = {};\n", indent, a, b); }

/// A join where lanes may have no elements: `number` is the second one's.
std::string join_below(const Reduction& r, const std::string& number, const std::string& a, const std::string& b, const std::string& indent) {
  return joins_all(r) ? join(a, b, indent) : fmt::format("{}if ({} < _count) ", indent, number) + join(a, b, "");
}

std::string store(const Reduction& r, const std::string& at, const std::string& lane, const std::string& indent) {
  if (!r.keeps_position) return r.store(at, lane, "", indent);
  return r.store(at, lane + ".value", (has_short_positions(r) ? "_begin + " : "") + lane + ".at", indent);
}

bool has_moments(const Reduction& r) { return r.type.starts_with("ks_moments"); }

/// The type of so many lanes in memory.
std::string lanes_typedef(const Reduction& r, const std::string& name, int64_t n) {
  return has_moments(r) ? fmt::format("  typedef ks_moments_row{}, {}> {};\n", r.type.substr(std::string_view("ks_moments").size(), r.type.size() - std::string_view("ks_moments>").size()), n, name)
                        : fmt::format("  typedef ks_lane {}[{}];\n", name, n);
}

/// A join of a lane in memory, which has `n` elements, with the next one.
std::string take(const Reduction& r, const std::string& lane, const std::string& n, const std::string& indent) {
  return set(lane, fmt::format("ks_join({}, _value)", r.counts_elements ? fmt::format("ks_of_n({}, (ks_lane){})", n, lane) : lane), indent);
}

/// Which of all results' chunks a pair is.
std::string number_of_pair(const Reduction& r) { return r.walks_numbers ? "_b_o * _chunks + _c - _first_chunk" : "_pair"; }

/// A lane that nothing was joined to.
std::string fresh_lane(const Reduction& r, const std::string& name, const std::string& indent) {
  const std::string start = joins_all(r) ? identity(r) : r.start;
  return fmt::format("{}ks_lane {}{};\n", indent, name, start.empty() ? "" : " = " + start);
}

/// Of `n` lanes that get their values later, for types that hold nothing else.
std::string starts(const Reduction& r, int64_t n) {
  std::string all;
  for (int64_t k = 0; k < n && !r.start.empty(); ++k) all += (k ? ", " : " = {") + r.start;
  return all.empty() ? "" : all + "}";
}

std::string lanes_array(const Reduction& r, const std::string& name, int64_t n, const std::string& indent) {
  return fmt::format("{}ks_lane {}[{}]{};\n", indent, name, n, starts(r, n));
}

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

constexpr const char* pairs_of_range = "  for (long long _pair = _at; _pair < _end; ++_pair) {\n";

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
  const bool has_numbers = kasoku::has_numbers(r) && !by_fours;
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
      const auto over = [&](const std::string& body) { return fmt::format("{0}{1}for (long long _place = 0; _place < _n; ++_place) {{\n{2}{1}}}\n", vectorise, indent, body); };
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

bool is_row_of_memory(const LoopOperand& x) { return x.kind == Walk::memory && x.inner == Inner::unit; }

std::string store_column(const Reduction& r, const std::string& lane, const std::string& indent) {
  const std::string number = !r.walks_numbers ? "_start + _place" : r.loop.operands.back().inner == Inner::unit ? "_b_o + _place" : fmt::format("_b_o + _place * _s{}_o", r.loop.inner);
  if (r.form != ReduceForm::split_columns) return store(r, fmt::format("({}) * _chunks + _c - _first_chunk", number), lane, indent);
  // What is joined afterwards lies side by side with its neighbours' too: threads of a warp write, and later read, whole lines of memory.
  std::string results = "(long long)_n0";
  for (int d = 1; d < r.kept_rank; ++d) results += fmt::format(" * _n{}", d);
  return store(r, fmt::format("(_apart * _chunks + _c - _first_chunk) * ({}) + {}", results, number), lane, indent);
}

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
    return fmt::format("        for (int _k = {}; _k < {}; _k += {}) {{\n{}          for (int _q = 0; _q < {}; ++_q) {{\n            const int _e = {} + _k;\n{}",
                       first, limit, chunk_lanes, unrolled, at_once, lane_number("_q"), is_whole ? "" : "            if (_e >= _count) continue;\n") +
           reduced_positions(r, "_begin + _e", "            ") + (is_whole ? of.loads : "") +
           of_own((is_whole ? "" : "              if (_place >= _n) continue;\n") + lane_of(r, is_whole ? of.loaded : Place("_place"), "_begin + _e", "              ") +
                      (is_start ? set("_acc[_q][_v]", "_value", "              ") : join("_acc[_q][_v]", "_value", "              ")), "            ") +
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

int64_t columns_at_once(size_t value_bytes, ReduceForm form, bool by_threads) {
  constexpr size_t waiting_bytes = 4096;
  return by_threads ? 32 * (has_four_columns(form) ? 4 : 1) : static_cast<int64_t>(waiting_bytes / value_bytes);
}

int64_t chunks_as_columns(IterationSpace& space) {
  constexpr int64_t most_side_by_side = 16, few_columns = 64, most_chunks = 1 << 17;
  const auto axis = axis_of_tiles(space);
  if (!axis || *axis != space.kept || space.size() / chunk_elements > most_chunks) return 1;
  const int64_t length = space.lengths[*axis];
  int64_t behind = 1;
  for (size_t d = *axis + 1; d < space.lengths.size(); ++d) behind *= space.lengths[d];
  const int64_t side_by_side = behind % chunk_elements == 0 ? 1 : chunk_elements % behind == 0 ? chunk_elements / behind : 0;
  if (side_by_side == 0 || side_by_side > most_side_by_side || length % side_by_side != 0 || length / side_by_side < few_columns) return 1;
  space.keep_outer(side_by_side);
  return length / side_by_side;
}

ReduceForm choose_reduce_form(IterationSpace& space, bool by_threads, const ReduceTraits& traits) {
  const size_t last = space.lengths.size() - 1;
  int64_t results = 1;
  for (size_t d = 0; d < space.kept; ++d) results *= space.lengths[d];
  const int64_t reduced = space.size() / std::max(results, int64_t{1});
  constexpr int64_t many_results = 4096, many_chunks = 1024;  // fewer threads than that leave a GPU idle
  if (space.kept > 0 && traits.may_be_columns) {
    const size_t column = space.kept - 1;
    const auto along = [&](size_t d) {
      return std::ranges::any_of(space.walks, [&](const Walk& walk) { return walk.kind == Walk::memory && walk.strides[d] == walk.unit; });
    };
    // Neighbours of a row whose memory lies apart cost a thread more than columns that all arrays have side by side, or share.
    constexpr int64_t many_columns = 32;
    const auto is_dense = [&](size_t d) {
      return std::ranges::all_of(space.walks, [&](const Walk& walk) { return walk.kind != Walk::memory || walk.strides[d] == walk.unit || walk.strides[d] == 0; });
    };
    const bool are_denser = !by_threads && space.lengths[column] >= many_columns && along(column) && is_dense(column) && !is_dense(last);
    // One thread meets short rows together as well, so that each pass over memory, strided or not, serves many of them.
    constexpr int64_t short_row = 32, many_rows = 64;
    const bool are_short_rows = !by_threads && reduced <= short_row && space.lengths[column] >= many_rows;
    if (are_short_rows || are_denser || (space.lengths[column] >= (by_threads ? 8 : 4) && along(column) && !along(last))) {
      if (by_threads && traits.may_be_wide && reduced <= short_column && results >= many_results) return ReduceForm::short_columns;
      space.go_along(column);
      // Fewer strips of four columns a thread would leave multiprocessors of a GPU without one.
      constexpr int64_t wide_strip = 128, many_strips = 256, many_elements = 1 << 24, long_column = 4096;
      const bool is_wide = by_threads && traits.may_be_wide && space.lengths[column] >= wide_strip &&
                           results / wide_strip * divide_up(reduced, chunk_elements) >= many_strips &&
                           std::ranges::all_of(space.walks, [](const Walk& walk) { return walk.kind != Walk::memory || walk.inner != Inner::strided; });
      if (is_wide && traits.may_be_split && reduced >= long_column && space.size() >= many_elements) return ReduceForm::split_columns;
      return is_wide ? ReduceForm::wide_columns : ReduceForm::columns;
    }
  }
  // What fits a core's cache may be walked in any order.
  constexpr int64_t large = 65536, few_elements = 1024;
  if (!by_threads && traits.may_be_tiles && space.size() >= large && reduced >= few_elements) {
    if (const auto axis = axis_of_tiles(space)) {
      space.go_along(*axis);
      return ReduceForm::tiles;
    }
  }
  if (!by_threads) return ReduceForm::rows;
  if (space.kept == 0 && traits.may_be_in_any_order && reduced >= many_chunks * chunk_elements) return ReduceForm::any_order;
  if (results <= 1 || reduced > warp_row) return ReduceForm::rows;
  return reduced <= thread_row && results >= many_results ? ReduceForm::threads : ReduceForm::warps;
}

std::string strip_of_columns(const JoinedLoop& of) {
  return fmt::format("    const {0} _strips = (({0})_n{1} + ({0})_width - 1) / ({0})_width, _strip = _o % _strips;\n"
                     "    const long long _start = (long long)(_o / _strips) * _n{1} + _strip * _width, _left = _n{1} - _strip * _width;\n"
                     "    const int _n = (int)(_left < _width ? _left : _width);\n", of.count_type(), of.kept_rank - 1) +
         positions(of.loop, 0, of.kept_rank, "(ks_index)_start", true, 0, 'b', "    ");
}

std::string launch_bounds(bool by_threads, ReduceForm form, bool has_two_blocks) {
  if (!by_threads || !is_by_columns(form)) return "";
  return fmt::format("__launch_bounds__({}{}) ", threads_of_columns(form), has_two_blocks || form == ReduceForm::split_columns ? ", 2" : "");
}

std::string lanes_text(const Reduction& r) {
  std::string text;
  if (r.keeps_position)
    text = fmt::format("struct ks_lane {{ {} value; {} at; }};\n"
                       "// Parts are chosen, and not one of two structs, which would have to have addresses.\n"
                       "ks_helper ks_lane ks_one_of(bool is_second, ks_lane a, ks_lane b) {{ return {{{}, is_second ? b.at : a.at}}; }}\n"
                       "ks_helper ks_lane ks_join(ks_lane a, ks_lane b) {{ return ks_one_of(ks_goes_first({}, a.value, a.at, b.value, b.at), a, b); }}\n",
                       r.type, has_short_positions(r) ? "int" : "long long", choice(r, "is_second", "b.value", "a.value"), r.join("b.value", "a.value"));
  else
    text = fmt::format("typedef {} ks_lane;\nks_helper ks_lane ks_one_of(bool is_second, ks_lane a, ks_lane b) {{ return {}; }}\n"
                       "ks_helper ks_lane ks_join(ks_lane a, ks_lane b) {{ return {}; }}\n", r.type, choice(r, "is_second", "b", "a"), r.join("a", "b"));
  const bool asks_lanes = r.by_threads && (r.form == ReduceForm::warps || r.form == ReduceForm::any_order || (r.form == ReduceForm::rows && r.loads_fours));
  if (!asks_lanes) return text;
  text += from_lane;
  if (r.form == ReduceForm::warps) return text;
  text += fmt::format("// A lane of n elements, if n is not 0.\nks_helper ks_lane ks_counted(int n, ks_lane x) {{ return {}; }}\n", r.counts_elements ? "n ? ks_of_n(n, x) : x" : "x");
  return text + join_chunk + (joins_all(r) ? "" : join_few);
}

std::string reduce_text(const Reduction& r) {
  switch (r.form) {
    case ReduceForm::columns:
    case ReduceForm::wide_columns:
    case ReduceForm::split_columns: return r.by_threads ? columns_of_threads(r) : serial_columns(r);
    case ReduceForm::warps: return rows_of_warps(r);
    case ReduceForm::threads: return rows_of_threads(r);
    case ReduceForm::short_columns: return columns_of_one_thread(r);
    case ReduceForm::tiles: return serial_tiles(r);
    default: return r.by_threads ? rows_of_blocks(r) : serial_rows(r);
  }
}

std::string reduce_parameters(const Reduction& r) {
  const std::string loop = loop_parameters(r.loop);
  return loop + (loop.empty() ? "" : ",\n    ") + "long long _pairs, long long _per_block, long long _chunks, long long _first_chunk, long long _length" +
         (is_by_columns(r.form) ? ", long long _width" : r.form == ReduceForm::tiles ? ", long long _inner, long long _together, long long _sets" : "");
}

int64_t strip_width(int64_t columns, int64_t rows, int64_t times, int64_t most, int workers) {
  constexpr int64_t least = 64, elements = 65536;
  const int64_t worth_it = std::max(int64_t{1}, columns * rows / elements);
  const int64_t blocks = std::min(divide_up(4 * int64_t{workers}, times), worth_it);
  return std::clamp(round_up(divide_up(columns, blocks), int64_t{16}), least, most);
}

int64_t blocks_in_any_order(int64_t chunks, int workers) { return std::min(chunks, int64_t{32} * workers); }

ReduceLaunch reduce_launch(const IterationSpace& space, size_t kept, ReduceForm form, bool by_threads, size_t value_bytes, const Chunks& part, int workers) {
  int64_t outputs = 1;
  for (size_t d = 0; d < kept; ++d) outputs *= space.lengths[d];
  const int64_t length = outputs ? space.size() / outputs : 0;
  int64_t pairs = outputs * part.chunks, elements = std::clamp(length, int64_t{1}, chunk_elements), width = 1, together = 1, sets = 1;
  if (is_by_columns(form)) {
    const int64_t columns = space.lengths[kept - 1];
    width = columns_at_once(value_bytes, form, by_threads);
    if (!by_threads) width = strip_width(columns, elements, pairs / columns, width, workers);
    pairs = pairs / columns * divide_up(columns, width) * parts_of_chunk(form);
    elements *= std::min(columns, width);
  }
  if (form == ReduceForm::tiles) {
    // `width` is that of a line. Fewer chunks are taken at once where else not all workers had some.
    for (size_t d = space.inner + 1; d < space.lengths.size(); ++d) width *= space.lengths[d];
    together = std::clamp(pairs / (4 * workers), std::min(int64_t{4}, pairs), chunks_of_tile(value_bytes));
    const int64_t along = space.lengths[space.inner];
    sets = width <= chunk_elements ? divide_up(part.chunks, together) : length / (width * along) * divide_up(along, together) * (width / chunk_elements + 2);
    pairs = outputs * sets;
    elements *= together;
  }
  const int64_t per_block = std::max({int64_t{1}, elements_per_block / elements, divide_up(pairs, int64_t{1} << 30)});
  ReduceLaunch launch{{}, {pairs, per_block, part.chunks, part.first_chunk, length, width, together, sets}, form == ReduceForm::tiles ? 8 : is_by_columns(form) ? 6 : 5};
  if (by_threads) {
    const int64_t results = form == ReduceForm::warps ? warps_of_block : form == ReduceForm::threads || form == ReduceForm::short_columns ? threads_of_block : 1;
    // More blocks than run soon go on with the next results: what they computed ahead of the first need not be computed again.
    constexpr int64_t blocks_of_multiprocessor = 64;
    const int64_t most = form == ReduceForm::split_columns ? pairs : form == ReduceForm::any_order ? blocks_in_any_order(pairs, workers) : blocks_of_multiprocessor * workers;
    launch.shape.grid[0] = static_cast<uint32_t>(std::min(divide_up(pairs, results), most));
    launch.shape.block[0] = static_cast<uint32_t>(is_by_columns(form) ? threads_of_columns(form) : threads_of_block);
  } else {
    launch.shape.grid[0] = static_cast<uint32_t>(divide_up(pairs, per_block));
  }
  return launch;
}

}  // namespace kasoku
