// Stores at places that are computed. Several elements may have one place: the last one stays, and what is joined to it is
// joined in order. So on a CPU one block goes over all of them, or, where much is computed of what is stored, blocks divide the
// places: a block is one thread, which goes over the rows of its part and stores what lies in `span` bytes from `begin` on. Parts
// are of the outermost axis where a place is computed for none of its elements, and so they have places of their own anyway. A
// GPU's threads have an element each, in any order; of few places, each block adds up what its threads have in shared memory, in as many
// copies as have room, and adds the sums to what is there.
//
// Legend of the text, beside those of emit.cpp and loop_text.cpp.
//   rows, rows_of_part, owners   what is gone over; how much of it a part has, and how many blocks go over a part
//   from, span                   the least distance of a place, and how many from there each owner has
//   to, there                    where the element goes, and the value that it finds there
//   least, places                the distance of the first place, and how many there are
//   _low, _high, _own            sums of 32 bits, upper halves if there are any, and the first one of the warp's copy
#include "kasoku/codegen/emit.h"

#include <fmt/format.h>

#include <algorithm>

namespace kasoku {

bool joins_in_any_order(Op join, Dtype compute, Dtype stored) {
  const bool is_integer = info(stored).kind == DtypeKind::signed_ || info(stored).kind == DtypeKind::unsigned_;
  return compute == stored && is_integer && info(stored).size >= 4 && (join == Op::add || join == Op::subtract || join == Op::maximum || join == Op::minimum);
}

namespace codegen {

namespace {

/// Threads that join at one place take turns by themselves.
std::string atomic_join(const Group& group, const std::string& value) {
  const Op op = *group.scatter->join;
  const Dtype dtype = group.store_dtype;
  const std::string_view type = info(dtype).size == 4 && info(dtype).kind == DtypeKind::signed_ && (op == Op::maximum || op == Op::minimum) ? "int"
                                : info(dtype).size == 4                                                                           ? "unsigned int"
                                : info(dtype).kind == DtypeKind::signed_ && (op == Op::maximum || op == Op::minimum)              ? "long long"
                                                                                                                                  : "unsigned long long";
  const char* const name = op == Op::maximum ? "atomicMax" : op == Op::minimum ? "atomicMin" : "atomicAdd";
  return fmt::format("{0}(({1}*)to, ({1}){2}{3});\n", name, type, op == Op::subtract ? "-" : "", value);
}

bool has_halves(const Group& group) { return info(group.store_dtype).size == 8; }

/// Sums of a block. A processor adds 32 bits to shared memory by one instruction, so that 64 bits have a carry.
std::string clear_shared(const Group& group) {
  return fmt::format("  __shared__ unsigned int _low[{0}]{1};\n"
                     "  const int _places = (int)places, _copies = {0} / _places < 8 ? {0} / _places : 8, _own = (threadIdx.x >> 5) % _copies * _places;\n"
                     "  for (int _k = threadIdx.x; _k < _copies * _places; _k += blockDim.x) _low[_k] = 0{2};\n  __syncthreads();\n",
                     shared_places, has_halves(group) ? fmt::format(", _high[{}]", shared_places) : "", has_halves(group) ? ", _high[_k] = 0" : "");
}

std::string join_shared(const Group& group, const std::string& value, const std::string& indent) {
  const std::string number = fmt::format("({}){}({})", has_halves(group) ? "unsigned long long" : "unsigned int", *group.scatter->join == Op::subtract ? "-" : "", value);
  const std::string place = fmt::format("{}const int _place = _own + (int)((unsigned long long)(v{} - least) / {});\n", indent, group.scatter->distance, info(group.store_dtype).size);
  if (!has_halves(group)) return place + fmt::format("{}atomicAdd(&_low[_place], {});\n", indent, number);
  return place + fmt::format("{0}const unsigned long long _number = {1};\n{0}const unsigned int _before = atomicAdd(&_low[_place], (unsigned int)_number);\n"
                             "{0}const unsigned int _rest = (unsigned int)(_number >> 32) + (_before + (unsigned int)_number < _before);\n"
                             "{0}if (_rest) atomicAdd(&_high[_place], _rest);\n", indent, number);
}

std::string add_shared(const Group& group) {
  const char* const type = has_halves(group) ? "unsigned long long" : "unsigned int";
  return fmt::format("  __syncthreads();\n  for (int _k = threadIdx.x; _k < _places; _k += blockDim.x) {{\n    {0} _sum = 0;\n"
                     "    for (int _c = 0; _c < _copies; ++_c) _sum += {1};\n    if (_sum) atomicAdd(({0}*)((char*)_m_y + least) + _k, _sum);\n  }}\n",
                     type, has_halves(group) ? "(unsigned long long)_high[_c * _places + _k] << 32 | _low[_c * _places + _k]" : "_low[_c * _places + _k]");
}

std::string store(const Group& group, const std::string& indent) {
  const std::string value = last_value(group);
  if (group.scatter->is_in_shared) return join_shared(group, value, indent);
  const Instruction& last = group.values.back();
  if (!group.scatter->join) return fmt::format("{}*to = {};\n", indent, store_text(group.store_dtype, value));
  if (group.is_simt) return indent + atomic_join(group, value);
  const std::string operands[] = {"there", value};
  const std::string joined = filled_text(*group.scatter->join, last.dtype, register_text(last.dtype), operands);
  return fmt::format("{}const {} there = {};\n", indent, register_text(last.dtype), cast_text(group.store_dtype, last.dtype, load_text(group.store_dtype, "*to"))) +
         fmt::format("{}*to = {};\n", indent, store_text(group.store_dtype, cast_text(last.dtype, group.store_dtype, fmt::format("(({})({}))", register_text(last.dtype), joined))));
}

}  // namespace

std::string emit_scatter(const Group& group) {
  const Loop loop = group;
  const ScatterSpec& scatter = *group.scatter;
  const size_t known = std::max<size_t>(scatter.distance, scatter.condition.value_or(0)) + 1;
  Body body;
  body.is_vector = loop.operands[0].inner != Inner::broadcast;  // a row of neighbours, all at one distance
  body.element = [&](const Place& place, const std::string& indent) {
    std::string text = values_text(group, place, indent, 0, known), condition;
    if (!group.is_simt) condition = fmt::format("(unsigned long long)(v{} - begin) < (unsigned long long)span", scatter.distance);
    if (scatter.condition) condition += fmt::format("{}v{}", condition.empty() ? "" : " && ", *scatter.condition);
    const std::string deeper = condition.empty() ? indent : indent + "  ";
    const std::string type(memory_text(group.store_dtype));
    const std::string to = fmt::format("{}{}* const to = ({}*)((char*)&{} + v{});\n", deeper, type, type, value_at(loop, loop.operands[0], place), scatter.distance);
    const std::string inside = values_text(group, place, deeper, known, group.values.size()) + (scatter.is_in_shared ? "" : to) + store(group, deeper);
    return text + (condition.empty() ? inside : fmt::format("{0}if ({1}) {{\n{2}{0}}}\n", indent, condition, inside));
  };
  if (!group.is_simt)
    body.before = "  const long long part = (long long)blockIdx.x / owners, begin = from + ((long long)blockIdx.x - part * owners) * span;\n"
                  "  const long long _at = part * rows_of_part, _end = _at + rows_of_part < rows ? _at + rows_of_part : rows;\n";
  if (scatter.is_in_shared) {
    body.is_in_loop = true;
    body.before = clear_shared(group);
    body.after = add_shared(group);
  }
  return loop_text(loop, body);
}

}  // namespace codegen

}  // namespace kasoku
