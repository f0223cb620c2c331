// Legend of the text. What we name begins with `_`, all other names are the body's own.
//   ks_index             numbers of elements, and distances: int, or long long
//   _m_x                 the memory of operand x
//   _p_x                 where x is in the innermost loop: a pointer, or the element's number
//   _f_x                 four elements of x
//   _q_x, _to_x          where x is in a row, and where a piece of its results goes, which may lie in _piece_x
//   _first_x, _s0_x …    x's first number; its strides, in bytes or numbers, outermost first
//   _n0 …, _i0 …         lengths of the axes, numbers along them
//   _total               elements, without a reduction's
//   _at, _row, _j        number of an element, of a row of the innermost axis, place in that row
#include "kasoku/codegen/loop_text.h"

#include "kasoku/base/rounding.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {
namespace {

/// Rows shorter than this leave too many threads of a block without work.
constexpr int64_t shortest_row = 64;
/// A warp takes 128 elements of a row; of the last ones some of its threads have none.
constexpr int64_t shortest_apart = 512;
/// Elements that a block of one thread takes: enough to hide the hand-out, few enough that all
/// workers get some.
constexpr int64_t elements_per_chunk = 32768;
/// Blocks are counted in 32 bits.
constexpr int64_t most_blocks = int64_t{1} << 30;

constexpr const char* thread_number = "(ks_index)blockIdx.x * blockDim.x + threadIdx.x";

std::string pointer_type(const LoopOperand& x) { return fmt::format("{}{}*", x.is_output ? "" : "const ", x.type); }

bool moves(const LoopOperand& x) { return x.kind == Walk::memory && x.inner != Inner::broadcast && !x.is_gathered; }

/// `_at` of the kernel's only axis is the place in it; else it is taken apart.
std::string row_and_place(const Loop& loop, const std::string& indent) {
  if (loop.rank == 1) return "";
  return fmt::format("{0}const ks_index _row = _at / {1}, _j = _at - _row * {1};\n", indent, row_length(loop)) + row_positions(loop, indent);
}

/// Elements of a row one after another.
std::string row_text(const Body& body, const std::string& end, const std::string& indent) {
  const std::string abreast = body.abreast ? fmt::format(" interleave_count({})", body.abreast) : "";
  const std::string lanes = body.lanes ? fmt::format(" vectorize_width({})", body.lanes) : "";
  const std::string pragma = body.is_vector ? "#pragma clang loop vectorize(assume_safety)" + lanes + abreast + "\n" : "";
  return fmt::format("{}{}for (long long _j = 0; _j < {}; ++_j) {{\n", pragma, indent, end) +
         body.element({"_j"}, indent + "  ") + indent + "}\n";
}

/// The elements from `_p_x` on, `_n` of them.
std::string elements_in_a_row(const Body& body, const std::string& indent) {
  if (body.head_of_fours.empty()) return row_text(body, "_n", indent);
  std::string text = indent + "const long long fours = _n >> 2;\n" + body.head_of_fours;
  for (int k = 0; k < 4; ++k) text += indent + "  {\n" + body.element({fmt::format("(4 * t + {})", k), k}, indent + "    ") + indent + "  }\n";
  return text + indent + "}\n" + indent + "for (long long _j = 4 * fours; _j < _n; ++_j) {\n" + body.element({"_j"}, indent + "  ") + indent + "}\n";
}

/// A store reads the line of memory that it changes. Where lines are changed as a whole, and are so many that no cache has them
/// still when somebody reads them, that is a third of the work, or half of it. There results pass by the caches: a piece of them is
/// written to memory that lies in a cache, and that goes out by stores that read nothing. What is read is asked for some pieces ahead:
/// while a processor computes it asks for too few lines by itself (sin of float32 on a Xeon 1.5 times as fast, 16 threads alike).
constexpr int elements_of_piece = 128, bytes_ahead = 4096, most_outputs_in_pieces = 4;

bool may_pass_caches(const Loop& loop, const Body& body) {
  const auto outputs = std::ranges::count_if(loop.operands, &LoopOperand::is_output);
  return body.is_vector && body.assigns_first && outputs > 0 && outputs <= most_outputs_in_pieces &&
         std::ranges::all_of(loop.operands, [](const LoopOperand& x) { return !x.is_output || (moves(x) && x.inner == Inner::unit); });
}

/// Whether results pass by the caches, and the piece. What is overwritten after it was read has its lines in a cache already.
std::string before_pieces(const Loop& loop, const std::string& indent) {
  std::string pieces, bytes, is_other;
  for (const LoopOperand& x : loop.operands) {
    if (!moves(x)) continue;
    bytes += fmt::format("{}(long long)sizeof({})", bytes.empty() ? "" : " + ", x.type);
    if (!x.is_output) continue;
    pieces += fmt::format("{0}__align__(64) unsigned char _piece_{1}[{2} * sizeof({3})];\n", indent, x.name, elements_of_piece, x.type);
    for (const LoopOperand& of : loop.operands)
      if (moves(of) && !of.is_output) is_other += fmt::format(" && (const void*)_m_{} != (const void*)_m_{}", x.name, of.name);
  }
  return pieces + fmt::format("{}const bool _pass_caches = _total * ({}) >= {}ll{};\n", indent, bytes, bytes_past_caches, is_other);
}

/// Who is told that the kernel has ended finds the results.
constexpr const char* after_pieces = "  if (_pass_caches) __threadfence();\n";

/// The elements from `_q_x` on, `_count` of them. In the loop nothing asks for `_pass_caches`: LLVM would make two loops of it.
std::string elements_in_pieces(const Loop& loop, const Body& body, const std::string& indent) {
  const std::string in = indent + "  ";
  std::string starts, places, pieces, ends;
  for (const LoopOperand& x : loop.operands) {
    const auto line = [&](const char* text) { return fmt::format(fmt::runtime(text), x.type, x.name, bytes_ahead); };
    if (!x.is_output && moves(x) && x.inner == Inner::unit) places += in + line("ks_fetch((const char*)_p_{1} + {2}, _fetched * sizeof({0}));\n");
    if (!x.is_output) continue;
    starts += indent + line("{0}* const _start_{1} = _pass_caches ? ({0}*)_piece_{1} : _q_{1};\n");
    places += in + line("{0}* const _to_{1} = _p_{1};\n");
    pieces += in + "  " + line("{0}* const _p_{1} = _start_{1} + _first * _step;\n");
    ends += in + "  " + line("if (_p_{1} != _to_{1}) ks_pass_caches(_to_{1}, _p_{1}, _n * sizeof({0}));\n");
  }
  return fmt::format("{0}const long long _most = _pass_caches ? {1} : _count, _step = _pass_caches ? 0 : 1;\n"
                     "{0}const long long _fetched = _pass_caches ? {1} : 0;\n{2}"
                     "{0}for (long long _first = 0, _n; _first < _count; _first += _n) {{\n"
                     "{0}  _n = _count - _first < _most ? _count - _first : _most;\n", indent, elements_of_piece, starts) +
         positions(loop, loop.rank - 1, loop.rank, "_first", false, 'q', 'p', in) + places + in + "{\n" + pieces +
         elements_in_a_row(body, in + "  ") + ends + in + "}\n" + indent + "}\n";
}

std::string range_text(const Loop& loop, const Body& body) {
  if (loop.rank > 1)
    return "  for (ks_index _row = _at; _row < _end; ++_row) {\n" + row_positions(loop, "    ") + row_text(body, row_length(loop), "    ") + "  }\n";
  if (may_pass_caches(loop, body))
    return before_pieces(loop, "  ") + positions(loop, 0, 1, "_at", true, 0, 'q', "  ") + "  const long long _count = _end - _at;\n" + elements_in_pieces(loop, body, "  ") + after_pieces;
  return positions(loop, 0, 1, "_at", true, 0, 'p', "  ") + "  const long long _n = _end - _at;\n" + elements_in_a_row(body, "  ");
}

std::string chunks_text(const Loop& loop, const Body& body) {
  const std::string start =
      "  long long _at = (long long)blockIdx.x * _chunk;\n"
      "  const long long _end = _at + _chunk < _total ? _at + _chunk : _total;\n";
  if (loop.rank == 1) return start + range_text(loop, body);
  struct OfRow {
    std::string before, elements, after;
    char position;      ///< as what the elements of a row are found
    const char* count;  ///< how many of the row there are
  };
  const OfRow row = may_pass_caches(loop, body) ? OfRow{before_pieces(loop, "  "), elements_in_pieces(loop, body, "    "), after_pieces, 'q', "_count"}
                                                : OfRow{"", elements_in_a_row(body, "    "), "", 'p', "_n"};
  return start + row.before + "  while (_at < _end) {\n" + positions(loop, 0, loop.rank, "_at", true, 0, row.position, "    ") +
         fmt::format("    const long long _left = _n{0} - _i{0}, {1} = _left < _end - _at ? _left : _end - _at;\n", loop.rank - 1, row.count) +
         row.elements + fmt::format("    _at += {};\n  }}\n", row.count) + row.after;
}

std::string store_of_four(const LoopOperand& x) { return fmt::format("    *(ks_four<{0}>*)(_p_{1} + _j) = _f_{1};\n", x.type, x.name); }

/// From registers to registers; `guard` leaves the loop where there are no more.
std::string elements_of_four(const Body& body, const std::string& guard) {
  return body.calls + "#pragma unroll\n  for (int _k = 0; _k < 4; ++_k) {\n" + guard + body.element({"(_j + _apart * _k)", "_k", Place::moving}, "    ") + "  }\n";
}

/// Four elements from `_j` on, each `_apart` behind the one before, of which all are there and lie well if `_is_whole`.
std::string one_four(const Loop& loop, const Body& body) {
  const std::string row = row_length(loop);
  std::string text;
  for (const LoopOperand& x : loop.operands)
    if (moves(x)) text += fmt::format("  ks_four<{}> _f_{};\n", x.type, x.name);
  // Of each operand of that kind: neighbours at once if all is well, others one after the other.
  const auto transfer = [&](bool is_output, const std::string& are_well, const auto& at_once, const char* before, const char* single) {
    std::string all, each, strided;
    for (const LoopOperand& x : loop.operands) {
      if (!moves(x) || x.is_output != is_output) continue;
      if (x.inner == Inner::unit) all += at_once(x);
      (x.inner == Inner::unit ? each : strided) +=
          fmt::format(fmt::runtime(single), fmt::arg("x", x.name), fmt::arg("place", value_at(loop, x, {"_e", "", Place::nothing})));
    }
    const auto one_by_one = [&](const std::string& body) {
      return fmt::format("#pragma unroll\n  for (int _k = 0; _k < 4; ++_k) {{\n{}{}  }}\n", fmt::format(fmt::runtime(before), row), body);
    };
    if (!all.empty()) text += fmt::format("  if ({}) {{\n{}  }} else {{\n{}  }}\n", are_well, all, one_by_one(each));
    if (!strided.empty()) text += one_by_one(strided);
  };
  transfer(false, "_is_whole", [](const LoopOperand& x) { return fmt::format("    _f_{1} = *(const ks_four<{0}>*)(_p_{1} + _j);\n", x.type, x.name); },
           "    const ks_index _e = _j + _apart * _k < {} ? _j + _apart * _k : _j;\n", "    _f_{x}.v[_k] = {place};\n");
  text += elements_of_four(body, body.is_pure ? "" : fmt::format("    if (!_is_whole && _j + _apart * _k >= {}) break;\n", row));
  // Of neighbours whose operands lie a little off, as a stencil's do, those that a warp reads one by one are in its cache.
  transfer(true, fmt::format("_is_whole || (_apart == 1 && {} - _j >= 4 && {})", row, is_aligned(loop, 'p', " + _j", true)), store_of_four, "    const ks_index _e = _j + _apart * _k;\n    if (_e >= {}) break;\n", "    {place} = _f_{x}.v[_k];\n");
  return text;
}

/// The first element of four that a thread takes, of which each is a warp's neighbour: by the thread's number in its row.
constexpr const char* first_of_apart = "4 * ({0} & ~(ks_index)31) + ({0} & 31)";

std::string apart_text(const Loop& loop, const Body& body) {
  const std::string row = row_length(loop);
  std::string text = fmt::format("  const ks_index _at = {}, _apart = 32;\n", thread_number);
  if (loop.rank == 1) {
    text += row_positions(loop, "  ") + fmt::format("  const ks_index _j = {};\n  if (_j >= _total) return;\n", fmt::format(first_of_apart, "_at"));
  } else {
    text += fmt::format("  const ks_index _fours = ({0} + 127) / 128 * 32, _row = _at / _fours, _four = _at - _row * _fours, _j = {1};\n"
                        "  if (_j >= {0} || _row * {0} + _j >= _total) return;\n", row, fmt::format(first_of_apart, "_four")) + row_positions(loop, "  ");
  }
  return text + "  const bool _is_whole = false;\n" + one_four(loop, body);
}

/// Four elements pass through registers. One element a thread has too few bytes on their way to
/// fill a GPU's memory bandwidth. They are neighbours, but where results lie a little off: there a warp's are.
std::string fours_text(const Loop& loop, const Body& body) {
  const std::string row = row_length(loop);
  std::string text = fmt::format("  const ks_index _at = {};\n", thread_number);
  if (loop.rank == 1) {
    text += row_positions(loop, "  ");
    // Random numbers are made for four neighbours.
    text += fmt::format("  const ks_index _apart = {} ? 1 : 32;\n  const ks_index _j = _apart == 1 ? 4 * _at : {};\n  if (_j >= _total) return;\n",
                        body.calls.empty() ? is_aligned(loop, 'p', "", true) : "true", fmt::format(first_of_apart, "_at"));
  } else {
    text += fmt::format("  const ks_index _fours = ({0} + 3) / 4, _row = _at / _fours, _j = 4 * (_at - _row * _fours), _apart = 1;\n"
                        "  if (_row * {0} + _j >= _total) return;\n", row) + row_positions(loop, "  ");
  }
  text += fmt::format("  const bool _is_whole = _apart == 1 && {} - _j >= 4 && {};\n", row, is_aligned(loop, 'p', " + _j"));
  return text + one_four(loop, body);
}

/// What two fours have in common, as the numbers in their texts, is in registers once, and twice as many bytes are on their way.
std::string eights_text(const Loop& loop, const Body& body) {
  std::string text = fmt::format("  const ks_index _first = 8 * (ks_index)blockIdx.x * blockDim.x + 4 * (ks_index)threadIdx.x, _step = 4 * (ks_index)blockDim.x, _apart = 1;\n") +
                     row_positions(loop, "  ") + fmt::format("  if (_first + _step + 4 <= _total && {}) {{\n", is_aligned(loop, 'p', " + _first"));
  for (const LoopOperand& x : loop.operands)
    if (moves(x) && !x.is_output)
      text += fmt::format("  const ks_four<{0}> _two_{1}[2] = {{*(const ks_four<{0}>*)(_p_{1} + _first), *(const ks_four<{0}>*)(_p_{1} + _first + _step)}};\n", x.type, x.name);
  text += "#pragma unroll\n  for (int _g = 0; _g < 2; ++_g) {\n  const ks_index _j = _first + _g * _step;\n";
  for (const LoopOperand& x : loop.operands)
    if (moves(x)) text += x.is_output ? fmt::format("  ks_four<{}> _f_{};\n", x.type, x.name) : fmt::format("  const ks_four<{0}>& _f_{1} = _two_{1}[_g];\n", x.type, x.name);
  text += elements_of_four(body, "");
  for (const LoopOperand& x : loop.operands)
    if (moves(x) && x.is_output) text += store_of_four(x);
  return text + "  }\n  return;\n  }\n#pragma unroll 1\n  for (ks_index _j = _first; _j <= _first + _step && _j < _total; _j += _step) {\n"
                "  const bool _is_whole = false;\n" + one_four(loop, body) + "  }\n";
}

std::string rows_text(const Loop& loop, const Body& body) {
  return "  const unsigned _row = blockIdx.x / (unsigned)_pieces;\n"
         "  const ks_index _j = (ks_index)(blockIdx.x - _row * (unsigned)_pieces) * blockDim.x + threadIdx.x;\n" +
         row_positions(loop, "  ") + fmt::format("  if (_j < {}) {{\n", row_length(loop)) + body.element({"_j"}, "    ") + "  }\n";
}

std::string each_text(const Loop& loop, const Body& body) {
  std::string text = loop.rank == 1 ? row_positions(loop, "  ") : "";
  const std::string inside = row_and_place(loop, "    ") + body.element({loop.rank == 1 ? "_at" : "_j"}, "    ");
  if (body.is_in_loop)
    return text + fmt::format("  for (ks_index _at = {}; _at < _total; _at += (ks_index)gridDim.x * blockDim.x) {{\n", thread_number) + inside + "  }\n";
  if (body.unroll.empty())
    return text + fmt::format("  const ks_index _at = {};\n  if (_at < _total) {{\n", thread_number) + inside + "  }\n";
  return text + body.unroll + "  for (int _k = 0; _k < 4; ++_k) {\n"
         "    const ks_index _at = (4 * (ks_index)blockIdx.x + _k) * blockDim.x + threadIdx.x;\n    if (_at >= _total) break;\n" + inside + "  }\n";
}

}  // namespace

