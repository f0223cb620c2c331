/// \file kasoku/base/rounding.h
/// How many pieces of a size hold so much, and how much those hold.
#pragma once

namespace kasoku {

template <class T>
constexpr T divide_up(T n, T piece) { return (n + piece - 1) / piece; }

template <class T>
constexpr T round_up(T n, T piece) { return divide_up(n, piece) * piece; }

}  // namespace kasoku
