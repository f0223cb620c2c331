/// \file kasoku/array/algorithms/join_pieces.h
/// Pieces of an axis joined into one element each: ufunc.reduceat.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/codegen/ops.h"

#include <optional>

namespace kasoku {

/// A piece goes from its start up to the next piece's, the last one to the axis' end; where the next start is not behind it, it is one
/// element. `may_move_brackets`: long pieces are joined by lanes that stand side by side, else element by element. Throws
/// ErrorKind::index where a start is outside the axis, ErrorKind::type where `join` does not give the dtype that it takes.
Array join_pieces(const Array& array, const Array& starts, int64_t axis, Op join, bool may_move_brackets, std::optional<Dtype> dtype);

}  // namespace kasoku
