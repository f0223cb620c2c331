/// \file kasoku/base/trace.h
/// KASOKU_TRACE: the stations that work passes on its way down, one line each on
/// stderr, in the same words everywhere.
#pragma once

#include <cstdint>
#include <string_view>

namespace kasoku {

enum class Station : uint8_t { plan, text, cache, passes, launch };

/// One relaxed load; ask before making the text.
bool is_traced(Station station);

/// "kasoku cache: hit on disk …". Texts of several lines keep the first on the
/// station's line and are indented below.
void trace(Station station, std::string_view text);

}  // namespace kasoku
