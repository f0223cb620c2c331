/// Laws of kasoku/kernel/arguments.cpp.
#include "kasoku/kernel/arguments.h"

#include <doctest/doctest.h>

#include <cstring>

using namespace kasoku;

namespace {

template <class T>
T converted(const Argument& argument, Dtype dtype, Overflow overflow = Overflow::error) {
  T value{};
  const char* why = convert_scalar(argument, dtype, &value, overflow);
  CHECK_MESSAGE(why == nullptr, why);
  return value;
}

bool is_refused(const Argument& argument, Dtype dtype) {
  char value[16];
  return convert_scalar(argument, dtype, value) != nullptr;
}

Argument untyped(int64_t value) {
  Argument argument(value);
  argument.is_typed = false;
  return argument;
}

}  // namespace

TEST_CASE("scalar: an int fits an int parameter, at both ends of its range") {
  CHECK(converted<int32_t>(untyped(5), Dtype::int32) == 5);
  CHECK(converted<int8_t>(untyped(-128), Dtype::int8) == -128);
  CHECK(converted<uint64_t>(Argument(~uint64_t{0}), Dtype::uint64) == ~uint64_t{0});
  CHECK(is_refused(untyped(128), Dtype::int8));
  CHECK(is_refused(untyped(-1), Dtype::uint32));
  CHECK(is_refused(Argument(~uint64_t{0}), Dtype::int64));
  CHECK(converted<int8_t>(untyped(257), Dtype::int8, Overflow::wrap) == 1);
}

TEST_CASE("scalar: a float is no integer, an integer is a float") {
  CHECK(is_refused(Argument(2.5), Dtype::int32));
  CHECK(is_refused(Argument(2.0), Dtype::int32));
  CHECK(converted<float>(untyped(3), Dtype::float32) == 3.0f);
  CHECK(converted<double>(Argument(2.5f), Dtype::float64) == 2.5);
}

TEST_CASE("scalar: 16-bit floats are rounded to nearest") {
  CHECK(converted<uint16_t>(Argument(1.0), Dtype::float16) == 0x3c00);
  CHECK(converted<uint16_t>(Argument(65520.0), Dtype::float16) == 0x7c00);
  CHECK(converted<uint16_t>(Argument(1.0), Dtype::bfloat16) == 0x3f80);
  CHECK(converted<uint16_t>(Argument(1.00390625), Dtype::bfloat16) == 0x3f80);
  CHECK(converted<uint16_t>(Argument(1.00390625 + 0x1p-40), Dtype::bfloat16) == 0x3f81);  // once: float32 has the half
  CHECK(converted<uint16_t>(Argument((int64_t{257} << 54) + 1), Dtype::bfloat16) == 0x5e81);
  CHECK(converted<uint16_t>(Argument(-(int64_t{257} << 54) - 1), Dtype::bfloat16) == 0xde81);
  CHECK(converted<uint16_t>(Argument((uint64_t{257} << 55) + 1), Dtype::bfloat16) == 0x5f01);
}

TEST_CASE("scalar: complex takes everything, reals take no complex") {
  CHECK(converted<std::complex<float>>(Argument(2.5), Dtype::complex64) ==
        std::complex<float>(2.5f, 0));
  CHECK(is_refused(Argument(std::complex<double>(1, 2)), Dtype::float64));
  CHECK(converted<bool>(Argument(0.5), Dtype::bool_));
}

TEST_CASE("representation: the same bits under another name are no mistake, other bits are") {
  CHECK(same_representation(Dtype::int32, Dtype::uint32));
  CHECK(same_representation(Dtype::bool_, Dtype::uint8));
  CHECK(same_representation(Dtype::complex64, Dtype::float32));
  CHECK(same_representation(Dtype::uint16, Dtype::float16));
  CHECK_FALSE(same_representation(Dtype::int64, Dtype::int32));
  CHECK_FALSE(same_representation(Dtype::float32, Dtype::int32));
  CHECK_FALSE(same_representation(Dtype::float64, Dtype::float32));
}

TEST_CASE("packing: values keep their places, many and large ones too") {
  PackedArguments packed;
  const int n = 200;
  for (int i = 0; i < n; ++i) packed.add_value(static_cast<int64_t>(i) * 3);
  REQUIRE(packed.count() == n);
  for (int i = 0; i < n; ++i) {
    int64_t value;
    std::memcpy(&value, packed.pointers()[i], sizeof value);
    CHECK(value == i * 3);
  }
}

TEST_CASE("contiguity: length 1 has any stride, and no elements are contiguous") {
  const int64_t shape[] = {1, 3}, strides[] = {400, 4}, empty[] = {0, 3}, odd[] = {8, 7};
  ArrayRef array;
  array.ndim = 2;
  array.itemsize = 4;
  array.shape = shape;
  array.strides = strides;
  CHECK(array.is_c_contiguous());
  CHECK(array.is_f_contiguous() == true);
  array.shape = empty;
  array.strides = odd;
  CHECK(array.is_c_contiguous());
}

TEST_CASE("argument: says what it is") {
  CHECK(Argument().str() == "None");
  CHECK(Argument(2.5).str() == "float64 2.5");
  CHECK(untyped(7).str() == "int 7");
  const int64_t shape[] = {3}, strides[] = {8};
  ArrayRef array;
  array.ndim = 1;
  array.itemsize = 8;
  array.shape = shape;
  array.strides = strides;
  array.dtype = Dtype::float64;
  CHECK(Argument(array).str() == "a float64 array of shape (3,)");
}