Schedule choose_schedule(const IterationSpace& space, const BodyTraits& body, bool is_simt) {
  const size_t rank = space.lengths.size();
  const int64_t row = space.lengths.back();
  if (!is_simt && body.is_vector) return Schedule::chunks;
  const bool has_rows = rank > 1 && row >= shortest_row;
  if (is_simt && body.is_straight && body.assigns_first && (rank == 1 || has_rows)) {
    constexpr int64_t many = 1 << 20, most_narrow = 1 << 30;  // fewer leave multiprocessors without a block; more might pass 31 bits at the end
    const bool is_row = rank == 1 && row >= many && (row < most_narrow || !space.is_narrow) &&
                        std::ranges::none_of(space.walks, [](const Walk& walk) { return walk.kind == Walk::memory && walk.inner == Inner::strided; });
    int64_t widest = 0;
    for (const Walk& walk : space.walks)
      if (walk.kind == Walk::memory && walk.inner == Inner::unit) widest = std::max(widest, walk.unit);
    if (body.is_alone && widest > 4 && (rank == 1 || row >= shortest_apart)) return Schedule::apart;
    return body.is_alone && (body.is_long || widest <= 2) && is_row ? Schedule::eights : Schedule::fours;
  }
  return has_rows && !body.is_in_loop && !body.sees_axes && space.size() / row < most_blocks ? Schedule::rows : Schedule::each;
}

