#include "kasoku/jit/signature.h"

#include "kasoku/base/error.h"

#include <doctest/doctest.h>

using namespace kasoku;
using namespace kasoku::jit;

namespace {

Type number(Dtype dtype) { return Type::scalar(dtype); }

}  // namespace

TEST_CASE("signatures: a conversion is as bad as its worst step") {
  CHECK(conversion(number(Dtype::int32), number(Dtype::int32)) == Conversion::exact);
  CHECK(conversion(number(Dtype::int8), number(Dtype::int64)) == Conversion::promote);
  CHECK(conversion(number(Dtype::int64), number(Dtype::float64)) == Conversion::safe);
  CHECK(conversion(number(Dtype::bool_), number(Dtype::float64)) == Conversion::safe);
  CHECK(conversion(number(Dtype::uint8), number(Dtype::int64)) == Conversion::safe);
  CHECK(conversion(number(Dtype::float64), number(Dtype::int32)) == Conversion::unsafe);
  CHECK(conversion(number(Dtype::int64), number(Dtype::float32)) == Conversion::unsafe);
  CHECK(conversion(number(Dtype::float64), number(Dtype::complex128)) == Conversion::safe);
  CHECK(conversion(number(Dtype::complex128), number(Dtype::float64)) == Conversion::none);
  CHECK(conversion(number(Dtype::complex64), number(Dtype::int8)) == Conversion::none);
}

TEST_CASE("signatures: an array converts to a type that promises less of it, never to another dtype") {
  const Type plain = Type::array(Dtype::float64, 1, true), any = Type::array(Dtype::float64, 1, false);
  Type read_only = plain;
  read_only.is_read_only = true;
  CHECK(conversion(plain, any) == Conversion::safe);
  CHECK(conversion(any, plain) == Conversion::none);
  CHECK(conversion(plain, read_only) == Conversion::safe);
  CHECK(conversion(read_only, plain) == Conversion::none);
  CHECK(conversion(plain, Type::array(Dtype::float32, 1, true)) == Conversion::none);
  CHECK(conversion(plain, Type::array(Dtype::float64, 2, true)) == Conversion::none);
  CHECK(conversion(plain, float64_type) == Conversion::none);
}

TEST_CASE("signatures: tuples convert item by item") {
  CHECK(conversion(Type::tuple({int64_type, int64_type}), Type::tuple({int64_type, float64_type})) == Conversion::safe);
  CHECK(conversion(Type::tuple({int64_type}), Type::tuple({int64_type, int64_type})) == Conversion::none);
}

TEST_CASE("signatures: the one with the fewest unsafe conversions is chosen") {
  const Type f4 = number(Dtype::float32), f8 = float64_type, i8 = int64_type;
  const std::vector<Signature> declared = {{{f4, f4}, {}}, {{f8, f8}, {}}};
  CHECK(choose(declared, {i8, f8}, "f").arguments[0] == f8);
  CHECK(choose(declared, {f4, f4}, "f").arguments[0] == f4);
  CHECK_THROWS_WITH_AS(choose(declared, {number(Dtype::complex128), f8}, "f"),
                       doctest::Contains("No matching definition for argument type(s) complex128, float64"), Error);
  CHECK_THROWS_WITH_AS(choose(declared, {f8}, "f"), doctest::Contains("No matching definition"), Error);
  const std::vector<Signature> mixed = {{{f4, f8}, {}}, {{f8, f4}, {}}, {{i8, i8}, {}}};
  CHECK(best(mixed, {f8, f8}).size() == 2);
  CHECK_THROWS_WITH_AS(choose(mixed, {f8, f8}, "f"), doctest::Contains("Ambiguous overloading for f (float64, float64):"), Error);
}
