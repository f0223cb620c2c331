/// \file kasoku/array/algorithms/join_in_order.h
/// Values joined to what lies at their places, one after the other where places repeat, by threads side by side.
#pragma once

#include "kasoku/array/places.h"

namespace kasoku {

/// For joins whose result depends on the order, on a device whose threads have an element each: the values are sorted by place,
/// in their order, and a thread joins those of one place. The same bits as one after the other.
void join_in_order(const Array& array, const Places& places, const Array& value, Op join);

}  // namespace kasoku
