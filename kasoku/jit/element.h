/// \file kasoku/jit/element.h
/// The rows of codegen/ops.def in compiled functions: what they compute in, and their text.
#pragma once

#include "kasoku/codegen/ops.h"
#include "kasoku/jit/tree.h"

#include <string>
#include <string_view>
#include <vector>

namespace kasoku::jit {

/// The dtype that a row of ops.def converts its operands to, and that of its result. Other than in op_types(), integers
/// become float64 where they become floats, and complex functions of kernel text count.
/// Throws ErrorKind::type where the row has no text.
OpTypes element_types(Op op, Dtype promoted, bool in_floats = false);

/// The row's text for operands of `compute`: itself where each operand stands once in it, else a
/// call of ks_op_NAME_DTYPE, which op_functions() defines.
std::string op_text(Op op, Dtype compute, const std::vector<std::string>& operands);

/// One bound of np.clip. As NumPy has it, of two zeros x stays with two bounds, and the bound if it is the only one.
std::string clip_text(bool is_low, bool has_other, Dtype compute, const std::string& x, const std::string& bound);

/// Definitions of the ks_op_… functions that `text` calls.
std::string op_functions(std::string_view text);

/// The row of a binary operator that has one.
Op op_of(Operator op);

}  // namespace kasoku::jit
