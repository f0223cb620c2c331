/// \file kasoku/codegen/emit.h
/// What the emitters of kernel text share, see emit.cpp for the legend.
#pragma once

#include "kasoku/codegen/group.h"

#include <string>
#include <string_view>

namespace kasoku::codegen {

/// Kernel text of a register type: "float" for float16.
std::string_view register_text(Dtype dtype);
/// As it lies in memory: "unsigned short" for float16.
std::string_view memory_text(Dtype dtype);
std::string cast_text(Dtype from, Dtype to, const std::string& value);

/// One operand that moves over the domain: y, a load, an arange, a random.
struct Operand {
  std::string name;  ///< "y", "x0", "a0", "r0"
  Inner inner;
  bool is_memory;
};
std::vector<Operand> moving_operands(const Group& group);

/// Definitions of each operand's position before the walk over axes [first, last):
/// `from` + prefix -> `to` + prefix, at the linear number `at` over those axes.
/// The innermost axis is left out if `up_to_inner`, and its number called `col`.
std::string positions(const Group& group, int first, int last, const std::string& at,
                      bool is_first, char from, char to, const std::string& indent);

/// The pragma before a loop of `turns` with so many elements in each, as far as copies of the
/// text stay short: a compiler for GPUs takes minutes over branches in many copies.
std::string unroll(const Group& group, int turns, int elements);

/// Which element is computed.
struct Place {
  std::string j;          ///< text: steps along the innermost axis
  int quarter = -1;       ///< 0 … 3 where calls_for_four() drew for four elements, else -1
  bool is_loaded = false;  ///< loads_of_four() loaded the elements of which this is `quarter`
};

/// The values of one element with positions p…; the last one is named by last_value().
std::string element(const Group& group, const Place& place, const std::string& indent);
/// The calls for elements 4t … 4t+3 that element(…, quarter) uses. A call is one chain of products,
/// too long for a core to find the next one behind it: `by_chains` puts four of them side by side.
std::string calls_for_four(const Group& group, const std::string& t, const std::string& indent);
/// On a CPU: the head of a loop over `fours`, with its calls.
std::string loop_of_fours(const Group& group, const std::string& indent);
/// Loads of elements j … j+3, 16 bytes at a time, and when their addresses allow it:
/// `start` is text that is added to the pointers `from`….
std::string loads_of_four(const Group& group, const std::string& indent);
std::string is_aligned(const Group& group, char from, const std::string& start);
std::string last_value(const Group& group, int from_end = 0);

std::string store_text(Dtype memory, const std::string& value);
std::string parameters(const Group& group);

std::string emit_map(const Group& group);
std::string emit_reduce(const Group& group);

}  // namespace kasoku::codegen
