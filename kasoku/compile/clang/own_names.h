/// \file kasoku/compile/clang/own_names.h
/// Names that a text defines for itself although the prelude has them:
/// `typedef long long int64_t;`, `const float M_PI = …`, `enum { INT_MAX = 7 };`, `#define INFINITY …`,
/// `namespace std { template <class T> struct numeric_limits … }`. NVRTC has none of them,
/// so such texts are right there and have to be right here. Functions in std need no words:
/// ours come by way of a using-directive (prelude/std.h).
#pragma once

#include <string>
#include <string_view>

namespace kasoku::embedded {

/// Text to put in front of `text`; mostly empty.
std::string own_names(std::string_view text);

/// `type` without what own_names() put in.
std::string without_own_names(std::string type);

}  // namespace kasoku::embedded
