/// \file kasoku/codegen/emit.h
/// What the emitters of a group's text share: its loop, and the values of one element.
#pragma once

#include "kasoku/codegen/group.h"
#include "kasoku/codegen/scan_text.h"

#include <string>
#include <string_view>

namespace kasoku::codegen {

/// Kernel text of a register type: "float" for float16.
std::string_view register_text(Dtype dtype);
/// The type of an element in memory, as kernel text: "unsigned short" for float16.
std::string_view memory_text(Dtype dtype);
std::string cast_text(Dtype from, Dtype to, const std::string& value);
std::string store_text(Dtype memory, const std::string& value);

std::string parameters(const Group& group);
/// The kernel parameters of the group's operands and numbers, each after a comma.
std::string operand_parameters(const Group& group);
/// The text before the loop that prepares divisions by numbers that stay the same.
std::string divisors_text(const Group& group);

/// Copies of an element's text that stay short, a power of two of at most 32: a compiler for GPUs takes minutes over
/// branches in many copies.
int copies_of_element(const Group& group);

/// Whether a block of threads may join all that it has read at its end.
bool may_be_in_any_order(const Group& group);
/// The pragma before a loop of `turns` with so many elements in each.
std::string unroll(const Group& group, int turns, int elements);

/// The values of one element with positions _p_…; the last one is named by last_value().
std::string element(const Group& group, const Place& place, const std::string& indent);
/// Only values number `first` to `last`.
std::string values_text(const Group& group, const Place& place, const std::string& indent, size_t first, size_t last);
/// Whether it is a product of floats, and nothing else.
bool has_plain_product(const Instruction& x);
std::string name_of_value(const Group& group, size_t number);
std::string last_value(const Group& group, int from_end = 0);
/// The calls for elements 4t … 4t+3 that element(…, quarter) uses. A call is one chain of products,
/// too long for a core to find the next one behind it: `by_chains` puts four of them side by side.
std::string calls_for_four(const Group& group, const std::string& t, const std::string& indent);
/// On a CPU: the head of a loop over `fours`, with its calls.
std::string loop_of_fours(const Group& group, const std::string& indent);

std::string load_text(Dtype memory, const std::string& value);


/// The body of a kernel that stores at computed places.
std::string emit_scatter(const Group& group);

/// A group that reduces, or scans; good while the group is there.
Reduction reduction_of(const Group& group);
Scan scan_of(const Group& group);

}  // namespace kasoku::codegen
