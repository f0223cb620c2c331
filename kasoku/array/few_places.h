/// \file kasoku/array/few_places.h
/// Few elements at the places that an array of indices names, in memory that the host reaches: read, written and joined at once,
/// without a node, a kernel, or a description of the index. Whatever is more goes the way of indexing.h, by the same loops.
#pragma once

#include "kasoku/array/array.h"
#include "kasoku/codegen/ops.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <type_traits>

namespace kasoku {

/// Positions along an axis; negative ones count from its end. Between neighbours of the axis are `stride` bytes.
struct PlacesAlong {
  const int64_t* given;
  int64_t n, length, stride;

  /// The first that lies outside; null if all are within the axis.
  const int64_t* outside() const;
  /// one(offset, i): the i-th one's bytes from the first element of the axis.
  template <class One>
  void each(One one) const {
    const int64_t* const at = given;
    const int64_t count = n, end = length, step = stride;
    for (int64_t i = 0; i < count; ++i) one((at[i] + (end & at[i] >> 63)) * step, i);
  }
};

/// f(T{}) for numbers that a host joins as kernels do, in their own type; false for others.
template <class F>
bool of_joined_type(Dtype dtype, F&& f) {
  switch (dtype) {
    case Dtype::int32: return f(int32_t{}), true;
    case Dtype::int64: return f(int64_t{}), true;
    case Dtype::uint32: return f(uint32_t{}), true;
    case Dtype::uint64: return f(uint64_t{}), true;
    case Dtype::float32: return f(float{}), true;
    case Dtype::float64: return f(double{}), true;
    default: return false;
  }
}

/// f(joined) with the function of two T's that `join` is; false if it is none of these.
template <class T, class F>
bool with_join(Op join, F&& f) {
  using Unsigned = std::conditional_t<std::is_integral_v<T>, std::make_unsigned_t<std::conditional_t<std::is_integral_v<T>, T, int>>, T>;
  const auto wrapped = [](auto operation) { return [operation](T a, T b) { return static_cast<T>(operation(static_cast<Unsigned>(a), static_cast<Unsigned>(b))); }; };
  switch (join) {
    case Op::add: return f(wrapped(std::plus<>())), true;
    case Op::subtract: return f(wrapped(std::minus<>())), true;
    case Op::multiply: return f(wrapped(std::multiplies<>())), true;
    case Op::maximum: return f([](T a, T b) { return a > b || a != a ? a : b; }), true;
    case Op::minimum: return f([](T a, T b) { return a < b || a != a ? a : b; }), true;
    default: return false;
  }
}

/// Joins values, or one value with step 0, to the elements at `places` from `array` on, in their order.
template <class Places, class T, class Join>
void join_places(const Places& places, char* array, const T* values, int64_t step, Join joined) {
  places.each([=](int64_t offset, int64_t i) {
    T* const there = reinterpret_cast<T*>(array + offset);
    *there = joined(*there, values[i * step]);
  });
}

/// array[key], where `key` holds positions along the first axis, or is a mask of the array's shape. Null where that is for get_item().
Array get_few(const Array& array, const Array& key);
/// array[key] = value: a number, or an array of this dtype with an element for each. False, and nothing done, where that is for set_item().
bool set_few(const Array& array, const Array& key, const Scalar& value);
bool set_few(const Array& array, const Array& key, const Array& value);
/// Joins a value, or one for each, to the elements of an array of one axis, in their order; false as above.
bool join_few(const Array& array, const Array& key, const Scalar& value, Op join);
bool join_few(const Array& array, const Array& key, const Array& value, Op join);

}  // namespace kasoku