std::pair<int64_t, int64_t> blocks_of(const IterationSpace& space, Schedule schedule, int64_t block, int turns) {
  const int64_t total = space.size(), row = space.lengths.back();
  switch (schedule) {
    case Schedule::chunks: {
      const int64_t chunk = std::max(elements_per_chunk, round_up(divide_up(total, most_blocks), int64_t{4}));
      return {divide_up(total, chunk), chunk};
    }
    case Schedule::fours: return {divide_up(total / row * divide_up(row, int64_t{4}), block), 0};
    case Schedule::eights: return {divide_up(total, 8 * block), 0};
    case Schedule::apart: return {divide_up(total / row * (round_up(row, int64_t{128}) / 4), block), 0};
    case Schedule::rows: return {total / row * divide_up(row, block), divide_up(row, block)};
    default: return {divide_up(total, turns * block), 0};
  }
}

std::string loop_text(const Loop& loop, const Body& body) {
  const auto text = loop.schedule == Schedule::chunks  ? chunks_text
                    : loop.schedule == Schedule::fours ? fours_text
                    : loop.schedule == Schedule::eights ? eights_text
                    : loop.schedule == Schedule::apart ? apart_text
                    : loop.schedule == Schedule::rows  ? rows_text
                    : loop.schedule == Schedule::range ? range_text
                                                       : each_text;
  return body.before + text(loop, body) + body.after;
}

