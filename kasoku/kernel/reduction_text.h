/// \file kasoku/kernel/reduction_text.h
/// The text of a reduction: one kernel that maps and reduces chunks, one that reduces what
/// chunks left, one for short or many reductions.
#pragma once

#include "kasoku/codegen/reductions.h"
#include "kasoku/compile/program.h"
#include "kasoku/kernel/reduction.h"

namespace kasoku {

inline constexpr unsigned reduction_block = 256;

/// What surrounds the tree, written by the front end.
struct ReductionText {
  const ReductionOptions* options;
  std::string head;         ///< includes, preamble, types; must define _type_reduce
  std::string reduce_expr;
  std::string identity;     ///< empty: none
  std::string in_params;    ///< kernel parameters of the inputs, ends with ", " or is empty
  std::string out_params;   ///< of the outputs, likewise
  /// From `_o` (output) and `_j` (element of it, a ptrdiff_t) to the expression's names;
  /// runs in a scope of its own.
  std::string of_output;    ///< statements that depend on _o only
  std::string of_element;   ///< statements that depend on _j too
  std::string map_expr;
  std::string post;         ///< statements: the result is `a`, the output _o
  bool is_narrow = true;
  bool has_columns = false; ///< also `name_columns`, see there
};

/// Kernels `name` (chunks), `name_partials` and `name_each` (a thread for each output); with
/// has_columns also `name_columns`, the latter for outputs that lie side by side.
Program reduction_program(const ReductionText& text);

}  // namespace kasoku
