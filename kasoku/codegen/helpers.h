/// \file kasoku/codegen/helpers.h
/// Functions that kernel text may call: each ks_… name with its definition. A
/// text gets the definitions of the names that stand in it, and no others, so
/// that a small kernel stays small for the parser and for the reader.
#pragma once

#include <string>
#include <string_view>

namespace kasoku {

/// Definitions of all helpers that `text` mentions, directly or through others,
/// in an order in which they compile. Those that `known` mentions are left out.
std::string helper_text(std::string_view text, std::string_view known = {});

}  // namespace kasoku