std::string_view helper_of(const Loop& loop, const Body& body) {
  if (has_fours(loop.schedule)) return "ks_four";
  return loop.schedule == Schedule::chunks && may_pass_caches(loop, body) ? "ks_pass_caches, ks_fetch" : "";
}

std::string loop_parameters(const Loop& loop) {
  std::string text;
  const auto add = [&](const std::string& name) { text += fmt::format("{}ks_index {}", text.empty() ? "" : ", ", name); };
  for (const LoopOperand& x : loop.operands)
    if (x.kind == Walk::numbers) add("_first_" + x.name);
  if (loop.rank > 1 || loop.is_reduction)
    for (int d = 0; d < loop.rank; ++d) add(fmt::format("_n{}", d));
  for (const LoopOperand& x : loop.operands)
    for (int d = 0; d < loop.rank; ++d)
      if (d != loop.inner || x.inner == Inner::strided) add(fmt::format("_s{}_{}", d, x.name));
  if (loop.is_reduction) return text;
  add("_total");
  if (loop.schedule == Schedule::chunks) add("_chunk");
  if (loop.schedule == Schedule::rows) add("_pieces");
  return text;
}

std::string row_length(const Loop& loop) { return loop.rank == 1 ? "_total" : fmt::format("_n{}", loop.rank - 1); }

