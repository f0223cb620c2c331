/// \file kasoku/jit/parallel.h
/// What a prange loop does with the variables that it assigns (prange_variables.cpp), for the text of the loop (parallel.cpp).
#pragma once

#include "kasoku/jit/lowering.h"
#include "kasoku/jit/update.h"

#include <algorithm>

namespace kasoku::jit {

/// A variable into which all iterations of a parallel loop join their values.
struct FunctionLowering::Reduction {
  int variable;
  Update::Kind kind;
  bool has_order;
  std::string parts;
  bool starts_outside() const { return kind == Update::maximum || kind == Update::minimum; }
};
struct FunctionLowering::Parallel {
  std::vector<Reduction> reductions;
  std::vector<int> own, last;
  std::string carried;  ///< what keeps it from being parallel
  bool joins_arrays = true;  ///< what is carried are arrays that each iteration joins with its own
  bool is_plain = true;
  bool has_lanes() const { return std::ranges::any_of(reductions, &Reduction::has_order); }
};

}  // namespace kasoku::jit
