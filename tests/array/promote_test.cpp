/// Laws of kasoku/array/promote.cpp.
#include "kasoku/array/promote.h"

#include "kasoku/base/error.h"

#include <doctest/doctest.h>

using namespace kasoku;

TEST_CASE("promote: signed and unsigned meet in a signed type that holds both") {
  CHECK(promote(Dtype::int8, Dtype::uint8) == Dtype::int16);
  CHECK(promote(Dtype::uint32, Dtype::int32) == Dtype::int64);
  CHECK(promote(Dtype::int64, Dtype::uint64) == Dtype::float64);
  CHECK(promote(Dtype::int32, Dtype::uint8) == Dtype::int32);
}

TEST_CASE("promote: floats and integers") {
  CHECK(promote(Dtype::float16, Dtype::int8) == Dtype::float16);
  CHECK(promote(Dtype::float16, Dtype::int16) == Dtype::float32);
  CHECK(promote(Dtype::float32, Dtype::int16) == Dtype::float32);
  CHECK(promote(Dtype::float32, Dtype::int32) == Dtype::float64);
  CHECK(promote(Dtype::complex64, Dtype::float64) == Dtype::complex128);
  CHECK(promote(Dtype::complex64, Dtype::int16) == Dtype::complex64);
}

TEST_CASE("promote: a Python number adapts to the array it meets") {
  const auto with = [](Dtype dtype, Weak weak) {
    const Typed operands[] = {{dtype}, {Dtype::int64, weak}};
    return promote(operands);
  };
  CHECK(with(Dtype::bool_, Weak::integer) == Dtype::int64);
  CHECK(with(Dtype::int8, Weak::integer) == Dtype::int8);
  CHECK(with(Dtype::int8, Weak::floating) == Dtype::float64);
  CHECK(with(Dtype::float32, Weak::floating) == Dtype::float32);
  CHECK(with(Dtype::float32, Weak::complex_) == Dtype::complex64);
}

TEST_CASE("op_types: integers divide in float64, whatever their width") {
  CHECK(op_types(Op::divide, Dtype::int8).compute == Dtype::float64);
  CHECK(op_types(Op::sqrt, Dtype::int8).compute == Dtype::float16);
  CHECK(op_types(Op::sqrt, Dtype::uint16).compute == Dtype::float32);
  CHECK(op_types(Op::power, Dtype::bool_).compute == Dtype::int8);
  CHECK(op_types(Op::less, Dtype::float32).result == Dtype::bool_);
  CHECK(op_types(Op::absolute, Dtype::complex64).result == Dtype::float32);
}

TEST_CASE("op_types: what NumPy refuses is refused by name") {
  CHECK_THROWS_WITH_AS(op_types(Op::subtract, Dtype::bool_),
                       "subtract is not defined for bool arrays\n"
                       "  fix  use bitwise_xor (^) or logical_xor",
                       Error);
  CHECK_THROWS_WITH_AS(op_types(Op::bitwise_and, Dtype::float64),
                       "bitwise_and is not defined for float64 arrays", Error);
}