std::string row_positions(const Loop& loop, const std::string& indent) {
  return positions(loop, 0, loop.rank - 1, "_row", true, 0, 'p', indent);
}

std::string positions(const Loop& loop, int first, int last, const std::string& at, bool is_first,
                      char from, char to, const std::string& indent) {
  std::string text;
  // Numbers along the axes, innermost first; the last quotient needs no remainder.
  std::string rest = at;
  for (int d = last - 1; d >= first && !at.empty(); --d) {
    if (d == first) {
      text += fmt::format("{}const ks_index _i{} = {};\n", indent, d, rest);
    } else {
      text += fmt::format("{0}const ks_index _q{1} = {2} / _n{1}, _i{1} = {2} - _q{1} * _n{1};\n", indent, d, rest);
      rest = fmt::format("_q{}", d);
    }
  }
  for (const LoopOperand& x : loop.operands) {
    const bool is_memory = x.kind == Walk::memory;
    std::string where = !is_first                   ? fmt::format("_{}_{}", from, x.name)
                        : is_memory                 ? "_m_" + x.name
                        : x.kind == Walk::numbers ? "_first_" + x.name
                                                    : "0";
    std::string far;
    for (int d = first; d < last; ++d)
      if (d != loop.inner || x.inner == Inner::strided) far += fmt::format(" + _i{} * _s{}_{}", d, d, x.name);
      else if (x.inner == Inner::unit) where += fmt::format(" + _i{}", d);
    const std::string type = is_memory ? pointer_type(x) : "ks_index";
    if (is_memory && !x.in_elements && !far.empty()) where = fmt::format("({})(({}char*)({}){})", type, x.is_output ? "" : "const ", where, far);
    else where += far;
    text += fmt::format("{}{} const _{}_{} = {};\n", indent, type, to, x.name, where);
  }
  return text;
}

