/// \file kasoku/array/algorithms/join_pieces.h
/// Pieces of an axis joined into one element each: ufunc.reduceat.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/codegen/ops.h"

#include <optional>

namespace kasoku {

/// How the elements of pieces are joined: long ones by lanes that stand side by side; element by element; or so with what is joined up to
/// each element kept.
enum class Pieces : uint8_t { in_any_brackets, in_order, with_each_step };

/// A piece goes from its start up to the next piece's, the last one to the axis' end; where the next start is not behind it, it is one
/// element. With each step there is one piece, from 0. Throws ErrorKind::index where a start is outside the axis, ErrorKind::type
/// where `join` does not give the dtype that it takes.
Array join_pieces(const Array& array, const Array& starts, int64_t axis, Op join, Pieces which, std::optional<Dtype> dtype);

}  // namespace kasoku
