/// \file kasoku/kernel/reduction_text.h
/// The text of a user's reduction: what he wrote as the body and the join of the loop of codegen/reduce_text.h.
#pragma once

#include "kasoku/codegen/reduce_text.h"
#include "kasoku/compile/program.h"
#include "kasoku/kernel/pending_operands.h"
#include "kasoku/kernel/reduction.h"

namespace kasoku {

/// The front end's text around the tree. Kernel parameters end with ", " or are empty.
struct ReductionText {
  const ReductionOptions* options;
  std::string head;       ///< includes, preamble, types; must define _type_reduce
  std::string inputs;     ///< kernel parameters of what is reduced,
  std::string others;     ///< of what the results may be made of besides, and of the outputs
  std::string before;     ///< statements before the loop, of `others`
  std::string before_inputs;  ///< and of `inputs`
  const PendingOperands* computed = nullptr;  ///< among the inputs, over elements
  std::string map_expr, reduce_expr;
  std::string identity;   ///< empty: none
  std::string post;       ///< statements: the result is `a`, the output _o
  /// Statements before the map of an element; `number` counts it, `output` its result.
  std::function<std::string(const Loop& loop, const Place& place, const std::string& number, const std::string& output)> element;
  Reduction reduction;    ///< its loop, form and size; the rest comes from here
  bool is_narrow = true, is_simt = false;
};

/// Kernels `name`, of chunks, and `name_partials`, of what chunks left.
Program reduction_program(ReductionText text);

/// Who reduces `space` to values of so many bytes, 0 if that is not known; where it is by columns, the space's inner axis goes along them.
ReduceForm reduce_form(IterationSpace& space, size_t value_bytes, bool is_simt);

}  // namespace kasoku