std::string value_at(const Loop& loop, const LoopOperand& x, const Place& place) {
  if (moves(x) && place.held >= (x.inner == Inner::unit ? Place::neighbours : Place::moving))
    return fmt::format("_f_{}.v[{}]", x.name, place.quarter);
  const std::string at = "_p_" + x.name, step = x.inner == Inner::strided ? fmt::format(fmt::runtime(loop.has_vectors_of_any_stride ? "{} * ks_stride(_s{}_{})" : "{} * _s{}_{}"), place.j, loop.inner, x.name) : place.j;
  if (x.inner == Inner::broadcast) return x.kind == Walk::memory ? "*" + at : at;
  if (x.kind != Walk::memory) return fmt::format("({} + {})", at, step);
  if (x.inner == Inner::unit || x.in_elements) return fmt::format("{}[{}]", at, step);
  return fmt::format("*({})(({}char*){} + {})", pointer_type(x), x.is_output ? "" : "const ", at, step);
}

std::string is_aligned(const Loop& loop, char from, const std::string& start, bool of_outputs) {
  std::string bits;
  for (const LoopOperand& x : loop.operands)
    if (moves(x) && x.inner == Inner::unit && (x.is_output || !of_outputs))
      bits += fmt::format("{}((size_t)(_{}_{}{}) & (sizeof(ks_four<{}>) - 1))", bits.empty() ? "" : " | ", from, x.name, start, x.type);
  return bits.empty() ? "true" : fmt::format("(({}) & 15) == 0", bits);
}

std::string loads_of_few(const Loop& loop, std::string_view few, const std::string& indent) {
  std::string text;
  for (const LoopOperand& x : loop.operands)
    if (moves(x) && x.inner == Inner::unit && !x.is_output)
      text += fmt::format("{0}const {3}<{1}> _f_{2} = *(const {3}<{1}>*)_p_{2};\n", indent, x.type, x.name, few);
  return text;
}

}  // namespace kasoku
