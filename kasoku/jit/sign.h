/// \file kasoku/jit/sign.h
/// Which integers cannot be negative: as indices they need not be asked whether they count from
/// the end.
#pragma once

#include "kasoku/jit/typed_function.h"

#include <vector>

namespace kasoku::jit {

/// Per variable of the function: every value that it is ever given is 0 or more.
std::vector<bool> nonnegative_variables(const TypedFunction& function);

/// The number that `expr` stands for in Python is 0 or more. In 64 bits it may have wrapped; as an
/// index it is then outside, as Python's number is.
bool is_nonnegative(const Expr& expr, const std::vector<bool>& variables);

}  // namespace kasoku::jit
