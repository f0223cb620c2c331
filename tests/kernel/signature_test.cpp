/// Laws of kasoku/kernel/signature.cpp.
#include "kasoku/kernel/signature.h"

#include "kasoku/base/error.h"

#include <doctest/doctest.h>

using namespace kasoku;

TEST_CASE("signature: a star makes an array, const and restrict are no part of the type") {
  const auto params =
      parse_pointer_parameters("int *x, const float* __restrict__ y, unsigned   int n, double a");
  REQUIRE(params.size() == 4);
  CHECK(params[0].name == "x");
  CHECK(params[0].is_pointer);
  CHECK(params[0].dtype == Dtype::int32);
  CHECK(params[1].type == "float");
  CHECK(params[1].is_const);
  CHECK(params[2].type == "unsigned int");
  CHECK(params[2].dtype == Dtype::uint32);
  CHECK_FALSE(params[2].is_pointer);
  CHECK(params[3].dtype == Dtype::float64);
}

TEST_CASE("signature: C's many names for an integer are one dtype") {
  CHECK(dtype_from_c("long long unsigned int") == Dtype::uint64);
  CHECK(dtype_from_c("long") == Dtype::int64);
  CHECK(dtype_from_c("short int") == Dtype::int16);
  CHECK(dtype_from_c("signed char") == Dtype::int8);
  CHECK(dtype_from_c("size_t") == Dtype::uint64);
  CHECK(dtype_from_c("unsigned") == Dtype::uint32);
  CHECK(dtype_from_c("const int") == Dtype::int32);
  CHECK(dtype_from_c("float4") == std::nullopt);
  CHECK(dtype_from_c("") == std::nullopt);
}

TEST_CASE("signature: types with template arguments and namespaces stay whole") {
  const auto params = parse_pointer_parameters("pycuda::complex<float> *z, my::pair<int, float> p");
  REQUIRE(params.size() == 2);
  CHECK(params[0].type == "pycuda::complex<float>");
  CHECK(params[0].dtype == Dtype::complex64);
  CHECK(params[1].type == "my::pair<int, float>");
  CHECK(params[1].dtype == std::nullopt);
}

TEST_CASE("signature: brackets are a pointer, an empty list is empty") {
  CHECK(parse_pointer_parameters("float x[]")[0].is_pointer);
  CHECK(parse_pointer_parameters("").empty());
  CHECK(parse_element_parameters("  \n ").empty());
}

TEST_CASE("signature: one capital letter is a placeholder, raw and dtype names are understood") {
  const auto params = parse_element_parameters("T x, raw U y, float32 z, bool w, raw int8 v");
  REQUIRE(params.size() == 5);
  CHECK(params[0].is_placeholder);
  CHECK_FALSE(params[0].is_raw);
  CHECK(params[1].is_raw);
  CHECK(params[1].type == "U");
  CHECK(params[2].dtype == Dtype::float32);
  CHECK(params[2].type == "float");
  CHECK(params[3].dtype == Dtype::bool_);
  CHECK(params[4].dtype == Dtype::int8);
}

TEST_CASE("signature: what is no parameter is shown with its list") {
  CHECK_THROWS_WITH_AS(parse_pointer_parameters("int *x, float"),
                       "'float' is no parameter, in the list 'int *x, float'\n"
                       "  fix  write each as 'type *name' for an array, 'type name' for a scalar",
                       Error);
  CHECK_THROWS_AS(parse_pointer_parameters("float **x"), Error);
  CHECK_THROWS_AS(parse_pointer_parameters("int x, float x"), Error);
  CHECK_THROWS_AS(parse_element_parameters("T"), Error);
}

TEST_CASE("signature: names of the loop cannot be parameters of elements") {
  for (const char* list : {"T i", "T _x"}) CHECK_THROWS_AS(parse_element_parameters(list), Error);
  CHECK(parse_element_parameters("T n")[0].name == "n");  // which is then not the number of elements
}

TEST_CASE("signature: a word is found only on its own") {
  CHECK(mentions_word("y[i] = x", "i"));
  CHECK_FALSE(mentions_word("sin(xi)", "i"));
  CHECK_FALSE(mentions_word("_ind.size()", "ind"));
}

TEST_CASE("signature: a kernel's name is an identifier") {
  CHECK_NOTHROW(check_kernel_name("plus_one"));
  CHECK_THROWS_AS(check_kernel_name("1"), Error);
  CHECK_THROWS_AS(check_kernel_name(""), Error);
  CHECK_THROWS_AS(check_kernel_name("a-b"), Error);
}
